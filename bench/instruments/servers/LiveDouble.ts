import { Effect } from "effect"
import type { Live, LiveAnswer, LiveObject, Mp3Chunk } from "../../../engine/ports/Live.ts"
import { ItemLabel } from "../../../schema/air/Air.ts"

const object = (contentType: string, body: string, maxAgeSec: number): LiveObject => ({
  contentType,
  body: Buffer.from(body),
  maxAgeSec
})

const foundAnswer = (body: LiveObject): LiveAnswer => ({ _tag: "Found", object: body })

/** Port `Live` that records its orders; each answer can be replaced. `send` sends encoded bytes. */
export const makeLiveDouble = () => {
  const followers = new Set<(chunk: Mp3Chunk) => void>()
  const burst: Array<Uint8Array> = []
  const playlist = object("application/vnd.apple.mpegurl", `#EXTM3U\n${"#EXT-X-PART\n".repeat(50)}`, 0)
  let label = new ItemLabel({ title: "Longwave", artist: null, kind: "other" })
  const live: { -readonly [K in keyof Live["Service"]]: Live["Service"][K] } = {
    isOnAir: () => true,
    awaitAir: Effect.succeed(true),
    fence: () => null,
    fenceProof: () => null,
    seeFenceProof: () => null,
    multivariant: () => object("application/vnd.apple.mpegurl", "#EXTM3U\n", 0),
    playlist: () => Effect.succeed(foundAnswer(playlist)),
    init: () => object("audio/mp4", "init", 86_400),
    segment: (_variant, msn) =>
      Effect.succeed(msn === 1 ? foundAnswer(object("audio/mp4", "segment", 86_400)) : { _tag: "Gone" }),
    part: () => Effect.succeed(foundAnswer(object("audio/mp4", "part", 86_400))),
    words: (itemId) =>
      Effect.succeed(itemId.endsWith("1") ? foundAnswer(object("text/vtt", "WEBVTT\n", 60)) : { _tag: "Gone" }),
    wave: (itemId) =>
      Effect.succeed(
        itemId.endsWith("1") ? foundAnswer(object("application/json", '{"levels":[0,255]}', 60)) : { _tag: "Gone" }
      ),
    shifted: {
      multivariant: (start) =>
        Effect.succeed(foundAnswer(object("application/vnd.apple.mpegurl", JSON.stringify(start), 0))),
      playlist: (variant, behindSec) =>
        Effect.succeed(foundAnswer(object("application/vnd.apple.mpegurl", `${variant} ${behindSec}`, 1))),
      segment: (_variant, msn) =>
        Effect.succeed(msn === 1 ? foundAnswer(object("audio/mp4", "archived", 86_400)) : { _tag: "Gone" })
    },
    mp3: (_burstMs, next) => {
      followers.add(next)
      return { burst: [...burst], label, firstSample: 0, close: () => void followers.delete(next) }
    }
  }
  return {
    live,
    /** Current number of followers of the stream. */
    followers: () => followers.size,
    setBurst: (frames: ReadonlyArray<Uint8Array>) => void burst.splice(0, burst.length, ...frames),
    send: (chunk: Mp3Chunk) => {
      if (chunk._tag === "Label") label = chunk.label
      for (const next of followers) next(chunk)
    }
  }
}
