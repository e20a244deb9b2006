import { Clock, Context, Effect, Layer, Metric, PubSub, type Scope, Stream } from "effect"
import { CurrentAirOwnership } from "../../engine/ports/AirOwnership.ts"
import { metersKeptMs, metersMax } from "../../engine/rules/air/limits.ts"
import { Changes, Sources } from "../../engine/store/sql/Changes.ts"
import { busEventsMax, busEventsMaxAgeSec } from "../../engine/rules/runtime/limits.ts"
import type { StationEvent } from "../../schema/Events.ts"
import { isSharedSnapshot, type SharedSnapshot, type Snapshots } from "../../schema/air/Snapshots.ts"
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

/** What the other processes of the station learn from this one, or this one from them. */
export type PeerNote =
  | { readonly _tag: "Event"; readonly atMs: number; readonly event: StationEvent }
  | { readonly _tag: "Snapshot"; readonly name: SharedSnapshot; readonly value: unknown }
  /** A change of the chat's board. */
  | { readonly _tag: "Chat"; readonly change: unknown }
  /** Requests since the last note, by rate limit and caller: see `RateLimits`. */
  | { readonly _tag: "Requests"; readonly spent: Readonly<Record<string, number>> }

/** The bus of a station that runs in several processes: what happens in one is published in all. */
export interface Peers {
  /** Calls `told` with what happens in this process. The returned function unsubscribes. */
  readonly listen: (told: (note: PeerNote) => void) => () => void
  /** Tells the other processes. */
  readonly tell: (note: PeerNote) => void
  /** Publishes what happened in another process. Notes of the air count only while this process doesn't have it. */
  readonly accept: (note: PeerNote) => Effect.Effect<void>
  /** Runs `change` for each change of the chat in another process. */
  readonly onChat: (change: (change: unknown) => Effect.Effect<void>) => void
  /** Calls `count` with the requests that another process has counted. */
  readonly onRequests: (count: (spent: Readonly<Record<string, number>>) => Effect.Effect<void>) => void
  /** The snapshots that this process may share now. */
  readonly snapshots: () => ReadonlyArray<PeerNote>
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
    readonly peers: Peers
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
      const changes = yield* Changes
      const sources = new Map<string, ReadonlySet<string>>()
      const sourceOf = (name: keyof Snapshots): ReadonlySet<string> => {
        const source = sources.get(name) ?? new Set([`@${name}`])
        sources.set(name, source)
        return source
      }
      const measures = new Set<Effect.Effect<void>>()
      const ownership = yield* CurrentAirOwnership
      const listeners = new Set<(note: PeerNote) => void>()
      const tell = (note: PeerNote) => {
        for (const told of listeners) told(note)
      }
      let onChat: (change: unknown) => Effect.Effect<void> = () => Effect.void
      let onRequests: (spent: Readonly<Record<string, number>>) => Effect.Effect<void> = () => Effect.void
      /** An item that a snapshot has shown already isn't told again by its event. */
      const appendNowPlaying = (nowPlaying: Snapshots["nowPlaying"], atMs: number) => {
        const last = logs.nowPlaying.last?.data as Snapshots["nowPlaying"] | undefined
        if (last?.item.id === nowPlaying.item.id && last.item.airSample === nowPlaying.item.airSample) return
        logs.nowPlaying.append("now-playing", nowPlaying, atMs)
      }
      const accept = Effect.fnUntraced(function* (note: PeerNote) {
        if (note._tag === "Chat") return yield* onChat(note.change)
        if (note._tag === "Requests") return yield* onRequests(note.spent)
        if (note._tag === "Snapshot") {
          if (ownership.holds()) return
          if (note.name === "nowPlaying")
            appendNowPlaying(note.value as Snapshots["nowPlaying"], yield* Clock.currentTimeMillis)
          snapshots.set(note.name, note.value)
          return changes.note(sourceOf(note.name))
        }
        const { atMs, event } = note
        if (event._tag === "NowPlayingChanged") appendNowPlaying(event.nowPlaying, atMs)
        yield* PubSub.publish(live, { atMs, event })
      })
      return EventBus.of({
        publish: Effect.fnUntraced(function* (event) {
          const atMs = yield* Clock.currentTimeMillis
          const published: Published = { atMs, event }
          if (event._tag === "NowPlayingChanged") logs.nowPlaying.append("now-playing", event.nowPlaying, atMs)
          yield* PubSub.publish(live, published)
          tell({ _tag: "Event", ...published })
          if (event._tag === "OpsAlerted") {
            yield* Metric.update(Metric.withAttributes(alerts, { what: event.what }), 1)
            yield* Effect.logWarning(`alert: ${event.what}: ${event.detail}`)
          }
          return published
        }),
        events: Stream.fromPubSub(live),
        logs,
        put: (name, value) =>
          Effect.sync(() => {
            // The owner's listeners are the station's.
            if (name === "listeners" && !ownership.holds() && snapshots.has("listeners")) return
            snapshots.set(name, value)
            changes.note(sourceOf(name))
            if (isSharedSnapshot(name) && ownership.holds()) tell({ _tag: "Snapshot", name, value })
          }),
        get: <K extends keyof Snapshots>(name: K) =>
          Effect.withFiber((fiber) => {
            fiber.getRef(Sources)?.push(sourceOf(name))
            return Effect.succeed((snapshots.get(name) ?? null) as Snapshots[K] | null)
          }),
        peers: {
          listen: (told) => {
            listeners.add(told)
            return () => listeners.delete(told)
          },
          tell,
          accept,
          onChat: (change) => {
            onChat = change
          },
          onRequests: (count) => {
            onRequests = count
          },
          snapshots: () =>
            ownership.holds()
              ? [...snapshots].flatMap(([name, value]) =>
                  isSharedSnapshot(name) ? [{ _tag: "Snapshot", name, value } as const] : []
                )
              : []
        },
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
