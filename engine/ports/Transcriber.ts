import { Context, type Effect, Schema } from "effect"

/** No transcript. `again` if a retry may help: the recogniser was unreachable or busy. */
export class NotTranscribed extends Schema.TaggedError<NotTranscribed>()("NotTranscribed", {
  detail: Schema.String,
  again: Schema.Boolean
}) {}

/** Transcribes speech: with a local recogniser or a remote one. Without either, a person has to do it. */
export class Transcriber extends Context.Service<
  Transcriber,
  {
    /** Null without a recogniser. */
    readonly engine: string | null
    /** `key` names a FLAC file in the object store. */
    readonly transcribe: (key: string) => Effect.Effect<string, NotTranscribed>
  }
>()("longwave/engine/ports/Transcriber") {}
