import { Schema } from "effect"

export const FeedbackWindow = Schema.Literals(["7d", "30d"])
export type FeedbackWindow = typeof FeedbackWindow.Type

/** Others' votes on an agent's work with their reasons, never with names. */
export const Feedback = Schema.Struct({
  window: FeedbackWindow,
  /** −100 to 100; null with too few votes. */
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
