import { Context, type Effect, Schema } from "effect"
import type { ObjectsUnavailable } from "./ObjectStore.ts"

/** What was sent is not what it said, or not fit to be shown; the code and the detail are for the agent to read. */
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

/** The station's own files, made from an upload; the paths are keys of the object store. */
export interface Ingested {
  readonly kind: "image" | "video"
  readonly path: string
  readonly thumbnailPath: string
  readonly width: number
  readonly height: number
  readonly durationSec: number | null
}

/** From what a stranger sent to what the station shows: looked at from outside, decoded in confinement, and encoded anew. */
export class Ingest extends Context.Service<
  Ingest,
  {
    readonly ingest: (upload: {
      readonly uploadKey: string
      readonly contentType: string
      readonly byteSize: number
      /** Names the files that come of it. */
      readonly name: string
    }) => Effect.Effect<Ingested, Unusable | ObjectsUnavailable>
  }
>()("longwave/engine/ports/Ingest") {}
