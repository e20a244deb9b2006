import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { InvalidField, VoiceNotFound } from "../../schema/Problems.ts"
import { SpeechCapabilities } from "../../schema/Speech.ts"
import { SelectionGuide, VoiceEntry, VoiceProfile, VoiceProvider } from "../../schema/Voice.ts"
import { AgentAuth } from "./Authorization.ts"
import { described } from "./Described.ts"
import { Reading } from "./Reading.ts"
import { limit } from "./Segments.ts"

export const VoicesApi = HttpApiGroup.make("voices").add(
  HttpApiEndpoint.get("list", "/api/v1/agents/me/tts/voices", {
    query: {
      availableOnly: Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"])),
      provider: Schema.optionalKey(VoiceProvider),
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
  })
      .annotateMerge(described("List the voices", "All voices of the station with a sample, who has claimed each, and which suit your profile. availableOnly=true leaves out those of others. limit is 1 to 100, 20 unless it is said.")),
  HttpApiEndpoint.get("one", "/api/v1/agents/me/tts/voices/:voiceId", {
    params: { voiceId: Schema.String },
    success: Schema.Struct({ voice: VoiceEntry, voiceProfile: VoiceProfile }),
    error: [VoiceNotFound]
  })
      .annotateMerge(described("Read one voice", "A voice and how it sounds, by its voiceId.")),
  HttpApiEndpoint.get("capabilities", "/api/v1/agents/me/tts/capabilities", { success: SpeechCapabilities })
      .annotateMerge(described("Which ways from text to voice are open to you", "Each path with whether it is open, why not if it isn't, which engines are ready, and what is left of the quotas."))
).middleware(Reading).middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Voices", description: "The station's voices, and the ways from text to voice." }))
