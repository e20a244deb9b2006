import { Effect, Result, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import attachHlsServer, { type HlsRequest } from "hls-server"
import { EventEmitter } from "node:events"
import { PassThrough, Readable } from "node:stream"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { replayKeyOf, replayPlaylist } from "../../engine/ports/ReplaySound.ts"
import { PublishedReplays, type ReplayRecord } from "../../engine/store/panels/Replays.ts"
import { Busy, NotFound } from "../../schema/Problems.ts"
import { markAttributes } from "../../schema/Synthetic.ts"
import { rangeOf } from "../files/MediaAudio.ts"
import { readOnly } from "../server/Methods.ts"

const absent = () => HttpServerRespondable.toResponse(new NotFound({ detail: "Unknown recording. See /api/replays." }))
/**
 * The mark of a recording over all of it. What packs the pieces can't write timed metadata into them, and the list of a recording that was
 * packed long ago has none: so it is said here, dated by when it was heard.
 */
const marked = (list: string, { replay: { airedAtMs, durationSec, id }, synthetic }: ReplayRecord): string => {
  if (synthetic === null || airedAtMs === null) return list
  const at = new Date(airedAtMs).toISOString()
  const range = [
    `#EXT-X-DATERANGE:ID="${id}",CLASS="longwave.item",START-DATE="${at}",DURATION=${durationSec.toFixed(3)}`,
    ...markAttributes(synthetic)
  ].join(",")
  return list.replace("#EXTINF", `#EXT-X-PROGRAM-DATE-TIME:${at}\n${range}\n#EXTINF`)
}
interface Asked extends HlsRequest {
  readonly source: Readable
}
/** What hls-server writes to instead of a connection: the answer still passes through everything that answers do here. */
class Written extends PassThrough {
  statusCode = 200
  readonly headers: Record<string, string> = {}
  setHeader(name: string, value: string) {
    this.headers[name.toLowerCase()] = value
  }
}
const streamed = ({ source }: HlsRequest & Partial<Asked>, told: (fault: unknown, stream: Readable | null) => void) =>
  told(null, source!)
/**
 * hls-server over the media store. It is given a server of its own that no connection ever reaches: it would take over every
 * request of one that it is attached to. It says what a file is and how it is sent; whether there is one, and whose it is, was seen to before.
 */
const pieces = new EventEmitter()
attachHlsServer(pieces, {
  path: "/replays",
  debugPlayer: false,
  provider: { exists: (_, told) => told(null, true), getManifestStream: streamed, getSegmentStream: streamed }
})
/** Pipes pass neither faults on nor that nobody reads any more: what was opened for a request is closed with it, and a store that fails breaks this answer off. */
const written = (url: string, encoding: string | null, bytes: Stream.Stream<Uint8Array, unknown>) =>
  Effect.acquireRelease(
    Effect.callback<Written>((resume) => {
      const [answer, source] = [new Written(), Readable.from(Stream.toAsyncIterable(bytes), { objectMode: false })]
      source.once("error", (fault) => answer.destroy(fault))
      // Whoever reads it is told by the stream that it reads.
      answer
        .on("error", () => undefined)
        .once("close", () => source.destroy())
        .once("pipe", () => queueMicrotask(() => resume(Effect.succeed(answer))))
      const asked: Asked = { url, headers: encoding === null ? {} : { "accept-encoding": encoding }, source }
      pieces.emit("request", asked, answer)
    }),
    (answer) => Effect.sync(() => answer.destroy())
  )
const openToAll = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "content-length, content-range",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff"
}
/** Recordings for players that take them in pieces. Hidden or held, they are gone for them as well: nothing is kept for longer than a minute. */
export const ReplayStream = HttpRouter.add(
  "GET",
  "/replays/:id/:file",
  Effect.gen(function* () {
    const { file, id } = yield* HttpRouter.params
    const request = yield* HttpServerRequest.HttpServerRequest
    const record =
      /^rep_[0-9a-z]{26}$/.test(id ?? "") && /^(index\.m3u8|s\d{5}\.ts)$/.test(file ?? "")
        ? yield* (yield* PublishedReplays).find(id!)
        : null
    if (record === null || !record.packaged) return yield* absent()
    const objects = yield* ObjectStore
    const key = replayKeyOf(record.assetId, file!)
    const stored = file === replayPlaylist ? yield* objects.read(key, null) : null
    const list =
      stored !== null
        ? new TextEncoder().encode(marked(yield* Stream.mkString(Stream.decodeText(stored)), record))
        : null
    const size = list === null ? yield* objects.size(key) : list.length
    if (size === null) return yield* absent()
    const headers = { ...openToAll, "accept-ranges": "bytes", "cache-control": "public, max-age=60" }
    const part = rangeOf(request.headers["range"], size)
    if (part === false)
      return HttpServerResponse.empty({ status: 416, headers: { ...headers, "content-range": `bytes */${size}` } })
    // Who asks for the head alone reads nothing; packed on the way, a range would be one of other bytes.
    const bytes =
      request.method === "HEAD"
        ? Stream.empty
        : list !== null
          ? Stream.make(part === null ? list : list.subarray(part.from, part.to + 1))
          : Stream.unwrap(Effect.map(objects.read(key, part), (found) => found ?? Stream.empty))
    const answer = yield* written(
      request.url,
      part === null ? (request.headers["accept-encoding"] ?? null) : null,
      bytes
    )
    const isPacked = answer.headers["content-encoding"] !== undefined
    return HttpServerResponse.stream(
      Stream.fromAsyncIterable<Uint8Array, unknown>(answer, (cause) => cause),
      {
        status: part === null ? answer.statusCode : 206,
        contentType: answer.headers["content-type"]!,
        ...(isPacked ? {} : { contentLength: part === null ? size : part.to - part.from + 1 }),
        headers: {
          ...headers,
          vary: "accept-encoding",
          ...(isPacked ? { "content-encoding": answer.headers["content-encoding"]! } : {}),
          ...(part === null ? {} : { "content-range": `bytes ${part.from}-${part.to}/${size}` })
        }
      }
    )
  }).pipe((serving) =>
    Effect.flatMap(Effect.result(serving), (done) =>
      Result.isSuccess(done)
        ? Effect.succeed(done.success)
        : "_tag" in done.failure && done.failure._tag === "ObjectsUnavailable"
          ? HttpServerRespondable.toResponse(new Busy({ detail: done.failure.detail, retryAfterSec: 10 }))
          : Effect.fail(done.failure)
    )
  )
)
export const replayStreamMethods = readOnly([/^\/replays\/[^/]+\/[^/]+$/])
