import { Context, type Effect, Schema } from "effect"

/** Nobody wrote it down. `again` where another try may help: whoever writes was away, or busy. */
export class NotTranscribed extends Schema.TaggedError<NotTranscribed>()("NotTranscribed", {
  detail: Schema.String,
  again: Schema.Boolean
}) {}

/** Writes down what was said: a recogniser on this machine, somebody else's, or none, where a person has to. */
export class Transcriber extends Context.Service<
  Transcriber,
  {
    /** Who does it; null where nobody does. */
    readonly engine: string | null
    /** `key` names a FLAC file in the object store. */
    readonly transcribe: (key: string) => Effect.Effect<string, NotTranscribed>
  }
>()("longwave/engine/ports/Transcriber") {}
