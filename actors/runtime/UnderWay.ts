import { Effect } from "effect"
import type { Progress } from "../../schema/operations/Progress.ts"
import { EventBus } from "./EventBus.ts"

/** Says how far the work is. */
export type Told = (done: number, total: number) => Effect.Effect<void>

/** For work that nobody follows. */
export const untold: Told = () => Effect.void

let works = 0

/**
 * Runs work that takes long, and shows operators how far it is for as long as it runs. For work of this process: what outlives a restart keeps
 * its progress in its row.
 */
export const withProgress = <A, E, R>(
  { kind, subject }: Pick<Progress, "kind" | "subject">,
  work: (told: Told) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | EventBus> =>
  Effect.gen(function* () {
    const bus = yield* EventBus
    const key = ++works
    const change = (apply: (all: Map<number, Progress>) => void) =>
      Effect.flatMap(bus.get("underWay"), (before) => {
        const all = new Map(before ?? [])
        apply(all)
        return bus.put("underWay", all)
      })
    const told: Told = (done, total) => change((all) => void all.set(key, { kind, subject, done, total }))
    return yield* Effect.acquireUseRelease(
      told(0, 100),
      () => work(told),
      () => change((all) => void all.delete(key))
    )
  })
