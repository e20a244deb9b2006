import { Cause, type Effect, Exit, type Fiber } from "effect"
import type { HlsRendition, Live, LiveAnswer } from "../../engine/ports/Live.ts"
import { fenceHeader, fencePath, fenceProofHeader } from "../../schema/air/Fence.ts"
import { Busy, MethodNotAllowed, NotFound } from "../../schema/Problems.ts"
import type { AddressOf } from "../server/Address.ts"
import type { Answer, Exchange } from "../fastpath/Exchange.ts"
import type { HlsCaller, ListenerCount } from "./ListenerCount.ts"
import { houseFull } from "./ListenMp3.ts"
import { fromOf, fromOfVariant, startOf, startOfStream, startOfVariant } from "./ShiftStart.ts"
import { openToAll, type StreamAnswers, invalidQuery } from "../fastpath/StreamAnswers.ts"
import { StreamWaits } from "./StreamWaits.ts"

const place = /^\/live\/(aac128|aac64|words)\/(.+)$/
/** Files of a rendition, by the name in its playlist. */
const names = {
  segment: /^s(\d{1,12})\.(m4s|vtt)$/,
  part: /^p(\d{1,12})\.(\d{1,3})\.(m4s|vtt)$/,
  archived: /^archive\/(\d{1,12})(?:\.(\d{1,3}))?\.m4s$/,
  item: /^item\/(itm_[0-9A-Za-z]{26})\.vtt$/
} as const

/** The waveform of an item, for drawing. */
const wave = /^\/live\/wave\/(itm_[0-9A-Za-z]{26})\.json$/

const parseWhole = (text: string | null): number | null =>
  text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null
const nothingAsked = new URLSearchParams()

const allowed: Answer = {
  status: 204,
  headers: { ...openToAll, allow: "GET, HEAD, OPTIONS", "access-control-max-age": "86400" },
  body: null
}

