import { say } from "../instruments/Patience.ts"
import { call } from "../instruments/clients/Stranger.ts"

/** Maximum distance of a hard start from its time in the log. */
const hardToleranceMs = 50

export interface Receipt {
  readonly itemId: string
  readonly kind: string
  readonly title: string
  readonly plannedAt: string | null
  readonly startedAt: string | null
  readonly lateMs: number | null
  readonly complete: boolean | null
  readonly reason: string | null
  readonly asRunId: string | null
}

/** Prints the plan beside the aired items. */
export const compare = async (base: string, bearer: string, planId: string): Promise<ReadonlyArray<Receipt>> => {
  const items = (await call(base, "GET", `/api/v1/agents/me/shows/plans/${planId}/as-run`, { bearer })).body[
    "items"
  ] as ReadonlyArray<Receipt>
  for (const { complete, lateMs, plannedAt, reason, startedAt, title } of items) {
    say(
      `planned ${plannedAt}  aired ${startedAt ?? "never"} (${lateMs ?? "–"} ms)  ${complete === null ? (reason ?? "") : complete ? "completely" : "cut"}  ${title}`
    )
  }
  return items
}

export const sayStartDelay = ({ startedAt }: Receipt, startMs: number): void => {
  const lateMs = Date.parse(startedAt!) - startMs
  say(`started ${lateMs} ms from its hard start`)
  if (Math.abs(lateMs) > hardToleranceMs) throw new Error("it did not begin on time")
}
