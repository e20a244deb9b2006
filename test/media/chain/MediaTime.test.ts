import { expect, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { decodeMono } from "../../../bench/instruments/ears/Decode.ts"
import { nowPlayingOf } from "../../../engine/rules/air/StationSnapshots.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { Live, type LiveAnswer } from "../../../engine/ports/Live.ts"
import { airLayer } from "../../../media/chain/Air.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { type AirEvent, ItemLabel, type StagedSound } from "../../../schema/air/Air.ts"
import { noFacts } from "../../../schema/air/AirMetadata.ts"
import { RundownItem } from "../../../schema/air/Rundown.ts"
import { airable } from "../../support/air/Airables.ts"
import { idOf, item, makeSounds, plan, startsOf } from "../../support/media/MixerWorld.ts"
import { bundledFfmpeg } from "../../support/media/Sound.ts"

const layer = airLayer({ stationName: "Longwave", journalPath: null }).pipe(Layer.provide(ffmpegLayer(bundledFfmpeg)))
const hz = 3_000
const rate = 48_000

const bytesOf = (answer: LiveAnswer): Uint8Array => {
  if (answer._tag !== "Found") throw new Error(answer._tag)
  return answer.object.body
}

/** Share of the tone in each 5 ms. */
const loudness = (pcm: Float32Array): ReadonlyArray<number> => {
  const width = rate / 200
  return Array.from({ length: Math.floor(pcm.length / width) }, (_, n) => {
    let [re, im] = [0, 0]
    for (let i = 0; i < width; i++) {
      re += pcm[n * width + i]! * Math.cos((2 * Math.PI * hz * i) / rate)
      im += pcm[n * width + i]! * Math.sin((2 * Math.PI * hz * i) / rate)
    }
    return Math.hypot(re, im) / width
  })
}

// Item times count broadcast samples from the epoch, and so do the dates of the stream: a player that knows the date of its
// position knows the item, however far behind live it is.
it.live(
  "gives an item's start by the clock of the sound, as the stream's own dates do",
  () =>
    Effect.gen(function* () {
      const air = yield* Air
      const live = yield* Live
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "longwave-time-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true }))
      )
      const { files, sound } = makeSounds()
      const tone = { ...sound(1, 4, { hz, amplitude: 0.5 }), path: join(folder, "tone") } as StagedSound
      yield* Effect.promise(() =>
        writeFile(tone.path, new Uint8Array(files.get(sound(1, 4, { hz, amplitude: 0.5 }).path)!.buffer))
      )
      const told: Array<AirEvent> = []
      yield* Effect.forkScoped(Stream.runForEach(air.events, (event) => Effect.sync(() => told.push(event))))
      yield* Effect.sleep(300)
      yield* air.plan(plan(1, [item(1, 0, tone)], "now"))
      const started = Effect.sync(() => startsOf(told).some(({ itemId }) => itemId === idOf(1)))
      yield* Effect.repeat(Effect.delay(started, 20), { until: (is) => is }).pipe(
        Effect.timeoutOrElse({
          duration: "100 seconds",
          orElse: () =>
            Effect.flatMap(air.status, (status) =>
              Effect.die(new Error(`The item has not begun. Told: ${JSON.stringify(told)}; ${JSON.stringify(status)}`))
            )
        })
      )
      const begun = startsOf(told).find(({ itemId }) => itemId === idOf(1))!
      const heard = {
        item: new RundownItem({
          id: idOf(1),
          airable: airable("music", 1, 4),
          placement: { _tag: "Flow" },
          startSample: begun.atSample,
          locked: false,
          trace: []
        }),
        label: new ItemLabel({ title: "A tone", artist: null, kind: "music" }),
        startSample: begun.atSample,
        endSample: begun.endSample
      }
      const {
        item: { airSample, startedAt }
      } = nowPlayingOf(heard, noFacts, null, begun.atSample, "http://radio.test")
      expect(airSample).toBe(begun.atSample)

      const startMs = Date.parse(startedAt)
      const text = Effect.fnUntraced(function* (msn: number | null) {
        return new TextDecoder().decode(bytesOf(yield* live.playlist("aac128", { msn, part: null, skip: false })))
      })
      const segmentsOf = (playlist: string) => {
        const first = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(playlist)![1])
        return [
          ...playlist.matchAll(/#EXT-X-PROGRAM-DATE-TIME:(\S+)[\s\S]*?#EXTINF:([\d.]+)[\s\S]*?\n(s\d+\.m4s)/g)
        ].map(([, date, sec], n) => ({ msn: first + n, atMs: Date.parse(date!), lengthMs: Number(sec) * 1_000 }))
      }
      let segments = segmentsOf(yield* text(null))
      while ((segments.at(-1)?.atMs ?? 0) <= startMs)
        segments = segmentsOf(yield* text((segments.at(-1)?.msn ?? -1) + 1))
      const around = segments.filter(
        ({ atMs, lengthMs }) => atMs + lengthMs > startMs - 1_000 && atMs < startMs + 1_000
      )
      const chunks = [
        live.init("aac128")!.body,
        ...around.map(({ msn }) => bytesOf(Effect.runSync(live.segment("aac128", msn))))
      ]
      const levels = loudness(yield* Effect.promise(() => decodeMono(Buffer.concat(chunks))))
      const full = Math.max(...levels)
      const onsetMs = around[0]!.atMs + levels.findIndex((level) => level > full / 2) * 5
      expect(Math.abs(onsetMs - startMs)).toBeLessThanOrEqual(25)
      yield* Effect.logInfo(`an item's start and its sound lie ${onsetMs - startMs} ms apart`)
    }).pipe(Effect.provide(layer), Effect.scoped),
  300_000
)
