import { spectrogramOf } from "./Spectrogram.ts"
import { alignWords, type Alignment } from "./WordAligner.ts"

/** A sentence by the embedded engine, whose word times are known, and the same sentence by another engine. */
export interface AlignTask {
  readonly reference: {
    readonly pcm: Float32Array
    readonly sampleRateHz: number
    readonly startsMs: ReadonlyArray<number>
  }
  readonly sound: { readonly pcm: Float32Array; readonly sampleRateHz: number }
}

/** Compares sounds in a process of its own: minutes of speech take seconds of a core. */
process.on("message", (tasks: ReadonlyArray<AlignTask>) => {
  const alignments = tasks.map(({ reference, sound }): Alignment =>
    alignWords(
      spectrogramOf(reference.pcm, reference.sampleRateHz),
      reference.startsMs,
      spectrogramOf(sound.pcm, sound.sampleRateHz)
    )
  )
  process.send?.(alignments)
})
