import { expect, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { execFile, execFileSync } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { Air } from "../../../engine/ports/Air.ts"
import { Live } from "../../../engine/ports/Live.ts"
import { airLayer } from "../../../media/chain/Air.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import type { AirEvent, StagedSound } from "../../../schema/air/Air.ts"
import { serveLive } from "../../support/media/LiveServer.ts"
import { idOf, item, makeSounds, skipped, plan, started } from "../../support/media/MixerWorld.ts"
import { bundledFfmpeg } from "../../support/media/Sound.ts"

const layer = airLayer({ stationName: "Longwave", journalPath: null }).pipe(Layer.provide(ffmpegLayer(bundledFfmpeg)))

const record = (
  url: string,
  seconds: number,
  ...before: ReadonlyArray<string>
): Promise<{ readonly pcm: Float32Array; readonly errors: string }> =>
  new Promise((resolve) => {
    execFile(
      bundledFfmpeg,
      [
        "-hide_banner",
        "-v",
        "warning",
        ...before,
        "-i",
        url,
        "-t",
        String(seconds),
        "-f",
        "f32le",
        "-ac",
        "2",
        "-ar",
        "48000",
        "pipe:1"
      ],
      { encoding: "buffer", maxBuffer: 2 ** 28, timeout: 300_000 },
      (_, stdout, stderr) =>
        resolve({
          pcm: new Float32Array(
            stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length - (stdout.length % 8))
          ),
          errors: stderr.toString()
        })
    )
  })

describe("Air", () => {
  it.live(
    "is on the air at once and a real player hears it",
    () =>
      Effect.gen(function* () {
        const air = yield* Air
        const live = yield* Live
        const server = yield* Effect.acquireRelease(
          Effect.promise(() => serveLive(live)),
          (server) => Effect.sync(() => server.close())
        )
        const first = yield* live.playlist("aac128", { msn: null, part: null, skip: false })
        expect(first._tag).toBe("Found")
        const [hls, mp3] = yield* Effect.all(
          [
            Effect.promise(() => record(`${server.url}/live/index.m3u8`, 6)),
            Effect.promise(() => record(`${server.url}/live.mp3`, 4))
          ],
          { concurrency: 2 }
        )
        expect(hls.pcm.length / 96_000).toBeCloseTo(6, 1)
        expect(mp3.pcm.length / 96_000).toBeCloseTo(4, 1)
        expect((yield* air.status).outputs.map(({ restarts, running }) => ({ restarts, running }))).toEqual(
          ["aac128", "aac64", "mp3"].map(() => ({ restarts: 0, running: true }))
        )
      }).pipe(Effect.provide(layer), Effect.scoped),
    300_000
  )

  it.live(
    "begins at once what it has never heard of, and what it is told twice only once; a disk that hangs stops nothing",
    () =>
      Effect.gen(function* () {
        const air = yield* Air
        const folder = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "longwave-air-"))),
          (path) => Effect.promise(() => rm(path, { recursive: true }))
        )
        const { files, sound } = makeSounds()
        const song = { ...sound(1, 20), path: join(folder, "song") } as StagedSound
        yield* Effect.promise(() => writeFile(song.path, new Uint8Array(files.get(sound(1, 20).path)!.buffer)))
        const hanging = { ...sound(2, 20), path: join(folder, "hanging") } as StagedSound
        execFileSync("mkfifo", [hanging.path])
        const told: Array<AirEvent> = []
        yield* Effect.forkScoped(Stream.runForEach(air.events, (event) => Effect.sync(() => told.push(event))))
        yield* Effect.sleep(500)
        const first = plan(1, [item(1, 0, song)], "now")
        const { nowSample } = yield* air.status
        yield* air.plan(first)
        yield* air.plan(first)
        yield* Effect.sleep(600)
        const [begun, ...others] = started(told).filter(({ itemId }) => itemId !== null)
        expect(begun).toMatchObject({ itemId: idOf(1) })
        expect(others).toEqual([])
        expect((begun!.atSample - nowSample) / 48).toBeLessThan(600)
        yield* air.plan(plan(2, [item(2, 0, hanging)], "now"))
        yield* Effect.sleep(1_000)
        expect(skipped(told)).toMatchObject([{ itemId: idOf(2) }])
        expect(told.some(({ _tag }) => _tag === "ChainRestarted")).toBe(false)
        expect(started(told).at(-1)).toMatchObject({ itemId: null, label: { title: "Longwave" } })
        // Whoever waits for it gets an end of it, so that the process can end.
        execFileSync("sh", ["-c", `exec 3<>"${hanging.path}"; printf x >&3; sleep 0.1`])
      }).pipe(Effect.provide(layer), Effect.scoped),
    300_000
  )
})
