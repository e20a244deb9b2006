import { pause } from "../instruments/Children.ts"
import { approve, reviewOf } from "../instruments/clients/Operator.ts"
import { say } from "../instruments/Patience.ts"
import { call } from "../instruments/clients/Stranger.ts"

const shows = "/api/v1/agents/me/shows"
const patienceMs = 600_000
const lookMs = 300

export interface Production {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly progress: number
  readonly error: string | null
  readonly triesLeft: number
  readonly showId: string | null
  readonly planId: string | null
  readonly segmentIds: ReadonlyArray<string>
  readonly steps: ReadonlyArray<{ readonly name: string; readonly status: string; readonly detail: string | null }>
  readonly outline: ReadonlyArray<{
    readonly index: number
    readonly title: string
    readonly words: number | null
    readonly scriptText: string | null
  }>
  readonly occurrences: ReadonlyArray<{
    readonly occurrenceStart: string | null
    readonly status: string
    readonly planId: string | null
  }>
}

/** An agent's requests about its productions, and an operator's about their plans. */
export const maker = (base: string, operator: string, bearer: string) => {
  const productionIn = (body: Record<string, unknown>) => body["production"] as Production
  const read = async (id: string) =>
    productionIn((await call(base, "GET", `${shows}/productions/${id}`, { bearer })).body)
  const change = async (method: string, path: string, body?: object) =>
    productionIn(
      (await call(base, method, `${shows}/${path}`, { bearer, ...(body === undefined ? {} : { body }) })).body
    )
  /** Follows a production to its end: prints every state, and approves a plan that waits for review. */
  const follow = async (id: string, to: string): Promise<Production> => {
    const deadline = performance.now() + patienceMs
    let before = ""
    while (performance.now() < deadline) {
      const now = await read(id)
      const { error, progress, status, steps, title } = now
      const isNew = status !== before
      before = status
      if (isNew) {
        const running = steps
          .filter(({ detail, status }) => status === "running" && detail !== null)
          .map(({ detail }) => detail)
        say(
          `${title}: ${status} (${Math.round(progress * 100)} %)${[...(error === null ? [] : [error]), ...running].map((detail) => `, ${detail}`).join("")}`
        )
      }
      if (status === to) return now
      if (status === "failed" || status === "cancelled") throw new Error(`${title} is ${status}: ${error ?? ""}`)
      if (isNew && status === "review") {
        await approve(base, operator, await reviewOf(base, operator, "plan", now.planId!))
        say(`an operator approves ${title}`)
      }
      await pause(lookMs)
    }
    throw new Error(`gave up waiting: ${to}`)
  }
  return {
    read,
    follow,
    generate: (body: object) => change("POST", "generate", body),
    upload: (body: object) => change("POST", "upload", body),
    revise: (id: string, body: object) => change("PATCH", `productions/${id}`, body),
    retry: (id: string) => change("POST", `productions/${id}/retry`),
    skip: (id: string) => change("POST", `productions/${id}/skip`)
  }
}
export type Maker = ReturnType<typeof maker>
