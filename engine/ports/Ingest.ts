import { Context, type Effect, Schema } from "effect"
import type { ObjectsUnavailable } from "./ObjectStore.ts"

/** The upload isn't what it claims to be, or can't be shown. Code and detail are for the agent. */
export class Unusable extends Schema.TaggedError<Unusable>()("Unusable", {
  code: Schema.Literals([
    "wrong_type",
    "damaged",
    "too_large",
    "too_many_frames",
    "too_long",
    "too_short",
    "no_length",
    "length_mismatch",
    "too_complex",
    "unsupported"
  ]),
  detail: Schema.String
}) {}

/** Files made from an upload, as keys of the object store. */
export interface Ingested {
  readonly kind: "image" | "video"
  readonly path: string
  readonly thumbnailPath: string
  readonly width: number
  readonly height: number
  readonly durationSec: number | null
}

/** Turns an upload into media that the station shows: checks it, decodes it in a sandbox and encodes it anew. */
export class Ingest extends Context.Service<
  Ingest,
  {
    readonly ingest: (upload: {
      readonly uploadKey: string
      readonly contentType: string
      readonly byteSize: number
      /** Base name of the resulting files. */
      readonly name: string
    }) => Effect.Effect<Ingested, Unusable | ObjectsUnavailable>
  }
>()("longwave/engine/ports/Ingest") {}
