import { Clock, Effect, Fiber, FiberMap, Layer, Option, Schema } from "effect"
import { Sharding } from "effect/cluster"
import type { TLSSocket } from "node:tls"
import {
  peerBeatMs,
  peerLineBytesMax,
  peerNotesMax,
  peerNotesMaxAgeMs,
  peerRetryMs,
  peerSilenceMs,
  peerUnsentBytesMax,
  shardsLookMs
} from "../../engine/rules/runtime/limits.ts"
import { ActorNode, StandbyFigures } from "../../schema/ActorTree.ts"
import { StationEvent } from "../../schema/Events.ts"
import { isSharedSnapshot, sharedSnapshots } from "../../schema/air/Snapshots.ts"
import { AirHolding } from "./AirHolding.ts"
import { EventBus, type PeerNote } from "./EventBus.ts"
import { EventLog, type LogEntry } from "./EventLog.ts"
import { connectTo, Peer, RunnersSeen } from "./Peer.ts"

const event = Schema.toCodecJson(StationEvent)
const encodeEvent = Schema.encodeUnknownOption(event)
const decodeEvent = Schema.decodeUnknownOption(event)
const snapshots = Object.fromEntries(
  Object.entries(sharedSnapshots).map(([name, schema]) => {
    if (schema === null) return [name, { encode: Option.some<unknown>, decode: Option.some<unknown> }]
    const codec = Schema.toCodecJson(schema as Schema.Codec<unknown, unknown>)
    return [name, { encode: Schema.encodeUnknownOption(codec), decode: Schema.decodeUnknownOption(codec) }]
  })
)

/** A line between two processes. `id` is that of the note in the sender's log; without one it is a state, of which the last counts. */
const Line = Schema.Struct({
  id: Schema.NullOr(Schema.String),
  atMs: Schema.Finite,
  kind: Schema.Literals(["event", "snapshot", "chat", "requests", "reset", "figures", "left"]),
  name: Schema.String,
  data: Schema.Unknown
})
type Line = typeof Line.Type
/** What a process tells of itself, every second. */
const Figures = Schema.Struct({
  entities: Schema.Int,
  startedAtMs: Schema.Finite,
  /** An earlier version tells nothing of these. */
  standby: Schema.optionalKey(Schema.NullOr(StandbyFigures)),
  actors: Schema.optionalKey(Schema.Array(ActorNode)),
  /** The token with which it has the air; null if it hasn't. */
  fence: Schema.optionalKey(Schema.NullOr(Schema.Finite))
})
type Figures = typeof Figures.Type
const decodeRequests = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Finite))
const decodeFigures = Schema.decodeUnknownOption(Figures)
const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(Line))

const lineOf = (note: PeerNote, id: string | null, atMs: number): Line | null => {
  switch (note._tag) {
    case "Event":
      return Option.match(encodeEvent(note.event), {
        onNone: () => null,
        onSome: (data) => ({ id, atMs: note.atMs, kind: "event" as const, name: note.event._tag, data })
      })
    case "Snapshot":
      return Option.match(snapshots[note.name]!.encode(note.value), {
        onNone: () => null,
        onSome: (data) => ({ id, atMs, kind: "snapshot" as const, name: note.name, data })
      })
    case "Chat":
      return { id, atMs, kind: "chat", name: "", data: note.change }
    case "Requests":
      return { id, atMs, kind: "requests", name: "", data: note.spent }
  }
}
/** Null for what this version doesn't know. */
const noteOf = ({ atMs, data, kind, name }: Line): PeerNote | null => {
  if (kind === "chat") return { _tag: "Chat", change: data }
  if (kind === "requests")
    return Option.match(decodeRequests(data), {
      onNone: () => null,
      onSome: (spent) => ({ _tag: "Requests" as const, spent })
    })
  if (kind === "event") {
    const found = Option.getOrNull(decodeEvent(data))
    return found === null ? null : { _tag: "Event", atMs, event: found }
  }
  if (kind !== "snapshot" || !isSharedSnapshot(name)) return null
  return Option.match(snapshots[name]!.decode(data), {
    onNone: () => null,
    onSome: (value) => ({ _tag: "Snapshot" as const, name, value })
  })
}

