import { pollUntil } from "../Patience.ts"
import { call } from "./Stranger.ts"

const patienceMs = 180_000

interface Review {
  readonly id: string
  readonly audioUrl: string | null
  readonly subject: { readonly id: string }
}

/** Waits for a review of this subject, or of this kind. */
export const reviewOf = (base: string, operator: string, kind: string, id?: string): Promise<Review> =>
  pollUntil(`the review of ${kind} ${id ?? ""}`, patienceMs, async () =>
    (
      (await call(base, "GET", `/api/ops/reviews?kind=${kind}&limit=100`, { bearer: operator })).body[
        "items"
      ] as ReadonlyArray<Review>
    ).find(({ subject }) => id === undefined || subject.id === id)
  )

export const approve = (base: string, operator: string, review: Pick<Review, "id">, reason = "Good to have.") =>
  call(base, "POST", `/api/ops/reviews/${review.id}/decision`, {
    bearer: operator,
    body: { decision: "approve", reason }
  })
