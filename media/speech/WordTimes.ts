import { frameMs, pauseDb, type Spectrogram, spectrogramOf } from "./Spectrogram.ts"
import { alignWords, type Alignment } from "./WordAligner.ts"

/** A sound, and when the words of its sentence begin in it. */
export interface Reference {
  readonly pcm: Float32Array
  readonly sampleRateHz: number
  readonly startsMs: ReadonlyArray<number>
}

/** Vocal tracts differ in length: each reference is also laid over the sound with its frequencies moved by these factors. */
const tracts = [1, 0.88, 1.14] as const
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

/** Lays a sentence by a voice, with its frequencies moved by a factor, over a sound. */
export const alignVoice = (
  { pcm, sampleRateHz, startsMs }: Reference,
  sound: Spectrogram,
  tract: number = tracts[0]
): Alignment =>
  // A higher rate moves frequencies up, and makes the reference shorter.
  alignWords(
    spectrogramOf(pcm, sampleRateHz * tract),
    startsMs.map((ms) => ms / tract),
    sound
  )

/**
 * Better times of the words than one voice tells: the median of the likest voices and tracts. One voice laid over another goes wrong at some word,
 * several seldom at the same one. `own` is the alignment of the first voice, as it is: it alone tells what the sound holds, because the thresholds
 * for missing and alien words belong to it.
 */
export const retimeByVoices = (own: Alignment, references: ReadonlyArray<Reference>, sound: Spectrogram): Alignment => {
  const nearest = references
    .flatMap((reference, voice) =>
      tracts.map((tract) => (voice === 0 && tract === tracts[0] ? own : alignVoice(reference, sound, tract)))
    )
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, nearestCount)
  return {
    ...own,
    words: own.words.map((word, k) => {
      const startMs = median(nearest.flatMap(({ words }) => words[k]?.startMs ?? []))
      return startMs === null ? word : { endMs: word?.endMs ?? startMs, startMs: snapToSound(startMs, sound) }
    })
  }
}

/** Start of each word in the sound; of one that no voice found, as far between its neighbours as in the reference. */
export const startsIn = (
  { words }: Alignment,
  { endMs, startsMs }: { readonly startsMs: ReadonlyArray<number>; readonly endMs: number },
  soundMs: number
): ReadonlyArray<number> =>
  words.map((word, k) => {
    if (word !== null) return word.startMs
    const before = words.findLastIndex((other, at) => at < k && other !== null)
    const after = words.findIndex((other, at) => at > k && other !== null)
    const [from, to] = [words[before]?.startMs ?? 0, words[after]?.startMs ?? soundMs]
    const [first, last] = [startsMs[before] ?? 0, startsMs[after] ?? endMs]
    return last <= first ? to : from + ((to - from) * (startsMs[k]! - first)) / (last - first)
  })
