import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { describe } from "vitest"
import { Air } from "../../engine/ports/Air.ts"
import { Live } from "../../engine/ports/Live.ts"
import { airLayer } from "../../media/Air.ts"
import { ffmpegLayer } from "../../media/Ffmpeg.ts"
import { serveLive } from "../support/LiveServer.ts"
import { bundledFfmpeg } from "../support/Sound.ts"

const layer = airLayer({ journalPath: null }).pipe(Layer.provide(ffmpegLayer(bundledFfmpeg)))

const record = (url: string, seconds: number, ...before: ReadonlyArray<string>): Promise<{ readonly pcm: Float32Array; readonly errors: string }> =>
  new Promise((resolve) => {
    execFile(bundledFfmpeg, ["-hide_banner", "-v", "warning", ...before, "-i", url, "-t", String(seconds), "-f", "f32le", "-ac", "2", "-ar", "48000", "pipe:1"],
      { encoding: "buffer", maxBuffer: 2 ** 28, timeout: 20_000 },
      (_, stdout, stderr) => resolve({ pcm: new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length - stdout.length % 8)), errors: stderr.toString() }))
  })

describe("Air", () => {
  it.live("is on the air at once and a real player hears it", () =>
    Effect.gen(function*() {
      const air = yield* Air
      const live = yield* Live
      const server = yield* Effect.acquireRelease(Effect.promise(() => serveLive(live)), (server) => Effect.sync(() => server.close()))
      const first = yield* live.playlist("aac128", { msn: null, part: null, skip: false })
      expect(first._tag).toBe("Found")
      const [hls, mp3] = yield* Effect.all([
        Effect.promise(() => record(`${server.url}/live/index.m3u8`, 6)),
        Effect.promise(() => record(`${server.url}/live.mp3`, 4))
      ], { concurrency: 2 })
      expect(hls.pcm.length / 96_000).toBeCloseTo(6, 1)
      expect(mp3.pcm.length / 96_000).toBeCloseTo(4, 1)
      expect((yield* air.status).outputs.map(({ restarts, running }) => ({ restarts, running }))).toEqual(["aac128", "aac64", "mp3"].map(() => ({ restarts: 0, running: true })))
    }).pipe(Effect.provide(layer), Effect.scoped), 30_000)
})
