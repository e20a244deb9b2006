import { Clock, Context, Effect, Layer, Metric, PubSub, type Scope, Stream } from "effect"
import { busEventsMax, busEventsMaxAgeSec } from "../engine/Limits.ts"
import type { StationEvent } from "../schema/Events.ts"
import type { Snapshots } from "../schema/Snapshots.ts"

const alerts = Metric.counter("ops_alerts_total", { description: "what operators were told of, by what it was" })

/** An event with its place in the order: ids rise within an epoch, and a new epoch is a new start of the process. */
export interface Published {
  readonly id: string
  readonly sequence: number
  readonly atMs: number
  readonly event: StationEvent
}

export interface Replay {
  /** What came after the id that was asked for. */
  readonly missed: ReadonlyArray<Published>
  /** The id is too old or from another epoch: nobody knows what was missed, begin with a snapshot. */
  readonly tooOld: boolean
}

/**
 * What happened, told to whoever listens, and how things stand, for whoever asks. Bounded: the last events of an hour can
 * be had again, slow listeners lose the oldest instead of holding up the rest.
 */
export class Bus extends Context.Service<Bus, {
  readonly publish: (event: StationEvent) => Effect.Effect<Published>
  /** Live from now on. */
  readonly events: Stream.Stream<Published>
  readonly since: (id: string) => Effect.Effect<Replay>
  /**
   * Live from now on, with what came after `id` where one is given, and nothing lost or told twice in between. `id` in the
   * answer is where the stream begins: who has that missed nothing before it.
   */
  readonly follow: (id: string | null) => Effect.Effect<{ readonly id: string; readonly replay: Replay | null; readonly live: Stream.Stream<Published> }, never, Scope.Scope>
  readonly put: <K extends keyof Snapshots>(name: K, value: Snapshots[K]) => Effect.Effect<void>
  readonly get: <K extends keyof Snapshots>(name: K) => Effect.Effect<Snapshots[K] | null>
  /** Registers what measures an actor, for as long as the scope is open. */
  readonly measuring: (measure: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  /** Measures all of them as they stand now. */
  readonly measure: Effect.Effect<void>
}>()("longwave/actors/Bus") {
  static readonly layer = Layer.effect(Bus, Effect.gen(function*() {
    const epoch = yield* Clock.currentTimeMillis
    const live = yield* PubSub.sliding<Published>(busEventsMax)
    let kept: ReadonlyArray<Published> = []
    const snapshots = new Map<keyof Snapshots, unknown>()
    const measures = new Set<Effect.Effect<void>>()
    let count = 0
    const since = Effect.fnUntraced(function*(id: string): Effect.fn.Return<Replay> {
      const after = /^(\d+)-(\d+)$/.exec(id)
      const nowMs = yield* Clock.currentTimeMillis
      const all = kept.filter(({ atMs }) => atMs > nowMs - busEventsMaxAgeSec * 1_000)
      const last = Number(after?.[2])
      if (after === null || Number(after[1]) !== epoch || last > count) return { missed: [], tooOld: true }
      const missed = all.filter(({ sequence }) => sequence > last)
      return missed.length === count - last ? { missed, tooOld: false } : { missed: [], tooOld: true }
    })
    return Bus.of({
      publish: Effect.fnUntraced(function*(event) {
        const atMs = yield* Clock.currentTimeMillis
        count += 1
        const published: Published = { id: `${epoch}-${count}`, sequence: count, atMs, event }
        kept = [...kept.slice(1 - busEventsMax), published]
        yield* PubSub.publish(live, published)
        if (event._tag === "OpsAlerted") {
          yield* Metric.update(Metric.withAttributes(alerts, { what: event.what }), 1)
          yield* Effect.logWarning(`alert: ${event.what}: ${event.detail}`)
        }
        return published
      }),
      events: Stream.fromPubSub(live),
      follow: Effect.fnUntraced(function*(id) {
        const subscription = yield* PubSub.subscribe(live)
        // From here on `live` has everything; what is kept already is left out of it.
        const begun = count
        const replay = id === null ? null : yield* since(id)
        const told = Math.max(begun, replay?.missed.at(-1)?.sequence ?? 0)
        return { id: `${epoch}-${told}`, replay, live: Stream.filter(Stream.fromSubscription(subscription), ({ sequence }) => sequence > told) }
      }),
      since,
      put: (name, value) => Effect.sync(() => void snapshots.set(name, value)),
      get: <K extends keyof Snapshots>(name: K) => Effect.sync(() => (snapshots.get(name) ?? null) as Snapshots[K] | null),
      measuring: (measure) => Effect.asVoid(Effect.acquireRelease(Effect.sync(() => measures.add(measure)), () => Effect.sync(() => measures.delete(measure)))),
      measure: Effect.suspend(() => Effect.forEach([...measures], (measure) => measure, { discard: true }))
    })
  }))
}
