import { Effect, Schedule, type Scope } from "effect"
import { icyIntervalBytes, mp3BurstMs } from "../../engine/rules/air/limits.ts"
import type { Live } from "../../engine/ports/Live.ts"
import { Busy } from "../../schema/Problems.ts"
import { markFields, stationMark } from "../../schema/Synthetic.ts"
import type { SocketExchange } from "../fastpath/Exchange.ts"
import type { ListenerCount } from "./ListenerCount.ts"
import { Mp3Fanout } from "./Mp3Fanout.ts"
import { openToAll, type StreamAnswers } from "../fastpath/StreamAnswers.ts"

export interface Mp3Stream {
  readonly handle: (exchange: SocketExchange, address: string) => void
  /** Whether this connection carries an endless stream, after which nothing else can be answered. */
  readonly isHolding: (socket: object) => boolean
}

/** The headers, once for all listeners: as an answer to requests of nothing else, and as they are sent before the sound. */
const makeHead = (own: Readonly<Record<string, string>>) => {
  const headers: Readonly<Record<string, string>> = { ...own, ...openToAll }
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, " ")}\r\n`)
    .join("")
  return {
    answer: { status: 200, headers, body: null },
    head: `HTTP/1.1 200 OK\r\n${lines}connection: close\r\n\r\n`
  }
}

/** `/live.mp3`: the endless answer, on sockets taken from the server. */
export const mp3Stream = Effect.fnUntraced(function* (options: {
  readonly live: Live["Service"]
  readonly listeners: ListenerCount
  readonly answers: StreamAnswers
  readonly station: { readonly name: string; readonly tagline: string }
  readonly nowMs: () => number
  readonly onFault: (what: string, fault: unknown) => void
}): Effect.fn.Return<Mp3Stream, never, Scope.Scope> {
  const { answers, listeners, live, nowMs, onFault, station } = options
  const fanout = new Mp3Fanout((fault) => onFault("the MP3 stream", fault))
  const streaming = new WeakSet<object>()
  yield* Effect.acquireRelease(
    Effect.sync(() => live.mp3(0, (chunk) => fanout.push(chunk))),
    ({ close }) => Effect.sync(close)
  )
  yield* Effect.sync(() => {
    for (const socket of fanout.tick(nowMs())) socket.destroy()
  }).pipe(
    // Each tick is supervised separately, so that a failed one doesn't silence the rest.
    Effect.catchCause((cause) => Effect.sync(() => onFault("a tick of the MP3 stream", cause))),
    Effect.repeat(Schedule.fixed(Mp3Fanout.tickMs)),
    Effect.forkScoped
  )

  const headers = {
    "content-type": "audio/mpeg",
    "cache-control": "no-store",
    "icy-name": station.name,
    "icy-description": `${station.tagline} ${stationMark.disclosure}`,
    ...Object.fromEntries(markFields(stationMark).map(([name, value]) => [`icy-${name.toLowerCase()}`, value])),
    "icy-br": "128",
    "icy-pub": "0"
  }
  const plain = makeHead(headers)
  const icy = makeHead({ ...headers, "icy-metaint": String(icyIntervalBytes) })

  const handle = (exchange: SocketExchange, address: string): void => {
    const isIcy = exchange.header("icy-metadata") === "1"
    const { answer, head } = isIcy ? icy : plain
    if (exchange.method === "HEAD") return exchange.send(answer)
    const { socket } = exchange
    // Runs before the socket is taken, so that its errors can be answered.
    const { burst, close, label } = live.mp3(mp3BurstMs, () => undefined)
    close()
    const place = listeners.joinMp3(socket, address, nowMs())
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
      fanout.join(socket, head, burst, label, isIcy, nowMs())
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
