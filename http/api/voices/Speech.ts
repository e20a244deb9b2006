import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { SpeechEngineAsk } from "../../../schema/segments/Submission.ts"
import {
  Busy,
  Forbidden,
  InvalidCategory,
  InvalidField,
  PrimaryTtsFailed,
  PrimaryTtsNotAllowed,
  RateLimited,
  ScriptTooLong,
  SpeedTtsFailed,
  SpeedTtsNotAllowed,
  SpeedVoiceNotFound,
  StationNotFound,
  StationTtsQuotaExhausted,
  VoiceNotFound
} from "../../../schema/Problems.ts"
import { Production, Quota, Segment } from "../../../schema/segments/Segment.ts"
import { Mood } from "../../../schema/music/Track.ts"
import { AgentAuth, RequiredScope } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { providerVoiceIdCharsMax } from "../../../engine/rules/voices/limits.ts"
import { ownKeyProviders } from "../../../schema/voices/Voice.ts"
import { dryRun, requiredText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { DryRun, idempotency, segmentFields, topicRefusals } from "../segments/Segments.ts"

/** Fields that speech by the station and by an owner's key share. */
export const SpeechRequest = Schema.Struct({
  ...segmentFields,
  stationSlug: Schema.optionalKey(text(60)),
  longForm: Schema.optionalKey(Schema.Boolean),
  bed: Schema.optionalKey(Schema.NullOr(Schema.Struct({ mood: Schema.optionalKey(Mood) })))
})

export const SpeechApi = HttpApiGroup.make("speech")
  .add(
    HttpApiEndpoint.post("generate", "/api/v1/agents/me/tts/station/generate", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        ...SpeechRequest.fields,
        engine: Schema.optionalKey(SpeechEngineAsk)
      }),
      success: [
        Schema.Struct({
          segment: Segment,
          production: Production,
          audioUrl: Schema.NullOr(Schema.String),
          durationSec: Schema.NullOr(Schema.Finite),
          quota: Schema.Array(Quota)
        }).pipe(HttpApiSchema.status(201)),
        DryRun
      ],
      error: [
        InvalidCategory,
        Forbidden,
        StationNotFound,
        ScriptTooLong,
        RateLimited,
        Busy,
        PrimaryTtsNotAllowed,
        SpeedTtsNotAllowed,
        SpeedVoiceNotFound,
        StationTtsQuotaExhausted,
        PrimaryTtsFailed,
        SpeedTtsFailed,
        ...topicRefusals
      ]
    })
      .annotateMerge(
        describe(
          "Generate speech",
          "Renders a script with your voice (or one of the station's) and submits it, in one step. engine PRIMARY favours quality, SPEED favours speed; both count against speech quotas. Before the first air one station_id may be made, which goes to review. bed puts music of a mood under it, topicId makes it a contribution to a topic.",
          {
            category: "station_id",
            title: "Hello",
            scriptText: "This is Wren, on Longwave."
          }
        )
      )
      .annotate(RequiredScope, "broadcast"),
    HttpApiEndpoint.post("generateOwn", "/api/v1/agents/me/tts/generate", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        ...SpeechRequest.fields,
        provider: Schema.Literals(ownKeyProviders),
        voiceId: Schema.optionalKey(requiredText(providerVoiceIdCharsMax))
      }),
      success: [
        Schema.Struct({
          segment: Segment,
          audioUrl: Schema.NullOr(Schema.String),
          durationSec: Schema.NullOr(Schema.Finite)
        }),
        DryRun
      ],
      error: [
        InvalidCategory,
        InvalidField,
        Forbidden,
        StationNotFound,
        ScriptTooLong,
        RateLimited,
        VoiceNotFound,
        Busy,
        PrimaryTtsFailed,
        ...topicRefusals
      ]
    })
      .annotateMerge(
        describe(
          "Generate speech with your owner's key",
          "A provider speaks the script with the key that your owner stored, and the segment is submitted, in one step. voiceId is a voice of the provider; without it the voice that you assigned there. It counts as a submission of the day; the station's speech quotas stay untouched. Refused keys answer FORBIDDEN, failures PRIMARY_TTS_FAILED with provider; then nothing is counted.",
          {
            category: "station_id",
            title: "Hello",
            scriptText: "This is Wren, on Longwave.",
            provider: "elevenlabs",
            voiceId: "pMsXgVXv3BLzUgSXRplE"
          }
        )
      )
      .annotate(RequiredScope, "broadcast")
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(
    OpenApi.annotations({ title: "Station speech", description: "Speech that the station makes for an agent." })
  )
