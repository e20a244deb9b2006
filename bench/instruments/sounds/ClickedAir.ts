import { Effect, Fiber, Layer, Result, Stream } from "effect"
import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { Listen } from "../../../http/stream/Listen.ts"
import { makeServer } from "../../../http/server/Server.ts"
import { airLayer } from "../../../media/chain/Air.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { AirItem, AirPlan, ItemLabel, StagedSound } from "../../../schema/air/Air.ts"
import { makeId } from "../../../schema/Ids.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { ffmpegPath } from "../ears/Decode.ts"

const clickMs = 40
const clickAmplitude = 0.7
const toneAmplitude = 0.03

/** A quiet tone, which doesn't count as silence, with a loud click every `everySec`, the first one at `everySec`. */
const makeClicks = (lengthSec: number, everySec: number): Int16Array<ArrayBuffer> => {
  const pcm = new Int16Array(lengthSec * sampleRateHz * 2)
  for (let at = 0; at < pcm.length / 2; at++) {
    const sec = at / sampleRateHz
    const isClick = sec >= everySec && at % (everySec * sampleRateHz) < (clickMs * sampleRateHz) / 1_000
    const value = isClick
      ? clickAmplitude * Math.sin(2 * Math.PI * 3_000 * sec)
      : toneAmplitude * Math.sin(2 * Math.PI * 220 * sec)
    pcm[2 * at] = pcm[2 * at + 1] = Math.round(value * 32_767)
  }
  return pcm
}

const id = (prefix: string) => makeId(prefix, 0, new Uint8Array(10))

/** The clicks on the air: their position and their first possible time. */
export interface ClickedAir {
  readonly base: string
  /** Broadcast samples at which clicks begin, in order. */
  readonly clicks: ReadonlyArray<number>
  readonly pcmSha256: string
  /** Starts and ends the emergency programme; returns its first sample. */
  readonly emergency: () => Promise<number>
}

/** Runs `use` beside the real air chain and its HTTP server, which play clicks. */
export const runOnClickedAir = <A>(
  folder: string,
  lengthSec: number,
  everySec: number,
  use: (air: ClickedAir) => Promise<A>
): Promise<A> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const pcm = Buffer.from(makeClicks(lengthSec, everySec).buffer)
      const path = join(folder, "clicks.pcm")
      const pcmSha256 = createHash("sha256").update(pcm).digest("hex")
      yield* Effect.promise(() => writeFile(path, pcm))
      const lengthSamples = lengthSec * sampleRateHz
      const sound = new StagedSound({
        assetId: id("mas"),
        path,
        lengthSamples,
        pcmSha256,
        gainDb: 0,
        envelope: new Uint8Array(lengthSec * 100).fill(10),
        cue: new CuePoints({ cueIn: 0, introEnd: 0, segue: lengthSamples, cueOut: lengthSamples })
      })
      const ffmpeg = yield* Effect.promise(ffmpegPath)
      const context = yield* Layer.build(
        Listen.layer.pipe(
          Layer.provideMerge(airLayer({ stationName: "Longwave", journalPath: null })),
          Layer.provide(ffmpegLayer(ffmpeg)),
          Layer.provide(StationConfig.fromEnvironment({}))
        )
      )
      const [air, { handle, players }] = yield* Effect.all([Air, Listen]).pipe(Effect.provideContext(context))
      const { port } = yield* makeServer({
        host: "127.0.0.1",
        port: 0,
        publicUrl: "http://127.0.0.1",
        listen: handle,
        players
      })
      const item = new AirItem({
        itemId: id("itm"),
        label: new ItemLabel({ title: "Clicks", artist: null, kind: "other" }),
        sound,
        startSample: 0,
        speech: false,
        bed: null,
        trace: []
      })
      const skipped = yield* air.events.pipe(
        Stream.filter((event) => event._tag === "Skipped"),
        Stream.runHead,
        Effect.forkChild({ startImmediately: true })
      )
      const { shiftSamples } = yield* air.plan(new AirPlan({ fence: 1, revision: 1, entry: "now", items: [item] }))
      const clicks = Array.from(
        { length: Math.ceil(lengthSec / everySec) - 1 },
        (_, index) => shiftSamples + (index + 1) * everySec * sampleRateHz
      )
      const emergency = Effect.gen(function* () {
        const began = yield* air.events.pipe(
          Stream.filterMap((event) =>
            event._tag === "EmergencyChanged" && event.on ? Result.succeed(event.atSample) : Result.failVoid
          ),
          Stream.runHead,
          Effect.forkChild({ startImmediately: true })
        )
        yield* air.emergency(true, "bench")
        const sample = yield* Effect.flatMap(Fiber.join(began), Effect.fromOption)
        yield* air.emergency(false, "bench")
        return sample
      })
      return yield* Effect.raceFirst(
        Effect.promise(() =>
          use({ base: `http://127.0.0.1:${port}`, clicks, pcmSha256, emergency: () => Effect.runPromise(emergency) })
        ),
        Fiber.join(skipped).pipe(
          Effect.flatMap(Effect.fromOption),
          Effect.flatMap(({ reason }) => Effect.die(new Error(`Nobody can hear the clicks: ${reason}.`)))
        )
      )
    }).pipe(Effect.scoped)
  )