/** All routes below `/live/`, for any server. */
export const hlsStream = ({
  addressOf,
  answers,
  isEdge,
  listeners,
  live,
  nowMs,
  wallMs,
  run
}: {
  readonly live: Live["Service"]
  readonly listeners: ListenerCount
  /** Whether an edge sent it, which is no listener; notes what it reports. */
  readonly isEdge: (exchange: Exchange) => boolean
  readonly answers: StreamAnswers
  readonly addressOf: AddressOf
  readonly nowMs: () => number
  readonly wallMs: () => number
  readonly run: (answer: Effect.Effect<LiveAnswer>) => Fiber.Fiber<LiveAnswer>
}) => {
  const guard = (exchange: Exchange, answer: () => void) => {
    try {
      answer()
    } catch (fault) {
      answers.fault(exchange, fault)
    }
  }
  const waits = new StreamWaits(run, (exchange, exit) => {
    if (exchange.isOver) return
    if (Exit.isSuccess(exit)) return guard(exchange, () => answers.answer(exchange, exit.value))
    if (Cause.hasInterruptsOnly(exit.cause))
      return answers.refuse(
        exchange,
        new Busy({ detail: "The station is shutting down. Try again later.", retryAfterSec: 2 })
      )
    answers.fault(exchange, exit.cause)
  })

  const media = (exchange: Exchange, rendition: HlsRendition, name: string) => {
    const item = rendition === "words" ? names.item.exec(name) : null
    if (item !== null) return waits.join(exchange, exchange.path, () => live.words(item[1]!))
    const segment = names.segment.exec(name)
    const part = names.part.exec(name)
    const archived = names.archived.exec(name)
    if ((segment?.[2] ?? part?.[3] ?? "m4s") !== (rendition === "words" ? "vtt" : "m4s"))
      return answers.answer(exchange, { _tag: "Gone" })
    if (segment !== null) return waits.join(exchange, exchange.path, () => live.segment(rendition, Number(segment[1])))
    if (part !== null)
      return waits.join(exchange, exchange.path, () => live.part(rendition, Number(part[1]), Number(part[2])))
    if (archived !== null && rendition !== "words")
      return waits.join(exchange, null, () =>
        live.shifted.segment(rendition, Number(archived[1]), Number(archived[2] ?? 0))
      )
    answers.answer(exchange, { _tag: "Gone" })
  }
  const playlist = (exchange: Exchange, rendition: HlsRendition, asked: URLSearchParams) => {
    const msn = parseWhole(asked.get("_HLS_msn"))
    const part = parseWhole(asked.get("_HLS_part"))
    const start = startOf(asked)
    const fromMs = fromOf(asked)
    const isMsnWrong = asked.has("_HLS_msn") && msn === null
    const isPartWrong = asked.has("_HLS_part") && part === null
    const isPartAlone = part !== null && !asked.has("_HLS_msn")
    const isStartWrong = start === "malformed" || start?._tag === "At"
    const isFromWrong = fromMs === "malformed"
    if (isMsnWrong || isPartWrong || isPartAlone || isStartWrong || isFromWrong)
      return answers.refuse(
        exchange,
        invalidQuery({
          ...(isMsnWrong ? { _HLS_msn: "must be a whole number" } : {}),
          ...(isPartWrong ? { _HLS_part: "must be a whole number" } : {}),
          ...(isPartAlone ? { _HLS_part: "needs _HLS_msn" } : {}),
          ...(isStartWrong ? { start: startOfVariant } : {}),
          ...(isFromWrong ? { from: fromOfVariant } : {})
        })
      )
    if (start !== null)
      return rendition === "words"
        ? answers.answer(exchange, { _tag: "Gone" })
        : waits.join(exchange, null, () => live.shifted.playlist(rendition, start.behindSec, fromMs))
    const skip = asked.has("_HLS_skip")
    waits.join(exchange, `${rendition} ${msn} ${part} ${skip}`, () => live.playlist(rendition, { msn, part, skip }))
  }
  const multivariant = (exchange: Exchange, start: ReturnType<typeof startOf>) => {
    if (start === "malformed") return answers.refuse(exchange, invalidQuery({ start: startOfStream }))
    if (start === null) return answers.sendFound(exchange, live.multivariant())
    waits.join(exchange, null, () => live.shifted.multivariant(start))
  }
  /** Answers with the owner's token and its proof. nginx and edges cache the answer for a second and show the proof to other stations. */
  const fence = (exchange: Exchange) => {
    const token = live.fence()
    const proof = live.fenceProof(wallMs())
    exchange.send({
      status: 200,
      headers: {
        ...openToAll,
        "content-type": "text/plain",
        "cache-control": "public, max-age=1",
        ...(token === null ? {} : { [fenceHeader]: String(token) }),
        ...(proof === null ? {} : { [fenceProofHeader]: proof })
      },
      body: Buffer.from(token === null ? "" : `${token}\n`)
    })
  }
  const stream = (exchange: Exchange) => {
    const asked = exchange.query === "" ? nothingAsked : new URLSearchParams(exchange.query)
    if (exchange.path === "/live/index.m3u8") return multivariant(exchange, startOf(asked))
    if (exchange.path === fencePath) return fence(exchange)
    const drawn = wave.exec(exchange.path)
    if (drawn !== null) return waits.join(exchange, exchange.path, () => live.wave(drawn[1]!))
    const [, rendition, name] = (place.exec(exchange.path) ?? []) as [string?, HlsRendition?, string?]
    if (rendition === undefined || name === undefined)
      return answers.refuse(exchange, new NotFound({ detail: "Unknown stream address. Start at /live/index.m3u8." }))
    if (name === "init.mp4" && rendition !== "words") {
      const init = live.init(rendition)
      return init === null ? answers.answer(exchange, { _tag: "Late" }) : answers.sendFound(exchange, init)
    }
    const caller: HlsCaller = {
      address: addressOf(exchange.socketAddress, exchange.header("x-forwarded-for")),
      session: asked.get("session"),
      userAgent: exchange.header("user-agent")
    }
    const isFromEdge = isEdge(exchange)
    if (name === "index.m3u8")
      return isFromEdge || listeners.hasRoomFor(caller, nowMs())
        ? playlist(exchange, rendition, asked)
        : answers.refuse(exchange, houseFull)
    // Reading playlists and captions doesn't count as listening.
    const listens = exchange.method === "GET" && rendition !== "words" && !isFromEdge
    return !listens || listeners.recordHls(caller, nowMs())
      ? media(exchange, rendition, name)
      : answers.refuse(exchange, houseFull)
  }

  /** Checks common to all servers; false if it has answered the request. */
  const canRead = (exchange: Exchange): boolean => {
    if (exchange.method === "GET" || exchange.method === "HEAD") return true
    if (exchange.method === "OPTIONS") exchange.send(allowed)
    else
      answers.refuse(exchange, new MethodNotAllowed({ detail: "The stream is read-only: use GET or HEAD." }), {
        allow: "GET, HEAD, OPTIONS"
      })
    return false
  }
  return {
    guard,
    canRead,
    hls: (exchange: Exchange) => guard(exchange, () => canRead(exchange) && stream(exchange))
  }
}