/** Splits bytes into lines. A line that is too long ends the connection. */
const readLines = (socket: TLSSocket, told: (line: string) => void) => {
  let rest = ""
  socket.setEncoding("utf8")
  socket.on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop()!
    if (rest.length > peerLineBytesMax) return void socket.destroy()
    for (const line of lines) if (line !== "") told(line)
  })
  // The port hands it over paused.
  socket.resume()
}

/** Sends what happens in this process to those that ask, from where they were. */
const serveNews = Effect.fnUntraced(function* (figures: Effect.Effect<Figures>) {
  const { peers } = yield* EventBus
  const seen = yield* RunnersSeen
  const { port } = yield* Peer
  const clock = yield* Clock.Clock
  const log = new EventLog(clock.currentTimeMillisUnsafe(), { max: peerNotesMax, maxAgeMs: peerNotesMaxAgeMs })
  const readers = new Set<TLSSocket>()
  const send = (socket: TLSSocket, line: Line | null) => {
    if (line === null || socket.destroyed) return
    // A reader that takes nothing comes again and asks from where it was.
    if (socket.writableLength > peerUnsentBytesMax) return void socket.destroy()
    socket.write(`${JSON.stringify(line)}\n`)
  }
  const lineOfEntry = ({ atMs, data, id }: LogEntry) => lineOf(data as PeerNote, id, atMs)
  const unlisten = peers.listen((note) => {
    const atMs = clock.currentTimeMillisUnsafe()
    // States, and counts that are out of date when a lost connection is back, are sent once.
    if (note._tag === "Snapshot" || note._tag === "Requests") {
      if (readers.size === 0) return
      const line = lineOf(note, null, atMs)
      for (const reader of readers) send(reader, line)
      return
    }
    const line = lineOfEntry(log.append(note._tag, note, atMs))
    for (const reader of readers) send(reader, line)
  })
  yield* Effect.addFinalizer(() => Effect.sync(unlisten))
  // Readers take a connection without a beat for a lost one.
  const beat = Effect.map(figures, (data) => {
    const line: Line = { id: null, atMs: clock.currentTimeMillisUnsafe(), kind: "figures", name: "", data }
    for (const reader of readers) send(reader, line)
  })
  const tellLeft = () => {
    const line: Line = { id: null, atMs: clock.currentTimeMillisUnsafe(), kind: "left", name: "", data: null }
    for (const reader of readers) send(reader, line)
  }
  // Its actors may take a moment to stop. Until they have, and have given their leases back, the others must not take it for dead.
  seen.onStop(tellLeft)
  yield* Effect.addFinalizer(() => Effect.sync(tellLeft))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(beat, Effect.sleep(peerBeatMs))))
  port.accept("longwave-news", (socket) => {
    let isAsked = false
    readLines(socket, (since) => {
      if (isAsked) return
      isAsked = true
      const atMs = clock.currentTimeMillisUnsafe()
      const missed = log.listSince(since, atMs)
      for (const note of peers.snapshots()) send(socket, lineOf(note, null, atMs))
      if (missed === null) send(socket, { id: log.head, atMs, kind: "reset", name: "", data: null })
      else for (const entry of missed) send(socket, lineOfEntry(entry))
      readers.add(socket)
    })
    socket.setTimeout(peerSilenceMs, () => {
      if (!isAsked) socket.destroy()
    })
    socket.once("close", () => readers.delete(socket))
  })
})

/** What this process knows of another one. */
interface Known {
  figures: Figures | null
  /** It said that it stops. */
  hasLeft: boolean
}

