import { Effect } from "effect"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { mediaJobTimeoutSec } from "../../engine/rules/sound/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"
import { MediaStoreUnavailable, Unairable } from "../../engine/ports/Prepare.ts"
import type { AssetId } from "../../schema/Ids.ts"
import { Asset, type Loudness, type SoundKind, WordTiming } from "../../schema/Sound.ts"
import type { Synthetic } from "../../schema/Synthetic.ts"
import { cuePointsOf } from "./CuePoints.ts"
import { runMediaJob } from "../ffmpeg/MediaJob.ts"
import { disk, type MediaPaths, publish } from "../storage/MediaStore.ts"
import { scanSound } from "./SoundScan.ts"
import { hashOfMaster } from "./StagedSounds.ts"
import { tagsOf } from "./Tags.ts"

/** FLAC to keep and MP3 to listen to, from the same bytes in one run. */
const encode = (pcm: string, flac: string, mp3: string, synthetic: Synthetic, timeoutSec: number) => {
  const plain = [...tagsOf(synthetic), "-flags:a", "+bitexact", "-fflags", "+bitexact"]
  return runMediaJob(
    (command) =>
      command
        .input(pcm)
        .inputOptions(["-f", "s16le", "-ar", String(sampleRateHz), "-ac", String(channelsCount)])
        .output(flac)
        .outputOptions(...plain, "-f", "flac", "-c:a", "flac", "-sample_fmt", "s16")
        .output(mp3)
        .outputOptions(...plain, "-f", "mp3", "-c:a", "libmp3lame", "-b:a", "160k"),
    timeoutSec
  )
}

/** Turns mastered PCM into an asset of the store: measured, encoded, verified, and stored under its id completely or not at all. */
export const keep = Effect.fnUntraced(function* (ask: {
  readonly id: AssetId
  readonly kind: SoundKind
  readonly pcm: string
  readonly folder: string
  readonly paths: MediaPaths
  readonly loudness: Loudness
  readonly expectedSamples: number
  readonly introEndMs: number | null
  readonly segueMs: number | null
  readonly words: ReadonlyArray<Pick<WordTiming, keyof WordTiming>>
  readonly synthetic: Synthetic
}) {
  const { expectedSamples, folder, id, introEndMs, kind, loudness, paths, pcm, segueMs, synthetic, words } = ask
  const [flac, mp3] = [join(folder, "sound.flac"), join(folder, "sound.mp3")]
  const scan = yield* scanSound(pcm)
  if (Math.abs(scan.lengthSamples - expectedSamples) > sampleRateHz / 20) {
    return yield* new Unairable({
      code: "length_mismatch",
      detail: `${expectedSamples} samples were expected and ${scan.lengthSamples} came out of mastering.`
    })
  }
  // A job that takes as long as its sound plays runs on a busy machine.
  yield* encode(pcm, flac, mp3, synthetic, Math.max(mediaJobTimeoutSec, scan.lengthSamples / sampleRateHz))
  if ((yield* hashOfMaster(paths, flac)) !== scan.pcmSha256 || (yield* disk(() => stat(mp3))).size === 0) {
    return yield* new MediaStoreUnavailable({
      detail: "The media store holds other bytes than were written. Nothing was kept."
    })
  }
  yield* publish(mp3, paths.copyOf(id))
  yield* publish(flac, paths.masterOf(id))
  const endMs = Math.floor((scan.lengthSamples * 1000) / sampleRateHz)
  return new Asset({
    id,
    kind,
    lengthSamples: scan.lengthSamples,
    pcmSha256: scan.pcmSha256,
    loudness,
    envelope: scan.envelope,
    peaks: scan.peaks,
    synthetic,
    cue: cuePointsOf(kind, scan.envelope, scan.lengthSamples, { introEndMs, segueMs }),
    words: words.map(
      ({ text, ...when }) =>
        new WordTiming({ text, startMs: Math.min(when.startMs, endMs), endMs: Math.min(when.endMs, endMs) })
    )
  })
})
