import { frameMs, pauseDb, type Spectrogram, spectrogramOf } from "./Spectrogram.ts"
import { alignWords, type Alignment } from "./WordAligner.ts"

/** A sound, and when the words of its sentence begin in it. */
export interface Reference {
  readonly pcm: Float32Array
  readonly sampleRateHz: number
  readonly startsMs: ReadonlyArray<number>
}

/** Vocal tracts differ in length: each reference is also laid over the sound with its frequencies moved by these factors. */
const tracts = [1, 0.88, 1.14]
/** Of all references and tracts, those most like the sound tell the times. */
const nearestCount = 5
/** A shorter silence may be a consonant. */
const pauseFramesMin = 6
/** A word that begins within these many frames of a pause begins after it. */
const [framesBefore, framesAfter] = [2, 3]

const median = (values: ReadonlyArray<number>): number | null => {
  const sorted = values.toSorted((one, other) => one - other)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}

/** Moves a beginning that lies in a pause, or at its edge, to the end of the pause. */
const snapToSound = (startMs: number, { frames, levelDb }: Spectrogram): number => {
  const isPause = (frame: number) => frame >= 0 && frame < frames && levelDb[frame]! < pauseDb
  const at = Math.round(startMs / frameMs)
  for (let frame = at - framesBefore; frame <= at + framesAfter; frame++) {
    if (!isPause(frame)) continue
    let [first, last] = [frame, frame]
    while (isPause(first - 1)) first--
    while (isPause(last + 1)) last++
    if (last - first + 1 >= pauseFramesMin) return (last + 1) * frameMs
  }
  return startMs
}

/**
 * Lays a sentence by several voices over a sound. The first voice, that of the script, tells what the sound holds. The times of the words are
 * the median of the likest: one voice laid over another goes wrong at some word, several seldom at the same one.
 */
export const alignVoices = (
  references: ReadonlyArray<Reference>,
  { pcm, sampleRateHz }: { readonly pcm: Float32Array; readonly sampleRateHz: number }
): Alignment => {
  const sound = spectrogramOf(pcm, sampleRateHz)
  const alignTo = ({ pcm, sampleRateHz, startsMs }: Reference, tract: number) =>
    // A higher rate moves frequencies up, and makes the reference shorter.
    alignWords(
      spectrogramOf(pcm, sampleRateHz * tract),
      startsMs.map((ms) => ms / tract),
      sound
    )
  // Thresholds for missing and alien words belong to a voice as it is.
  const own = alignTo(references[0]!, 1)
  if (references.length === 1) return own
  const nearest = references
    .flatMap((reference, voice) =>
      tracts.map((tract) => (voice === 0 && tract === 1 ? own : alignTo(reference, tract)))
    )
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, nearestCount)
  return {
    ...own,
    words: own.words.map((word, k) => {
      const startMs = median(nearest.flatMap(({ words }) => words[k]?.startMs ?? []))
      return word === null || startMs === null ? word : { ...word, startMs: snapToSound(startMs, sound) }
    })
  }
}
