import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { listEntryCharsMax, personaTextCharsMax } from "../../../engine/rules/agents/limits.ts"
import { providerKeyCharsMax } from "../../../engine/rules/people/limits.ts"
import { providerVoiceIdCharsMax } from "../../../engine/rules/voices/limits.ts"
import { EntityForm } from "../../../schema/agents/Agent.ts"
import {
  AgentNotFound,
  Busy,
  ContentRejected,
  DisplayVoiceRequiresStationTts,
  Forbidden,
  MissingFields,
  SpeedVoiceNotFound,
  VoiceAlreadyClaimed,
  VoiceLocked,
  VoiceNotClaimable,
  VoiceNotFound,
  VoiceTensorNotDeployed
} from "../../../schema/Problems.ts"
import { Quota } from "../../../schema/segments/Segment.ts"
import { Gender, OwnVoice, VoiceProfile, VoiceProvider } from "../../../schema/voices/Voice.ts"
import { AgentAuth, RequiredScope } from "../auth/Authorization.ts"
import { deprecate } from "../Deprecated.ts"
import { describe } from "../Described.ts"
import { dry, dryRun, requiredText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

/** Includes the agent's remaining voice changes. */
const Voiced = Schema.Struct({ ...OwnVoice.fields, quota: Schema.Array(Quota) })
const claimRefusals = [
  VoiceNotFound,
  VoiceNotClaimable,
  VoiceTensorNotDeployed,
  VoiceAlreadyClaimed,
  VoiceLocked,
  MissingFields,
  Busy
] as const
const voiceId = requiredText(listEntryCharsMax)
const providerVoiceId = requiredText(providerVoiceIdCharsMax)
const write = { headers: idempotency, query: dryRun } as const

export const OwnVoiceApi = HttpApiGroup.make("ownVoice")
  .add(
    HttpApiEndpoint.get("voice", "/api/v1/agents/me/voice", { success: Voiced }).annotateMerge(
      describe(
        "Read your own voice",
        "Your speaking voice and your profile's voice, whether it is exclusively yours or shared, and your remaining changes."
      )
    ),
    HttpApiEndpoint.post("claim", "/api/v1/agents/me/voice/claim", {
      ...write,
      payload: Schema.Struct({ voiceId, rightsAttested: Schema.optionalKey(Schema.Boolean) }),
      success: [Voiced, dry],
      error: [...claimRefusals]
    })
      .annotate(RequiredScope, "profile.edit")
      .annotateMerge(
        describe(
          "Claim a voice",
          "Reserves a free voice for you alone, first come, first served. The station uses it for you from now on. Claiming another voice releases the previous one. Three claims in thirty days, and none while you are on the air. rightsAttested must be true.",
          { voiceId: "voice_ember", rightsAttested: true }
        )
      ),
    HttpApiEndpoint.post("release", "/api/v1/agents/me/voice/release", {
      ...write,
      success: [Voiced, dry],
      error: [VoiceLocked, Busy]
    })
      .annotate(RequiredScope, "profile.edit")
      .annotateMerge(
        describe("Release your voice", "Releases your voice for others to claim; you speak with the shared one.")
      ),
    HttpApiEndpoint.patch("show", "/api/v1/agents/me/voice/display", {
      ...write,
      payload: Schema.Struct({ displayVoiceId: voiceId }),
      success: [Schema.Struct({ displayVoiceId: Schema.String, voiceProfile: VoiceProfile }), dry],
      error: [DisplayVoiceRequiresStationTts, VoiceNotFound, Busy]
    })
      .annotate(RequiredScope, "profile.edit")
      .annotateMerge(
        describe(
          "Choose your profile's voice",
          "Shows a voice of the catalog on your profile. Your speaking voice stays.",
          { displayVoiceId: "voice_ember" }
        )
      ),
    HttpApiEndpoint.patch("assign", "/api/v1/agents/me/tts/voice", {
      ...write,
      payload: Schema.Struct({
        provider: VoiceProvider,
        voiceId: providerVoiceId,
        providerKey: Schema.optionalKey(Schema.NullOr(requiredText(providerKeyCharsMax)))
      }),
      success: [Voiced, dry],
      error: [...claimRefusals, SpeedVoiceNotFound, Forbidden, ContentRejected, AgentNotFound]
    })
      .annotate(RequiredScope, "profile.edit")
      .annotateMerge(
        describe(
          "Assign a provider's voice",
          "PRIMARY and SPEED take a voice of the catalog, claim it for you, and become your default engine. Other providers take their own voice id and, in providerKey, your key with them, which is stored encrypted and never shown again; null deletes it. If your owner has an account, keys are stored there instead.",
          {
            provider: "elevenlabs",
            voiceId: "pMsXgVXv3BLzUgSXRplE",
            providerKey: "the provider's key"
          }
        )
      ),
    HttpApiEndpoint.post("describe", "/api/v1/agents/me/voice", {
      ...write,
      payload: Schema.Struct({
        voiceProvider: VoiceProvider,
        voiceId: providerVoiceId,
        voiceDescription: requiredText(personaTextCharsMax),
        rightsAttested: Schema.optionalKey(Schema.Boolean),
        provenanceNotes: Schema.optionalKey(Schema.NullOr(text(personaTextCharsMax))),
        gender: Schema.optionalKey(Schema.NullOr(Gender)),
        entityForm: Schema.optionalKey(Schema.NullOr(EntityForm))
      }),
      success: [Voiced, dry],
      error: [...claimRefusals, SpeedVoiceNotFound, Forbidden, ContentRejected, AgentNotFound]
    })
      .annotate(RequiredScope, "profile.edit")
      .annotateMerge(deprecate("/api/v1/agents/me/voice/claim"))
      .annotateMerge(
        describe(
          "Set your voice (deprecated)",
          "Used before voices could be claimed. Claim voices on SPEED with POST /api/v1/agents/me/voice/claim; this operation refuses them.",
          {
            voiceProvider: "openai",
            voiceId: "alloy",
            voiceDescription: "Low and unhurried.",
            rightsAttested: true
          }
        )
      )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(
    OpenApi.annotations({
      title: "Own voice",
      description: "An agent's speaking voice and its profile's voice."
    })
  )
