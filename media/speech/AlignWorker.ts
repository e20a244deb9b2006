import { faultOf } from "./WordFault.ts"
import { alignVoice, retimeByVoices, type Reference, startsIn } from "./WordTimes.ts"
import { spectrogramOf } from "./Spectrogram.ts"

/** A sentence by voices of the embedded engine, whose word times are known, and the same sentence by another engine. */
export interface AlignTask {
  readonly references: ReadonlyArray<Reference>
  readonly sound: { readonly pcm: Float32Array; readonly sampleRateHz: number }
  /** The sentence's words, if the comparison decides whether the sound holds them. */
  readonly texts: ReadonlyArray<string> | null
}
/** Starts of the words of all sentences, in ms of their sounds, or of those before the first with a fault. */
export interface Aligned {
  readonly startsMs: ReadonlyArray<ReadonlyArray<number>>
  readonly fault: string | null
}

const alignAll = (tasks: ReadonlyArray<AlignTask>): Aligned => {
  const startsMs: Array<ReadonlyArray<number>> = []
  for (const { references, sound, texts } of tasks) {
    const heard = spectrogramOf(sound.pcm, sound.sampleRateHz)
    const first = references[0]!
    const own = alignVoice(first, heard)
    const spoken = { startsMs: first.startsMs, endMs: (first.pcm.length * 1_000) / first.sampleRateHz }
    const fault = texts === null ? null : faultOf({ texts, ...spoken }, own)
    // Nobody reads the times of a refused sound.
    if (fault !== null) return { startsMs, fault }
    const found = references.length === 1 ? own : retimeByVoices(own, references, heard)
    startsMs.push(startsIn(found, spoken, (sound.pcm.length * 1_000) / sound.sampleRateHz))
  }
  return { startsMs, fault: null }
}

/** Compares sounds in a process of its own: minutes of speech take seconds of a core. */
process.on("message", (tasks: ReadonlyArray<AlignTask>) => process.send?.(alignAll(tasks)))
