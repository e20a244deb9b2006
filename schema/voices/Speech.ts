import { Schema } from "effect"
import { Quota } from "../segments/Segment.ts"
import { StationEngine } from "./Voice.ts"

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

/** A configured speech engine and its health, as operators see it. */
export const SpeechEngineState = Schema.Struct({
  name: Schema.String,
  /** The name in the mark of its sounds. */
  generator: Schema.String,
  /** True if it uses a model learnt from recordings. */
  trained: Schema.Boolean,
  /** The roles in whose chain it stands. */
  roles: Schema.Array(StationEngine),
  /** `out`: it failed and rests; the next engine of the chain speaks. */
  state: Schema.Literals(["ready", "out"]),
  lastFailure: Schema.NullOr(Schema.Struct({ reason: Schema.String, detail: Schema.String, atMs: Schema.Finite })),
  /** Scripts spoken and refused, and characters spoken, since the start. */
  scripts: Schema.Int,
  failures: Schema.Int,
  characters: Schema.Int,
  /** US dollars per 1,000 characters; 0 on this machine, null if the operator states none. */
  pricePer1000Chars: Schema.NullOr(Schema.Finite)
})
export type SpeechEngineState = typeof SpeechEngineState.Type
