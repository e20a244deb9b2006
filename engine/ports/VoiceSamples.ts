import { Context, type Effect, Schema } from "effect"
import type { Voice } from "../../schema/voices/Voice.ts"

/** Too many wait for a voice to be heard, or it can't be made just now. */
export class SampleBusy extends Schema.TaggedError<SampleBusy>()("SampleBusy", { detail: Schema.String }) {}

/** What each voice of the catalog sounds like: its sample line, spoken when somebody first wants to hear it, then kept. */
export class VoiceSamples extends Context.Service<
  VoiceSamples,
  {
    /** Path of an MP3 file that is there. */
    readonly sample: (voice: Voice) => Effect.Effect<string, SampleBusy>
  }
>()("longwave/engine/ports/VoiceSamples") {}
