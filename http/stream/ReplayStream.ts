import { replayPage } from "../html/ListenerPages.ts"
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
import { beyondEnd, rangeOf } from "../files/MediaAudio.ts"
import { readOnly } from "../server/Methods.ts"

const notFound = () =>
  HttpServerRespondable.toResponse(new NotFound({ detail: "Unknown recording. See /api/replays." }))
/**
 * The mark of a recording as an EXT-X-DATERANGE, dated by its airing. The packager can't write timed metadata, and
 * older playlists have none.
 */
const addMark = (list: string, { replay: { airedAtMs, durationSec, id }, synthetic }: ReplayRecord): string => {
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
/** Response stand-in for hls-server, so that its output passes through the router's answer. */
class Written extends PassThrough {
  statusCode = 200
  readonly headers: Record<string, string> = {}
  setHeader(name: string, value: string) {
    this.headers[name.toLowerCase()] = value
  }
}
const readSource = ({ source }: HlsRequest & Partial<Asked>, told: (fault: unknown, stream: Readable | null) => void) =>
  told(null, source!)
/**
 * hls-server over the media store. It gets an unconnected server, because it takes over all requests of a server. It
 * only chooses file types and transfer; existence and access were checked before.
 */
const pieces = new EventEmitter()
attachHlsServer(pieces, {
  path: "/replays",
  debugPlayer: false,
  provider: { exists: (_, told) => told(null, true), getManifestStream: readSource, getSegmentStream: readSource }
})
/** Pipes forward neither errors nor closing: this closes the source with the request, and aborts the answer if the store fails. */
const writeStream = (url: string, encoding: string | null, bytes: Stream.Stream<Uint8Array, unknown>) =>
  Effect.acquireRelease(
    Effect.callback<Written>((resume) => {
      const [answer, source] = [new Written(), Readable.from(Stream.toAsyncIterable(bytes), { objectMode: false })]
      source.once("error", (fault) => answer.destroy(fault))
      // The reader gets errors from the stream itself.
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
/** Packaged recordings for HLS players. Cached for at most a minute, so that hidden and held ones disappear. */
export const ReplayStream = HttpRouter.add(
  "GET",
  "/replays/:id/:file",
  Effect.gen(function* () {
    const { file, id } = yield* HttpRouter.params
    // The page of the recording, which begins at a second; the canonical address has none.
    if (/^\d{1,6}$/.test(file ?? "")) return yield* replayPage
    const request = yield* HttpServerRequest.HttpServerRequest
    const record =
      /^rep_[0-9a-z]{26}$/.test(id ?? "") && /^(index\.m3u8|s\d{5}\.ts)$/.test(file ?? "")
        ? yield* (yield* PublishedReplays).find(id!)
        : null
    if (record === null || !record.packaged) return yield* notFound()
    const objects = yield* ObjectStore
    const key = replayKeyOf(record.assetId, file!)
    const stored = file === replayPlaylist ? yield* objects.read(key, null) : null
    const list =
      stored !== null
        ? new TextEncoder().encode(addMark(yield* Stream.mkString(Stream.decodeText(stored)), record))
        : null
    const size = list === null ? yield* objects.size(key) : list.length
    if (size === null) return yield* notFound()
    const headers = { ...openToAll, "accept-ranges": "bytes", "cache-control": "public, max-age=60" }
    const part = rangeOf(request.headers["range"], size)
    if (part === false) return yield* beyondEnd(size, headers)
    // HEAD reads nothing. Ranges of files packed on the fly would not match.
    const bytes =
      request.method === "HEAD"
        ? Stream.empty
        : list !== null
          ? Stream.make(part === null ? list : list.subarray(part.from, part.to + 1))
          : Stream.unwrap(Effect.map(objects.read(key, part), (found) => found ?? Stream.empty))
    const answer = yield* writeStream(
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
