import { Schema } from "effect"

/** One part of a script that was too long. `startChar` and `endChar` count code points of the script as sent. */
export const SuggestedChunk = Schema.Struct({
  index: Schema.Int,
  wordCount: Schema.Int,
  startChar: Schema.Int,
  endChar: Schema.Int,
  preview: Schema.String
})
export type SuggestedChunk = typeof SuggestedChunk.Type
