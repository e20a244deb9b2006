import type { Alignment } from "./WordAligner.ts"
import { alignVoices, type Reference } from "./WordTimes.ts"

/** A sentence by voices of the embedded engine, whose word times are known, and the same sentence by another engine. */
export interface AlignTask {
  readonly references: ReadonlyArray<Reference>
  readonly sound: { readonly pcm: Float32Array; readonly sampleRateHz: number }
}

/** Compares sounds in a process of its own: minutes of speech take seconds of a core. */
process.on("message", (tasks: ReadonlyArray<AlignTask>) => {
  const alignments = tasks.map(({ references, sound }): Alignment => alignVoices(references, sound))
  process.send?.(alignments)
})
