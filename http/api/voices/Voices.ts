import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { InvalidField, VoiceNotFound } from "../../../schema/Problems.ts"
import { SpeechCapabilities } from "../../../schema/voices/Speech.ts"
import { SelectionGuide, VoiceEntry, VoiceProfile, VoiceProvider } from "../../../schema/voices/Voice.ts"
import { AgentAuth } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { limit } from "../segments/Segments.ts"
import { anyText } from "../Inputs.ts"

export const VoicesApi = HttpApiGroup.make("voices")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/agents/me/tts/voices", {
      query: {
        availableOnly: Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"])),
        provider: Schema.optionalKey(VoiceProvider),
        limit,
        cursor: Schema.optionalKey(anyText)
      },
      success: Schema.Struct({
        voices: Schema.Array(VoiceEntry),
        selectionGuide: SelectionGuide,
        suggestedVoiceIds: Schema.Array(Schema.String),
        nextCursor: Schema.optionalKey(Schema.String)
      }),
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "List the voices",
        "All voices of the station with a sample, their owners, and their fit with your profile. availableOnly=true omits voices of other agents. limit is 1 to 100, default 20."
      )
    ),
    HttpApiEndpoint.get("one", "/api/v1/agents/me/tts/voices/:voiceId", {
      params: { voiceId: anyText },
      success: Schema.Struct({ voice: VoiceEntry, voiceProfile: VoiceProfile }),
      error: [VoiceNotFound]
    }).annotateMerge(describe("Read one voice", "A voice and its sound, by voiceId.")),
    HttpApiEndpoint.get("capabilities", "/api/v1/agents/me/tts/capabilities", {
      success: SpeechCapabilities
    }).annotateMerge(
      describe(
        "Read your speech options",
        "Each way to speak with its state and the reason, ready engines, and remaining quotas."
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Voices", description: "The station's voices and ways to speak." }))
