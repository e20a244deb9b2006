import { Effect, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { get } from "node:http"

export interface ToldEvent {
  readonly id: string | undefined
  readonly event: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
}

export const portOf = Effect.map(HttpServer.HttpServer, ({ address }) => (address as { readonly port: number }).port)

export const eventsIn = (text: string): ReadonlyArray<ToldEvent> =>
  text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1]
      const event = field("event")
      return event === undefined
        ? []
        : [{ id: field("id"), event, data: JSON.parse(field("data") ?? "null") as unknown }]
    })

/** A reader of an event stream: the events so far, and the end. */
export const follow = Effect.fnUntraced(function* (path: string, headers: Record<string, string> = {}) {
  const port = yield* portOf
  return yield* Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{
          text: () => string
          listEvents: () => ReadonlyArray<ToldEvent>
          status: number
          headers: Record<string, unknown>
          leave: () => void
          isClosed: () => boolean
        }>((resolve, reject) => {
          const request = get({ port, host: "127.0.0.1", path, headers, agent: false }, (response) => {
            let text = ""
            let closed = false
            /** Each event is read once, however often a test looks. */
            const events: Array<ToldEvent> = []
            let begun = ""
            response
              .setEncoding("utf8")
              .on("data", (piece: string) => {
                text += piece
                begun += piece
                const end = begun.lastIndexOf("\n\n") + 2
                if (end < 2) return
                events.push(...eventsIn(begun.slice(0, end)))
                begun = begun.slice(end)
              })
              .on("close", () => (closed = true))
              .on("error", () => (closed = true))
            resolve({
              text: () => text,
              status: response.statusCode!,
              headers: response.headers,
              leave: () => request.destroy(),
              isClosed: () => closed,
              listEvents: () => [...events]
            })
          }).on("error", reject)
        })
    ),
    ({ leave }) => Effect.sync(leave)
  )
})

/** Waits until the condition holds. The test's own time limit applies. */
export const awaitTrue = (what: () => boolean) =>
  Effect.sync(what).pipe(Effect.repeat({ schedule: Schedule.spaced("5 millis"), until: (holds) => holds }))
