import { Clock, Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { edgeEventsMax, edgeEventsRetryMs, edgeEventMaxChars, edgePatienceMs } from "../../engine/rules/air/limits.ts"
import { Origins } from "../../engine/ports/Origins.ts"
import type { AddressOf } from "../server/Address.ts"
import { openToAll } from "../fastpath/StreamAnswers.ts"
import type { Refusal } from "../fastpath/BareProblem.ts"
import type { Snapshot } from "../stream/events/EventFanout.ts"
import { serveLog } from "../stream/events/EventRounds.ts"
import { responseSink } from "../stream/events/NodeSink.ts"
import type { ReaderPlaces } from "../stream/events/ReaderPlaces.ts"
import { fromBase, RelayedLog } from "./RelayedLog.ts"

interface SentEvent {
  readonly name: string
  readonly data: unknown
  readonly id: string | null
}

/** Events of a stream in the format of the HTML standard; anything unreadable is left out. */
export const eventParser = (on: (event: SentEvent) => void): ((text: string) => void) => {
  let rest = ""
  return (text) => {
    const blocks = (rest + text).split("\n\n")
    rest = blocks.pop()!
    if (rest.length > edgeEventMaxChars) rest = ""
    for (const block of blocks) {
      const fields = new Map(
        block
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as const)
      )
      const [name, data] = [fields.get("event"), fields.get("data")]
      if (name === undefined || data === undefined) continue
      try {
        on({ name, data: JSON.parse(data), id: fields.get("id") ?? null })
      } catch {
        continue
      }
    }
  }
}

/** The item's position when it was told, and how long ago that was. */
const movedOn = (data: unknown, elapsedSec: number): unknown => {
  const { item } = data as { readonly item?: { readonly positionSec?: number } }
  return item?.positionSec === undefined
    ? data
    : { ...(data as object), item: { ...item, positionSec: Math.round((item.positionSec + elapsedSec) * 1e3) / 1e3 } }
}

export interface RelayedStream {
  /** Path at the origin. */
  readonly path: string
  /** Whether an event of this name holds the whole state. */
  readonly isBase: (name: string) => boolean
  /** Whether a position in it moves on while nothing is sent. */
  readonly moves: boolean
}

/** One event stream of the origin, read once and sent to all readers of this edge. */
export const relayEvents = Effect.fnUntraced(function* (
  { isBase, moves, path }: RelayedStream,
  {
    addressOf,
    places,
    refuse
  }: {
    readonly addressOf: AddressOf
    readonly places: ReaderPlaces
    readonly refuse: (response: ServerResponse, refusal: Refusal) => void
  }
) {
  const origins = yield* Origins
  const clock = yield* Clock.Clock
  const log = new RelayedLog(edgeEventsMax, isBase)
  let known: { readonly sec: number; readonly of: unknown; readonly snapshot: Snapshot } | null = null
  const snapshot = (): Snapshot | null => {
    const last = moves ? log.last : undefined
    if (last === undefined) return null
    const elapsedSec = Math.max(0, (clock.currentTimeMillisUnsafe() - last.atMs) / 1e3)
    const sec = Math.floor(elapsedSec)
    if (known?.sec !== sec || known.of !== last)
      known = { sec, of: last, snapshot: { name: last.name, data: movedOn(last.data, elapsedSec) } }
    return known.snapshot
  }
  const fanout = yield* serveLog(log, snapshot)

  const read = (response: IncomingMessage) =>
    Effect.callback<void>((resume) => {
      const parse = eventParser(({ data, id, name }) => {
        if (id !== null) log.append(name, data, id, clock.currentTimeMillisUnsafe())
        // Heartbeats of this process reach its readers.
        else if (name !== "heartbeat") fanout.beat(name, data)
      })
      response.setEncoding("utf8")
      response.on("data", parse)
      response.on("close", () => resume(Effect.void))
    })
  yield* Effect.gen(function* () {
    const origin = origins.current()
    const response = yield* origins.open(origin, {
      path,
      headers: {
        accept: "text/event-stream",
        ...(log.isWhole && log.head !== "" ? { "last-event-id": log.head } : {})
      },
      timeoutMs: edgePatienceMs
    })
    if (response.statusCode !== 200) return
    let wasWhole = false
    yield* Effect.raceFirst(
      read(response),
      Effect.sync(() => {
        wasWhole ||= log.isWhole
        // After many changes the whole state is asked for anew: readers that come later begin with it.
        return origins.current() === origin && (log.isWhole || !wasWhole)
      }).pipe(Effect.delay(edgeEventsRetryMs), Effect.repeat({ while: (stays) => stays }))
    )
  }).pipe(
    Effect.scoped,
    Effect.ignore,
    Effect.andThen(Effect.sleep(edgeEventsRetryMs)),
    Effect.forever,
    Effect.forkScoped
  )

  const handle = (request: IncomingMessage, response: ServerResponse, lastEventId: string | null): void => {
    const address = addressOf(request.socket.remoteAddress, request.headers["x-forwarded-for"]?.toString())
    const refusal = places.enter(address)
    if (refusal !== null) return refuse(response, refusal)
    response.writeHead(200, {
      ...openToAll,
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no"
    })
    const given = request.headers["last-event-id"]?.toString() ?? lastEventId
    const isKnown = given !== null && log.listSince(given) !== null
    const leave = fanout.join(
      { sink: responseSink(response, () => response.end()), viewer: null },
      isKnown ? given : moves ? null : fromBase,
      clock.currentTimeMillisUnsafe()
    )
    response.once("close", () => {
      leave()
      places.leave(address)
    })
  }
  return { handle, isReady: () => log.isWhole }
})
