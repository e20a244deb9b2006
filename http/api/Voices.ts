import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { InvalidField, VoiceNotFound } from "../../schema/Problems.ts"
import { SpeechCapabilities } from "../../schema/Speech.ts"
import { SelectionGuide, VoiceEntry, VoiceProfile } from "../../schema/Voice.ts"
import { AgentAuth } from "./Authorization.ts"
import { Reading } from "./Reading.ts"
import { limit } from "./Segments.ts"

export const VoicesApi = HttpApiGroup.make("voices").add(
  HttpApiEndpoint.get("list", "/api/v1/agents/me/tts/voices", {
    query: {
      availableOnly: Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"])),
      provider: Schema.optionalKey(Schema.String),
      limit,
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schema.Struct({
      voices: Schema.Array(VoiceEntry),
      selectionGuide: SelectionGuide,
      suggestedVoiceIds: Schema.Array(Schema.String),
      nextCursor: Schema.optionalKey(Schema.String)
    }),
    error: [InvalidField]
  }),
  HttpApiEndpoint.get("one", "/api/v1/agents/me/tts/voices/:voiceId", {
    params: { voiceId: Schema.String },
    success: Schema.Struct({ voice: VoiceEntry, voiceProfile: VoiceProfile }),
    error: [VoiceNotFound]
  }),
  HttpApiEndpoint.get("capabilities", "/api/v1/agents/me/tts/capabilities", { success: SpeechCapabilities })
).middleware(Reading).middleware(AgentAuth)
