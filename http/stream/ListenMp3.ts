import { Effect, Schedule, type Scope } from "effect"
import { icyIntervalBytes, mp3BurstMaxMs, mp3BurstMs } from "../../engine/rules/air/limits.ts"
import type { Live } from "../../engine/ports/Live.ts"
import { fenceHeader } from "../../schema/air/Fence.ts"
import { Busy } from "../../schema/Problems.ts"
import { edgeHeader, firstSampleHeader } from "../../schema/air/EdgeReport.ts"
import { markFields, markOfStation } from "../../schema/Synthetic.ts"
import type { SocketExchange } from "../fastpath/Exchange.ts"
import type { ListenerCount } from "./ListenerCount.ts"
import { Mp3Fanout } from "./Mp3Fanout.ts"
import { openToAll, type StreamAnswers } from "../fastpath/StreamAnswers.ts"

export interface Mp3Stream {
  readonly handle: (exchange: SocketExchange, address: string) => void
  /** Whether this connection carries an endless stream, after which nothing else can be answered. */
  readonly isHolding: (socket: object) => boolean
}

/** What the headers say of the station. */
export interface StreamFacts {
  readonly name: string
  readonly description: string
  readonly disclosure: string
}

/** Players read these headers as UTF-8; Node writes each character of a header as one byte. */
const headerOf = (text: string): string => Buffer.from(text.replaceAll(/[\r\n]/g, " ")).toString("latin1")

/** The headers, once for all listeners: as an answer to requests of nothing else, and as they are sent before the sound. */
const makeHead = (own: Readonly<Record<string, string>>) => {
  const headers = Object.fromEntries(
    Object.entries({ ...own, ...openToAll }).map(([name, value]) => [name, headerOf(value)])
  )
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")
  return {
    answer: { status: 200, headers, body: null },
    head: `HTTP/1.1 200 OK\r\n${lines}connection: close\r\n\r\n`
  }
}

/** Edges join the streams of two stations by the place of the first frame. */
const withPlace = (head: string, firstSample: number): string =>
  head.replace(/\r\n$/, `${firstSampleHeader}: ${firstSample}\r\n\r\n`)

/** `/live.mp3`: the endless answer, on sockets taken from the server. */
export const mp3Stream = Effect.fnUntraced(function* (options: {
  readonly live: Live["Service"]
  readonly listeners: ListenerCount
  readonly answers: StreamAnswers
  readonly station: () => StreamFacts
  readonly isEdge: (exchange: SocketExchange) => boolean
  readonly nowMs: () => number
  readonly onFault: (what: string, fault: unknown) => void
}): Effect.fn.Return<Mp3Stream, never, Scope.Scope> {
  const { answers, isEdge, listeners, live, nowMs, onFault, station } = options
  const fanout = new Mp3Fanout((fault) => onFault("the MP3 stream", fault))
  const streaming = new WeakSet<object>()
  yield* Effect.acquireRelease(
    Effect.sync(() => live.mp3(0, (chunk) => fanout.push(chunk))),
    ({ close }) => Effect.sync(close)
  )
  yield* Effect.sync(() => {
    // Listeners of a process that has lost the air connect again, and reach the one that has it.
    const lost = live.isOnAir() ? fanout.tick(nowMs()) : fanout.leaveAll()
    for (const socket of lost) socket.destroy()
  }).pipe(
    // Each tick is supervised separately, so that a failed one doesn't silence the rest.
    Effect.catchCause((cause) => Effect.sync(() => onFault("a tick of the MP3 stream", cause))),
    Effect.repeat(Schedule.fixed(Mp3Fanout.tickMs)),
    Effect.forkScoped
  )

  /** The heads while the air has one owner and the station the same texts, without and with titles. */
  const headsOf = (fence: number | null, facts: StreamFacts) => {
    const own = {
      "content-type": "audio/mpeg",
      "cache-control": "no-store",
      "icy-name": facts.name,
      "icy-description": facts.description,
      ...Object.fromEntries(
        markFields(markOfStation(facts.disclosure)).map(([name, value]) => [`icy-${name.toLowerCase()}`, value])
      ),
      "icy-br": "128",
      "icy-pub": "0",
      ...(fence === null ? {} : { [fenceHeader]: String(fence) })
    }
    return { fence, facts, plain: makeHead(own), icy: makeHead({ ...own, "icy-metaint": String(icyIntervalBytes) }) }
  }
  let heads = headsOf(null, station())

  const handle = (exchange: SocketExchange, address: string): void => {
    const isIcy = exchange.header("icy-metadata") === "1"
    const fence = live.fence()
    const facts = station()
    if (fence !== heads.fence || facts.description !== heads.facts.description) heads = headsOf(fence, facts)
    const { answer, head } = isIcy ? heads.icy : heads.plain
    if (exchange.method === "HEAD") return exchange.send(answer)
    const { socket } = exchange
    // An edge drops the frames that it has. It needs those since its former origin failed.
    const isOfEdge = exchange.header(edgeHeader) !== ""
    // Runs before the socket is taken, so that its errors can be answered.
    const { burst, close, firstSample, label } = live.mp3(isOfEdge ? mp3BurstMaxMs : mp3BurstMs, () => undefined)
    close()
    const place = isEdge(exchange) ? "joined" : listeners.joinMp3(socket, address, nowMs())
    if (place === "full") return answers.refuse(exchange, houseFull)
    if (place === "address") return answers.refuse(exchange, addressFull)
    const leave = () => {
      fanout.leave(socket)
      listeners.leaveMp3(socket)
    }
    socket.once("close", leave)
    socket.on("error", leave)
    exchange.takeSocket()
    streaming.add(socket)
    socket.setNoDelay(true)
    try {
      fanout.join(socket, isOfEdge ? withPlace(head, firstSample) : head, burst, label, isIcy, nowMs(), isOfEdge)
    } catch (fault) {
      // The socket is taken now: the exchange can't answer any more.
      onFault("joining the MP3 stream", fault)
      socket.destroy()
    }
  }
  return { handle, isHolding: (socket) => streaming.has(socket) }
})

export const houseFull = new Busy({
  detail: "The station has reached its limit of listeners. Try again in a moment.",
  retryAfterSec: 10
})
export const addressFull = new Busy({ detail: "Your address has reached its limit of MP3 streams.", retryAfterSec: 30 })
