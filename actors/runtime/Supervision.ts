import {
  Cause,
  Clock,
  Context,
  Deferred,
  Effect,
  Exit,
  FiberMap,
  Layer,
  Metric,
  Option,
  Random,
  Schema,
  type Scope
} from "effect"
import {
  restartBackoffMaxMs,
  restartBackoffMinMs,
  restartWindowSec,
  restartsInWindowMax
} from "../../engine/rules/runtime/limits.ts"
import type { ActorNode } from "../../schema/ActorTree.ts"

const up = Metric.gauge("actor_up", { description: "1 while the actor runs" })
const restarts = Metric.counter("actor_restarts_total", { description: "restarts after a failure" })
const startedAt = Metric.gauge("actor_started_at_seconds", {
  description: "start of the current incarnation, in Unix seconds"
})

/** The actor failed too often in a short time: its parent has to restart. */
export class Escalated extends Schema.TaggedError<Escalated>()("Escalated", {
  actor: Schema.String,
  restarts: Schema.Int
}) {}

/** An operator restarts the actor. */
export class RestartAsked extends Schema.TaggedError<RestartAsked>()("RestartAsked", { by: Schema.String }) {}

/** Current state of the supervised actors, for operators. */
export class ActorTree extends Context.Service<
  ActorTree,
  {
    readonly nodes: Effect.Effect<ReadonlyArray<ActorNode>>
    readonly set: (node: ActorNode) => Effect.Effect<void>
    /** Ends the current incarnation of a running actor; the next one begins at once. False when none runs. */
    readonly restart: (name: string, by: string) => Effect.Effect<boolean>
    /** Fails when an operator restarts the incarnation that begins now. */
    readonly awaitRestart: (name: string) => Effect.Effect<Effect.Effect<never, RestartAsked>>
  }
>()("longwave/actors/ActorTree") {
  static readonly layer = Layer.sync(ActorTree, () => {
    const nodes = new Map<string, ActorNode>()
    const asked = new Map<string, Deferred.Deferred<never, RestartAsked>>()
    return ActorTree.of({
      nodes: Effect.sync(() => [...nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1))),
      set: (node) => Effect.sync(() => void nodes.set(node.name, node)),
      restart: (name, by) =>
        Effect.suspend(() => {
          const waiting = asked.get(name)
          return waiting === undefined || nodes.get(name)?.state !== "running"
            ? Effect.succeed(false)
            : Deferred.fail(waiting, new RestartAsked({ by }))
        }),
      awaitRestart: (name) =>
        Effect.map(Deferred.make<never, RestartAsked>(), (waiting) => {
          asked.set(name, waiting)
          return Deferred.await(waiting)
        })
    })
  })
}

/** Pause before a restart in ms. Doubles with every failure in the window; the jitter keeps siblings from restarting together. */
export const backoffMs = (falls: number, chance: number): number =>
  Math.min(restartBackoffMaxMs, restartBackoffMinMs * 2 ** Math.min(falls - 1, 16)) * (0.5 + chance / 2)

/**
 * Runs `child` forever, each incarnation in its own scope, and restarts it after it fails, dies or ends. More than `restartsInWindowMax`
 * failures in `restartWindowSec` fail with `Escalated`, so that the parent restarts. Interruption by a parent passes through.
 */
export const supervise = Effect.fnUntraced(function* <E, R>(name: string, child: Effect.Effect<unknown, E, R>) {
  const tree = yield* ActorTree
  const tagMetric = <Input, State>(metric: Metric.Metric<Input, State>) =>
    Metric.withAttributes(metric, { actor: name })
  // A counter first exported at 1 shows no increase.
  yield* Metric.update(tagMetric(restarts), 0)
  let falls: ReadonlyArray<number> = []
  let total = 0
  for (;;) {
    const begunMs = yield* Clock.currentTimeMillis
    yield* Metric.update(tagMetric(up), 1)
    yield* Metric.update(tagMetric(startedAt), begunMs / 1_000)
    yield* tree.set({ name, state: "running", startedAtMs: begunMs, restarts: total, lastFault: null })
    const asked = yield* tree.awaitRestart(name)
    const exit = yield* Effect.exit(Effect.raceFirst(Effect.scoped(child), asked))
    yield* Metric.update(tagMetric(up), 0)
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) {
      yield* tree.set({ name, state: "stopped", startedAtMs: begunMs, restarts: total, lastFault: null })
      return yield* Effect.failCause(exit.cause as Cause.Cause<never>)
    }
    const nowMs = yield* Clock.currentTimeMillis
    const by = Exit.isFailure(exit) ? Option.getOrNull(Exit.findErrorOption(exit)) : null
    if (by instanceof RestartAsked) {
      total += 1
      yield* Metric.update(tagMetric(restarts), 1)
      yield* tree.set({
        name,
        state: "restarting",
        startedAtMs: begunMs,
        restarts: total,
        lastFault: `restarted by ${by.by}`
      })
      yield* Effect.logInfo(`${name} is restarted by ${by.by}`)
      continue
    }
    falls = [...falls.filter((at) => at > nowMs - restartWindowSec * 1_000), nowMs]
    total += 1
    const fault = Exit.isFailure(exit) ? Cause.pretty(exit.cause).split("\n")[0]! : "ended"
    yield* Metric.update(tagMetric(restarts), 1)
    yield* tree.set({ name, state: "restarting", startedAtMs: begunMs, restarts: total, lastFault: fault })
    yield* Effect.logError(`${name} failed, incarnation ${total + 1} begins`, exit)
    if (falls.length > restartsInWindowMax) return yield* new Escalated({ actor: name, restarts: falls.length })
    yield* Effect.sleep(backoffMs(falls.length, yield* Random.next))
  }
})

/**
 * Supervises an actor without a parent: after an escalation it pauses for `restMs` and restarts, so a long store outage doesn't end the
 * actor.
 */
export const superviseForEver = <E, R>(name: string, restMs: number, child: Effect.Effect<unknown, E, R>) =>
  Effect.forever(
    Effect.catchTag(supervise(name, child), "Escalated", (fall) =>
      Effect.andThen(Effect.logError(`${name} falls again and again`, fall), Effect.sleep(restMs))
    )
  )

/** Logs a failure as a warning and succeeds. For work that is repeated anyway. Interruption passes through. */
export const logFailure = <A, E, R>(told: string, effect: Effect.Effect<A, E, R>) =>
  Effect.catchCause(Effect.asVoid(effect), (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.logWarning(told, cause)
  )

/** Supervises each child on its own. When one escalates, all end and the parent fails. */
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
