import { expect, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { Air } from "../../../engine/ports/Air.ts"
import { Live } from "../../../engine/ports/Live.ts"
import { airLayer } from "../../../media/chain/Air.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import type { AirEvent, StagedSound } from "../../../schema/air/Air.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { endHangingFile, makeHangingFile } from "../../support/media/HangingFile.ts"
import { serveLive } from "../../support/media/LiveServer.ts"
import { idOf, item, makeSounds, skipsOf, plan, startsOf } from "../../support/media/MixerWorld.ts"
import { bundledFfmpeg } from "../../support/media/Sound.ts"
import { askUntil } from "../../support/station/WholeStation.ts"

const layer = airLayer({ stationName: "Longwave", journalPath: null }).pipe(Layer.provide(ffmpegLayer(bundledFfmpeg)))

/** An immediate command doesn't wait for the end of the present item, which is longer than this; a busy machine may take most of it. */
const onceMaxSamples = 5 * sampleRateHz

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
    "is on the air at once, heard by a real player",
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
    "begins a new item at once, and a repeated order only once; a hanging disk stops nothing",
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
        // Released before the chain is closed: a thread that waits for the disk can't be ended.
        yield* Effect.acquireRelease(
          Effect.sync(() => makeHangingFile(hanging.path)),
          () => Effect.sync(() => endHangingFile(hanging.path))
        )
        const told: Array<AirEvent> = []
        yield* Effect.forkScoped(
          Stream.runForEach(air.events, (event) => Effect.sync(() => told.push(event))),
          { startImmediately: true }
        )
        /** Waits for a matching event; returns it. */
        const heard = <A>(find: (events: ReadonlyArray<AirEvent>) => A | undefined) =>
          Effect.promise(() => askUntil(async () => find(told)))
        const first = plan(1, [item(1, 0, song)], "now")
        const { nowSample } = yield* air.status
        yield* air.plan(first)
        yield* air.plan(first)
        const begun = yield* heard((events) => startsOf(events).find(({ itemId }) => itemId !== null))
        expect(begun).toMatchObject({ itemId: idOf(1) })
        expect(begun.atSample - nowSample).toBeLessThan(onceMaxSamples)
        yield* air.plan(plan(2, [item(2, 0, hanging)], "now"))
        // On a busy machine the first one's sound may come too late for the first order, and it begins with the repeated one.
        yield* heard((events) => skipsOf(events).find(({ itemId }) => itemId === idOf(2)))
        const fallback = yield* heard((events) => {
          const last = startsOf(events).at(-1)
          return last?.itemId === null && last.atSample > begun.atSample ? last : undefined
        })
        expect(fallback).toMatchObject({ label: { title: "Longwave" } })
        expect(startsOf(told).flatMap(({ itemId }) => itemId ?? [])).toEqual([idOf(1)])
        expect(told.some(({ _tag }) => _tag === "ChainRestarted")).toBe(false)
      }).pipe(Effect.scoped, Effect.provide(layer)),
    300_000
  )
})
