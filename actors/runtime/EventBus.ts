import { Clock, Context, Effect, Layer, Metric, PubSub, type Scope, Stream } from "effect"
import { metersKeptMs, metersMax } from "../../engine/rules/air/limits.ts"
import { busEventsMax, busEventsMaxAgeSec } from "../../engine/rules/runtime/limits.ts"
import type { StationEvent } from "../../schema/Events.ts"
import type { Snapshots } from "../../schema/air/Snapshots.ts"
import { EventLog } from "./EventLog.ts"

export type { EventLog, LogEntry } from "./EventLog.ts"

const alerts = Metric.counter("ops_alerts_total", { description: "alerts raised for operators, by subject" })

/** An event and when it was published. */
export interface Published {
  readonly atMs: number
  readonly event: StationEvent
}

/** The event streams of the HTTP interface. Each numbers its own events. */
export interface Logs {
  readonly nowPlaying: EventLog
  readonly chat: EventLog
  /** For operators. An event for one role is also for the roles that include it. */
  readonly ops: EventLog
  /** The latest lines of the log, each for readers of its level. */
  readonly lines: EventLog
  /** Levels of the programme; only the latest few are kept. */
  readonly meters: EventLog
}

/**
 * Publishes events to subscribers and holds the newest snapshots. Bounded: a slow subscriber loses the oldest events. Each HTTP stream can
 * replay its last events, for up to one hour.
 */
export class EventBus extends Context.Service<
  EventBus,
  {
    readonly publish: (event: StationEvent) => Effect.Effect<Published>
    /** Events published after the subscription. */
    readonly events: Stream.Stream<Published>
    readonly logs: Logs
    readonly put: <K extends keyof Snapshots>(name: K, value: Snapshots[K]) => Effect.Effect<void>
    readonly get: <K extends keyof Snapshots>(name: K) => Effect.Effect<Snapshots[K] | null>
    /** Registers a measurement of an actor until the scope closes. */
    readonly registerMeasure: (measure: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
    readonly measure: Effect.Effect<void>
  }
>()("longwave/actors/EventBus") {
  static readonly layer = Layer.effect(
    EventBus,
    Effect.gen(function* () {
      const epoch = yield* Clock.currentTimeMillis
      const live = yield* PubSub.sliding<Published>(busEventsMax)
      const log = () => new EventLog(epoch, { max: busEventsMax, maxAgeMs: busEventsMaxAgeSec * 1_000 })
      const logs: Logs = {
        nowPlaying: log(),
        chat: log(),
        ops: log(),
        lines: log(),
        meters: new EventLog(epoch, { max: metersMax, maxAgeMs: metersKeptMs })
      }
      const snapshots = new Map<keyof Snapshots, unknown>()
      const measures = new Set<Effect.Effect<void>>()
      return EventBus.of({
        publish: Effect.fnUntraced(function* (event) {
          const atMs = yield* Clock.currentTimeMillis
          const published: Published = { atMs, event }
          if (event._tag === "NowPlayingChanged") logs.nowPlaying.append("now-playing", event.nowPlaying, atMs)
          yield* PubSub.publish(live, published)
          if (event._tag === "OpsAlerted") {
            yield* Metric.update(Metric.withAttributes(alerts, { what: event.what }), 1)
            yield* Effect.logWarning(`alert: ${event.what}: ${event.detail}`)
          }
          return published
        }),
        events: Stream.fromPubSub(live),
        logs,
        put: (name, value) => Effect.sync(() => void snapshots.set(name, value)),
        get: <K extends keyof Snapshots>(name: K) =>
          Effect.sync(() => (snapshots.get(name) ?? null) as Snapshots[K] | null),
        registerMeasure: (measure) =>
          Effect.asVoid(
            Effect.acquireRelease(
              Effect.sync(() => measures.add(measure)),
              () => Effect.sync(() => measures.delete(measure))
            )
          ),
        measure: Effect.suspend(() => Effect.forEach([...measures], (measure) => measure, { discard: true }))
      })
    })
  )
}
