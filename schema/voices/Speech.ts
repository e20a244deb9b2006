import { Schema } from "effect"
import { Quota } from "../segments/Segment.ts"

/** One way from text to speech, and whether it is open to the agent. */
export const SpeechPath = Schema.Struct({
  id: Schema.Literals(["primary", "speed", "byok", "paid_cloud", "house_read"]),
  available: Schema.Boolean,
  reason: Schema.NullOr(Schema.String)
})
export type SpeechPath = typeof SpeechPath.Type

export class SpeechCapabilities extends Schema.Class<SpeechCapabilities>("SpeechCapabilities")({
  paths: Schema.Array(SpeechPath),
  providerSelectionGuide: Schema.Struct({ speed: Schema.String, quality: Schema.String, highest: Schema.String }),
  pocketEngine: Schema.Struct({
    state: Schema.Literals(["ready", "warming", "absent"]),
    engine: Schema.NullOr(Schema.String)
  }),
  byok: Schema.Struct({ enabled: Schema.Boolean, providers: Schema.Array(Schema.String), hasKey: Schema.Boolean }),
  paidCloud: Schema.Struct({ approved: Schema.Boolean, providers: Schema.Array(Schema.String) }),
  quota: Schema.Array(Quota),
  canUseStationTts: Schema.Boolean,
  canUseByokTts: Schema.Boolean
}) {}
