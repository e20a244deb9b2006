import { Effect, Layer, Stream } from "effect"
import { Arranger } from "../../../engine/ports/Arranger.ts"
import { Music } from "../../../engine/ports/Music.ts"
import { NotStaged, Prepare } from "../../../engine/ports/Prepare.ts"
import { Speech } from "../../../engine/ports/Speech.ts"
import type { Airable } from "../../../schema/air/Rundown.ts"
import { StagedSound } from "../../../schema/air/Air.ts"
import { Asset, CuePoints, Loudness } from "../../../schema/Sound.ts"
import { NoProviders } from "../music/Providers.ts"

const rate = 10
const makeRaw = (sec: number) => ({
  sampleRateHz: rate,
  channels: [new Float32Array(Math.round(sec * rate))],
  words: []
})

const assetWith = (id: string, kind: Asset["kind"], cue: CuePoints): Asset =>
  new Asset({
    id,
    kind,
    lengthSamples: cue.cueOut,
    pcmSha256: "00",
    loudness: new Loudness({ integratedLufs: -16, truePeakDbtp: -1, rangeLu: 3 }),
    cue,
    envelope: new Uint8Array(),
    peaks: [],
    words: []
  })

export const assetOf = (airable: Airable): Asset =>
  assetWith(airable.assetId, airable.speech ? "speech" : "music", airable.cue)

const stagedAs = (asset: Asset): StagedSound =>
  new StagedSound({
    assetId: asset.id,
    path: `/${asset.id}`,
    lengthSamples: asset.lengthSamples,
    pcmSha256: asset.pcmSha256,
    cue: asset.cue,
    envelope: asset.envelope,
    gainDb: 0
  })

/**
 * Speech, music and preparation without sound: lengths are right, samples are missing. `broken` assets can't be staged. At a
 * `pace` of n, work takes one n-th of the length of its sound, and staging a tenth of that.
 */
export const makeStudioDouble = (pace = Number.POSITIVE_INFINITY) => {
  const takeTime = <A>(sec: number, made: () => A) =>
    Number.isFinite(pace) ? Effect.map(Effect.sleep((sec / pace) * 1_000), made) : Effect.sync(made)
  const broken = new Map<string, NotStaged["reason"]>()
  const said: Array<string> = []
  const onPurge: Array<(keep: ReadonlySet<string>) => void> = []
  const compose = (durationSec: number, seed: number, genre: string) => ({
    ...makeRaw(durationSec),
    title: `${genre} ${seed % 1_000}`,
    bpm: 100,
    musicalKey: "C major",
    sections: [],
    introEndMs: 6_000,
    segueMs: durationSec * 1_000 - 5_000
  })
  const layer = Layer.mergeAll(
    NoProviders,
    Layer.succeed(Speech, {
      voices: [{ voiceId: "voice_marlow", reserved: true, claimable: false }],
      speak: ({ text }: { text: string }) =>
        takeTime(10, () => {
          said.push(text)
          return {
            ...makeRaw(Math.max(1, text.split(" ").length / 2.5)),
            by: { name: "Scripted engine", trained: false }
          }
        })
    } as unknown as Speech["Service"]),
    Layer.succeed(
      Music,
      Music.of({
        outline: () => null,
        genres: [],
        compose: () => Stream.empty,
        composeWhole: ({ durationSec, genre, seed }) => takeTime(durationSec, () => compose(durationSec, seed, genre))
      })
    ),
    Layer.succeed(
      Arranger,
      Arranger.of({
        arrangements: () => ["lofi"],
        remix: ({ genre, seed }) => takeTime(120, () => compose(120, seed, genre)),
        songOnSample: ({ durationSec, genre, seed }) => takeTime(durationSec, () => compose(durationSec, seed, genre))
      })
    ),
    Layer.succeed(
      Prepare,
      Prepare.of({
        prepare: ({ id, introEndMs, kind, raw, segueMs }) =>
          Effect.sync(() => {
            const cueOut = Math.round((("channels" in raw ? raw.channels[0]!.length : 0) / raw.sampleRateHz) * 48_000)
            return assetWith(
              id,
              kind,
              new CuePoints({
                cueIn: 0,
                introEnd: Math.min(cueOut, (introEndMs ?? 0) * 48),
                segue: segueMs === null ? cueOut : Math.max(1, segueMs * 48),
                cueOut
              })
            )
          }),
        mark: () => Effect.void,
        discard: () => Effect.void,
        stage: (asset) =>
          Effect.suspend(() => {
            const reason = broken.get(asset.id)
            return reason !== undefined
              ? Effect.fail(new NotStaged({ assetId: asset.id, reason }))
              : takeTime(asset.lengthSamples / 480_000, () => stagedAs(asset))
          }),
        stagedAs,
        listeningCopyOf: (id) => id,
        purgeStaged: (keep) =>
          Effect.sync(() => {
            for (const each of onPurge) each(keep)
            return 0
          })
      })
    )
  )
  return { layer, broken, onPurge, said }
}