/** Follows one other process until the scope closes. */
const follow = Effect.fnUntraced(function* (
  name: string,
  known: Known
): Effect.fn.Return<never, never, AirHolding | EventBus | Peer> {
  const { peers } = yield* EventBus
  const { ownership } = yield* AirHolding
  const { cluster } = yield* Peer
  const colon = name.lastIndexOf(":")
  const address = { host: name.slice(0, colon), port: Number(name.slice(colon + 1)) }
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const publishHere = (event: StationEvent) =>
    Effect.flatMap(Clock.currentTimeMillis, (atMs) => peers.accept({ _tag: "Event", atMs, event }))
  let since = "none"
  const accept = Effect.fnUntraced(function* (line: Line) {
    if (line.kind === "figures") {
      known.figures = Option.getOrNull(decodeFigures(line.data))
      // A process that is cut off from the store can learn only from the next owner that it has lost the air.
      if (ownership.see(known.figures?.fence ?? 0))
        yield* Effect.logWarning(`${name} has the air: this process lost it without a word from the database.`)
      return
    }
    if (line.kind === "left") {
      known.hasLeft = true
      return yield* publishHere({ _tag: "ProcessLeft", name })
    }
    if (line.kind === "reset") {
      // It may have stopped and be back.
      known.hasLeft = false
      yield* publishHere({ _tag: "ProcessJoined", name })
    } else {
      const note = noteOf(line)
      if (note !== null) yield* peers.accept(note)
    }
    if (line.id !== null) since = line.id
  })
  const read = Effect.gen(function* () {
    const socket = yield* connectTo(cluster, address, "longwave-news")
    socket.write(`${since}\n`)
    socket.setTimeout(peerSilenceMs, () => socket.destroy())
    let before: Fiber.Fiber<void> | null = null
    readLines(socket, (text) => {
      const line = decodeLine(text)
      if (Option.isNone(line)) return
      const waited = before
      before = run(
        Effect.andThen(
          waited === null ? Effect.void : Fiber.await(waited),
          Effect.ignoreCause(accept(line.value), { log: "Warn" })
        )
      )
    })
    yield* Effect.callback<void>((resume) => {
      socket.once("close", () => resume(Effect.void))
      if (socket.destroyed) resume(Effect.void)
    })
  })
  return yield* Effect.forever(Effect.andThen(Effect.ignore(Effect.scoped(read)), Effect.sleep(peerRetryMs)))
})

/**
 * Carries the event bus to the other processes. Each process follows every other over its own connection. After a lost connection it continues at the last
 * event it received. If that event is no longer kept, or the other process has restarted, readers get `ProcessJoined` and read their state again.
 */
export const PeerNews: Layer.Layer<never, never, AirHolding | EventBus | Peer | RunnersSeen | Sharding.Sharding> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const bus = yield* EventBus
      const { cluster } = yield* Peer
      const holding = yield* AirHolding
      const seen = yield* RunnersSeen
      const sharding = yield* Sharding.Sharding
      const startedAtMs = yield* Clock.currentTimeMillis
      const own = Effect.gen(function* () {
        const standby = yield* bus.get("standby")
        const actors = (yield* bus.get("actors")) ?? []
        const fence = holding.ownership.holds() ? holding.ownership.fence() : null
        return { entities: yield* sharding.activeEntityCount, startedAtMs, standby, actors, fence }
      })
      yield* serveNews(own)
      const following = yield* FiberMap.make<string, never>()
      const known = new Map<string, Known>()
      /** Processes that ended without a word, until the one that has the air has told of them. */
      const missing = new Set<string>()
      const look = Effect.gen(function* () {
        const names = seen.names().toSorted()
        for (const name of [...known.keys()].filter((name) => !names.includes(name))) {
          if (known.get(name)?.hasLeft === false) {
            missing.add(name)
            const atMs = yield* Clock.currentTimeMillis
            yield* bus.peers.accept({ _tag: "Event", atMs, event: { _tag: "ProcessLeft", name } })
          }
          known.delete(name)
          yield* FiberMap.remove(following, name)
        }
        for (const name of names) {
          missing.delete(name)
          if (name === cluster.name || known.has(name)) continue
          const other: Known = { figures: null, hasLeft: false }
          known.set(name, other)
          yield* FiberMap.run(following, name, follow(name, other))
        }
        if (holding.ownership.holds())
          for (const name of missing) {
            missing.delete(name)
            yield* bus.publish({
              _tag: "OpsAlerted",
              what: "process",
              detail: `The process ${name} is missing: it ended or froze without being stopped. Its actors run in the others.`
            })
          }
        yield* bus.put(
          "actorsElsewhere",
          [...known.values()].flatMap(({ figures }) => figures?.actors ?? [])
        )
        const holder = holding.holder()
        const mine = yield* own
        yield* bus.put(
          "processes",
          names.map((name) => {
            const air = holder?.owner === name ? holder : null
            const figures = name === cluster.name ? mine : (known.get(name)?.figures ?? null)
            return {
              name,
              isThis: name === cluster.name,
              hasAir: air !== null,
              airSinceMs: air?.sinceMs ?? null,
              airReason: air?.reason ?? null,
              standby: air === null ? (figures?.standby ?? null) : null,
              entities: figures?.entities ?? null,
              startedAtMs: figures?.startedAtMs ?? null
            }
          })
        )
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(shardsLookMs))))
    })
  )
