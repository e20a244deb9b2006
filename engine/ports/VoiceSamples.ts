import { Context, type Effect, Schema } from "effect"
import type { Voice } from "../../schema/voices/Voice.ts"

/** Too many samples are pending, or synthesis is unavailable. */
export class SampleBusy extends Schema.TaggedError<SampleBusy>()("SampleBusy", { detail: Schema.String }) {}

/** Spoken samples of the voice catalog, synthesized on first request and then kept. */
export class VoiceSamples extends Context.Service<
  VoiceSamples,
  {
    /** Path of an existing MP3 file. */
    readonly sample: (voice: Voice) => Effect.Effect<string, SampleBusy>
  }
>()("longwave/engine/ports/VoiceSamples") {}
