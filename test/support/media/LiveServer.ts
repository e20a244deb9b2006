import { Effect } from "effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { HlsRendition, Live, LiveAnswer } from "../../../engine/ports/Live.ts"

/** A plain HTTP server over port `Live`, for real players in tests. Logs its requests. */
export const serveLive = async (
  live: Live["Service"]
): Promise<{ readonly url: string; readonly asked: ReadonlyArray<string>; readonly close: () => void }> => {
  const asked: Array<string> = []
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url!, "http://localhost")
    asked.push(request.url!)
    const send = (answer: LiveAnswer) => {
      if (answer._tag !== "Found")
        return response.writeHead({ Gone: 404, Impossible: 400, Late: 503 }[answer._tag]).end()
      return response
        .writeHead(200, { "content-type": answer.object.contentType, "content-length": answer.object.body.length })
        .end(answer.object.body)
    }
    const run = (effect: Effect.Effect<LiveAnswer>) => void Effect.runPromise(effect).then(send)
    if (url.pathname === "/live.mp3") {
      response.writeHead(200, { "content-type": "audio/mpeg" })
      const { burst, close } = live.mp3(2_000, (chunk) => chunk._tag === "Frames" && response.write(chunk.bytes))
      for (const bytes of burst) response.write(bytes)
      request.on("close", close)
      return
    }
    const start = url.searchParams.get("start")
    if (start !== null && url.pathname === "/live/index.m3u8")
      return run(
        live.shifted.multivariant(
          start.endsWith("Z") ? { _tag: "At", atMs: Date.parse(start) } : { _tag: "Behind", behindSec: -Number(start) }
        )
      )
    if (url.pathname === "/live/index.m3u8") return send({ _tag: "Found", object: live.multivariant() })
    const [, , variant, name] = url.pathname.split("/") as [string, string, HlsRendition, string]
    const number = (key: string) => (url.searchParams.has(key) ? Number(url.searchParams.get(key)) : null)
    const part = /^p(\d+)\.(\d+)\.(m4s|vtt)$/.exec(name)
    const segment = /^s(\d+)\.(m4s|vtt)$/.exec(name)
    if (variant === "words" && name === "item")
      return run(live.words(url.pathname.split("/")[4]!.replace(/\.vtt$/, "")))
    if (variant !== "words" && start !== null)
      return run(live.shifted.playlist(variant, -Number(start), Date.parse(url.searchParams.get("from")!)))
    const archived = /^(\d+)(?:\.(\d+))?\.m4s$/.exec(url.pathname.split("/")[4] ?? "")
    if (variant !== "words" && archived !== null)
      return run(live.shifted.segment(variant, Number(archived[1]), Number(archived[2] ?? 0)))
    if (name === "index.m3u8")
      return run(
        live.playlist(variant, {
          msn: number("_HLS_msn"),
          part: number("_HLS_part"),
          skip: url.searchParams.get("_HLS_skip") === "YES"
        })
      )
    if (name === "init.mp4" && variant !== "words") return send({ _tag: "Found", object: live.init(variant)! })
    if (part !== null) return run(live.part(variant, Number(part[1]), Number(part[2])))
    if (segment !== null) return run(live.segment(variant, Number(segment[1])))
    return response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
