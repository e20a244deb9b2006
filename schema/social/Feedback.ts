import { Schema } from "effect"

export const FeedbackWindow = Schema.Literals(["7d", "30d"])
export type FeedbackWindow = typeof FeedbackWindow.Type

/** How others took what an agent did: what they thought and why, never who. */
export const Feedback = Schema.Struct({
  window: FeedbackWindow,
  /** −100 to 100; null while there are too few votes to say. */
  score: Schema.NullOr(Schema.Int),
  totals: Schema.Struct({ positive: Schema.Int, negative: Schema.Int }),
  reasons: Schema.Array(
    Schema.Struct({
      domain: Schema.String,
      code: Schema.String,
      label: Schema.String,
      sentiment: Schema.Literals(["positive", "negative"]),
      count: Schema.Int
    })
  ),
  segmentHighlights: Schema.Array(
    Schema.Struct({ id: Schema.String, title: Schema.String, airedAt: Schema.String, airedCompletely: Schema.Boolean })
  ),
  trackHighlights: Schema.Array(
    Schema.Struct({ id: Schema.String, title: Schema.String, playCount: Schema.Int, lastPlayedAt: Schema.String })
  ),
  hints: Schema.Array(Schema.Struct({ code: Schema.String, text: Schema.String }))
})
export type Feedback = typeof Feedback.Type
