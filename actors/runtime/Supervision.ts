import { Cause, Clock, Context, Effect, Exit, FiberMap, Layer, Metric, Random, Schema, type Scope } from "effect"
import {
  restartBackoffMaxMs,
  restartBackoffMinMs,
  restartWindowSec,
  restartsInWindowMax
} from "../../engine/rules/runtime/limits.ts"
import type { ActorNode } from "../../schema/ActorTree.ts"

const up = Metric.gauge("actor_up", { description: "1 while the actor runs" })
const restarts = Metric.counter("actor_restarts_total", { description: "incarnations begun after a failure" })
const startedAt = Metric.gauge("actor_started_at_seconds", { description: "when the present incarnation began" })

/** It fell too often in too short a time: what keeps felling it is not its own affair any more. */
export class Escalated extends Schema.TaggedError<Escalated>()("Escalated", {
  actor: Schema.String,
  restarts: Schema.Int
}) {}

/** The actors as they stand now, for operators. */
export class ActorTree extends Context.Service<
  ActorTree,
  {
    readonly nodes: Effect.Effect<ReadonlyArray<ActorNode>>
    readonly set: (node: ActorNode) => Effect.Effect<void>
  }
>()("longwave/actors/ActorTree") {
  static readonly layer = Layer.sync(ActorTree, () => {
    const nodes = new Map<string, ActorNode>()
    return ActorTree.of({
      nodes: Effect.sync(() => [...nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1))),
      set: (node) => Effect.sync(() => void nodes.set(node.name, node))
    })
  })
}

/** Waits double with every fall in the window, with jitter so that siblings don't come back in step. */
export const backoffMs = (falls: number, chance: number): number =>
  Math.min(restartBackoffMaxMs, restartBackoffMinMs * 2 ** Math.min(falls - 1, 16)) * (0.5 + chance / 2)

/**
 * Runs `child` for ever: each incarnation in a scope of its own, begun anew after it fails, dies or ends. More than
 * `restartsInWindowMax` falls in `restartWindowSec` fail with `Escalated`, for the parent to begin anew itself.
 * Interruption, which is how parents end their children, goes through.
 */
export const supervise = Effect.fnUntraced(function* <E, R>(name: string, child: Effect.Effect<unknown, E, R>) {
  const tree = yield* ActorTree
  const tagged = <Input, State>(metric: Metric.Metric<Input, State>) => Metric.withAttributes(metric, { actor: name })
  // A counter that appears with the first fall shows no rise.
  yield* Metric.update(tagged(restarts), 0)
  let falls: ReadonlyArray<number> = []
  let total = 0
  for (;;) {
    const begunMs = yield* Clock.currentTimeMillis
    yield* Metric.update(tagged(up), 1)
    yield* Metric.update(tagged(startedAt), begunMs / 1_000)
    yield* tree.set({ name, state: "running", startedAtMs: begunMs, restarts: total, lastFault: null })
    const exit = yield* Effect.exit(Effect.scoped(child))
    yield* Metric.update(tagged(up), 0)
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) {
      yield* tree.set({ name, state: "stopped", startedAtMs: begunMs, restarts: total, lastFault: null })
      return yield* Effect.failCause(exit.cause as Cause.Cause<never>)
    }
    const nowMs = yield* Clock.currentTimeMillis
    falls = [...falls.filter((at) => at > nowMs - restartWindowSec * 1_000), nowMs]
    total += 1
    const fault = Exit.isFailure(exit) ? Cause.pretty(exit.cause).split("\n")[0]! : "ended"
    yield* Metric.update(tagged(restarts), 1)
    yield* tree.set({ name, state: "restarting", startedAtMs: begunMs, restarts: total, lastFault: fault })
    yield* Effect.logError(`${name} fell, incarnation ${total + 1} begins`, exit)
    if (falls.length > restartsInWindowMax) return yield* new Escalated({ actor: name, restarts: falls.length })
    yield* Effect.sleep(backoffMs(falls.length, yield* Random.next))
  }
})

/** For who has no parent to escalate to: rests, and begins anew. A store that was away for minutes must not end it for good. */
export const superviseForEver = <E, R>(name: string, restMs: number, child: Effect.Effect<unknown, E, R>) =>
  Effect.forever(
    Effect.catchTag(supervise(name, child), "Escalated", (fall) =>
      Effect.andThen(Effect.logError(`${name} falls again and again`, fall), Effect.sleep(restMs))
    )
  )

/** Logs a failure and goes on, for work that is tried again anyway. */
export const logFailure = <A, E, R>(told: string, effect: Effect.Effect<A, E, R>) =>
  Effect.catchCause(Effect.asVoid(effect), (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.logWarning(told, cause)
  )

/** Children that live and fall apart from each other; when one escalates, all end and the parent fails with it. */
export const superviseAll = Effect.fnUntraced(function* <E, R>(
  parent: string,
  children: Record<string, Effect.Effect<unknown, E, R>>
): Effect.fn.Return<never, Escalated, Exclude<R, Scope.Scope> | ActorTree | Scope.Scope> {
  const fibers = yield* FiberMap.make<string, never, Escalated>()
  for (const [name, child] of Object.entries(children)) {
    yield* FiberMap.run(
      fibers,
      name,
      supervise(`${parent}/${name}`, child) as Effect.Effect<never, Escalated, Exclude<R, Scope.Scope> | ActorTree>
    )
  }
  return yield* Effect.andThen(FiberMap.join(fibers), Effect.never)
})
