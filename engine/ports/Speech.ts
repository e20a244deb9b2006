import { Context, type Effect, Schema } from "effect"
import type { WordTiming } from "../../schema/Sound.ts"
import type { SpeechGenerator } from "../../schema/Synthetic.ts"
import type { Voice } from "../../schema/voices/Voice.ts"

/** PRIMARY: sentence-level shaping and full mastering. SPEED: raw synthesis and gain. */
export const SpeechRole = Schema.Literals(["PRIMARY", "SPEED"])
export type SpeechRole = typeof SpeechRole.Type

export class SpeechFailed extends Schema.TaggedError<SpeechFailed>()("SpeechFailed", {
  reason: Schema.Literals(["timeout", "crashed", "silent", "unknown_voice", "unreadable", "busy"]),
  detail: Schema.String
}) {}

/** Mono or stereo float32 PCM as it came from an engine: not measured, not mastered. */
export interface RawSound {
  readonly sampleRateHz: number
  readonly channels: ReadonlyArray<Float32Array>
  readonly words: ReadonlyArray<WordTiming>
  /** Gives the memory back at once, where nobody else holds the sound: a quiet process collects a song's tens of megabytes late. */
  readonly release?: () => void
}

/** Text to voice. Engines are chosen by configuration; every one is real. */
export class Speech extends Context.Service<
  Speech,
  {
    readonly voices: ReadonlyArray<Voice>
    /** The program that speaks: its sounds are marked with it. */
    readonly generator: SpeechGenerator
    readonly speak: (ask: {
      readonly text: string
      readonly voiceId: string
      readonly role: SpeechRole
      /** The voice itself where operators made it: no engine knows it by its id. */
      readonly made?: Voice
    }) => Effect.Effect<RawSound, SpeechFailed>
  }
>()("longwave/engine/ports/Speech") {}
