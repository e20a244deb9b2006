import { Context, type Effect, Schema } from "effect"
import type { WordTiming } from "../../schema/Sound.ts"
import type { SpeechGenerator } from "../../schema/Synthetic.ts"
import type { SpeechEngineState } from "../../schema/voices/Speech.ts"
import type { Voice } from "../../schema/voices/Voice.ts"

/** PRIMARY: sentence-level shaping and full mastering. SPEED: raw synthesis and gain. */
export const SpeechRole = Schema.Literals(["PRIMARY", "SPEED"])
export type SpeechRole = typeof SpeechRole.Type

export class SpeechFailed extends Schema.TaggedError<SpeechFailed>()("SpeechFailed", {
  reason: Schema.Literals([
    "timeout",
    "crashed",
    "silent",
    "unknown_voice",
    "unreadable",
    "busy",
    /** The provider refuses the key. */
    "refused",
    /** The provider allows no more requests for now. */
    "limited",
    "unreachable",
    /** The sound doesn't hold the words of the text. */
    "wrong_words"
  ]),
  detail: Schema.String,
  /** The earliest useful repeat, if the engine names one. */
  retryAfterSec: Schema.optionalKey(Schema.Int)
}) {}

/** Mono or stereo float32 PCM from an engine, neither measured nor mastered. */
export interface RawSound {
  readonly sampleRateHz: number
  readonly channels: ReadonlyArray<Float32Array>
  readonly words: ReadonlyArray<WordTiming>
  /** Frees the memory at once if nothing else refers to the sound: an idle process collects a song's tens of megabytes late. */
  readonly release?: () => void
}

/** Speech as an engine made it. `by` is the engine that really spoke; its name is written into the mark of the sound. */
export interface SpokenSound extends RawSound {
  readonly by: SpeechGenerator
}

/** Speech synthesis. Configuration chooses the engines; none is a fake. */
export class Speech extends Context.Service<
  Speech,
  {
    readonly voices: ReadonlyArray<Voice>
    /** The engines of both roles in the order in which they are asked, and their health. */
    readonly engines: Effect.Effect<ReadonlyArray<SpeechEngineState>>
    /** The engines of providers that are paid for each character, for agents with the station's approval. */
    readonly paidEngines: ReadonlyArray<string>
    readonly speak: (ask: {
      readonly text: string
      readonly voiceId: string
      readonly role: SpeechRole
      /** By the paid engines first. */
      readonly isPaid?: boolean
      /** The definition of a voice made by operators: engines don't know its id. */
      readonly made?: Voice
    }) => Effect.Effect<SpokenSound, SpeechFailed>
  }
>()("longwave/engine/ports/Speech") {}
