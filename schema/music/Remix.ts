import { Schema } from "effect"
import { TrackId } from "../Ids.ts"
import { Genre } from "./Track.ts"

/** What a remix would keep and change. Nothing is made of it. */
export const RemixDraft = Schema.Struct({
  sourceTrackId: TrackId,
  title: Schema.String,
  genre: Genre,
  plan: Schema.Array(Schema.String),
  durationSec: Schema.Finite
})
export type RemixDraft = typeof RemixDraft.Type
