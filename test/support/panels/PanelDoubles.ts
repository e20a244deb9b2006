import { Context, Effect, Layer, Stream } from "effect"
import { Arranger } from "../../../engine/ports/Arranger.ts"
import { Music, MusicFailed } from "../../../engine/ports/Music.ts"
import { MediaStoreUnavailable, type Unairable } from "../../../engine/ports/Prepare.ts"
import { Stitch } from "../../../engine/ports/Stitch.ts"
import { Asset } from "../../../schema/Sound.ts"

/** Requests to the scripted stitching, and its faults. */
export class StitchScript extends Context.Service<
  StitchScript,
  {
    readonly asked: Array<Parameters<Stitch["Service"]["stitch"]>[0]>
    fault: "none" | "disk_full" | "hangs"
    music: "plays" | "fails"
  }
>()("test/StitchScript") {
  static readonly layer = Layer.sync(StitchScript, () => StitchScript.of({ asked: [], fault: "none", music: "plays" }))
}

/** Stitching without sound: with the requested length. */
export const ScriptedStitch = Layer.effect(
  Stitch,
  Effect.map(StitchScript, (script) =>
    Stitch.of({
      stitch: (ask) =>
        Effect.suspend((): Effect.Effect<Asset, Unairable | MediaStoreUnavailable> => {
          script.asked.push(ask)
          if (script.fault === "hangs") return Effect.never
          if (script.fault === "disk_full") return Effect.fail(new MediaStoreUnavailable({ detail: "ENOSPC" }))
          return Effect.succeed(
            new Asset({
              id: ask.id,
              kind: "speech",
              lengthSamples: ask.samples,
              pcmSha256: "0".repeat(64),
              loudness: { integratedLufs: -16.1, truePeakDbtp: -1.2, rangeLu: 3 },
              cue: { cueIn: 0, introEnd: 0, segue: ask.samples, cueOut: ask.samples },
              envelope: new Uint8Array([1]),
              peaks: [],
              words: []
            })
          )
        })
    })
  )
)

const aPiece = {
  sampleRateHz: 48_000,
  channels: [new Float32Array(16)],
  words: [],
  title: "A bed",
  bpm: 100,
  musicalKey: "C",
  sections: [],
  introEndMs: 0,
  segueMs: 0
}

/** Music without sound: composed and arranged. */
export const ScriptedMusic = Layer.effectContext(
  Effect.map(StitchScript, (script) => {
    const piece = Effect.suspend(() =>
      script.music === "fails"
        ? Effect.fail(new MusicFailed({ reason: "crashed", detail: "out of tune" }))
        : Effect.succeed(aPiece)
    )
    const music = Music.of({
      genres: ["ambient"],
      compose: () => Stream.empty,
      outline: () => ({
        title: "A bed",
        bpm: 100,
        musicalKey: "C major",
        sections: [{ section: "intro", bars: 4 }],
        durationSec: 60
      }),
      composeWhole: () => piece
    })
    const arranger = Arranger.of({
      arrangements: ({ genre }) => ["lofi", "rock"].filter((name) => name !== genre),
      remix: () => piece,
      songOnSample: () => piece
    })
    return Context.make(Music, music).pipe(Context.add(Arranger, arranger))
  })
)
