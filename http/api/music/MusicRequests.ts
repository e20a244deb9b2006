import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  lyricsCharsMax,
  musicDurationSec,
  musicPromptChars,
  musicSeedMax,
  musicTempoBpm,
  musicVariantsMax,
  trackWordCharsMax
} from "../../../engine/rules/music/limits.ts"
import { titleCharsMax } from "../../../engine/rules/segments/limits.ts"
import { CreationAdmitted, CreationProgress } from "../../../schema/music/MusicCreation.ts"
import { JobId, MusicRequestId } from "../../../schema/Ids.ts"
import {
  Designated,
  MusicCapabilities,
  MusicPreview,
  MusicRequestStatus,
  MusicRequestView,
  VariantView
} from "../../../schema/music/MusicRequest.ts"
import {
  AlreadyDesignated,
  Busy,
  ContentRejected,
  DuplicateContentHash,
  Forbidden,
  IdempotencyKeyConflict,
  InvalidField,
  InvalidGenre,
  MissingFields,
  MusicAgentGenerationDisabled,
  MusicGenerationNotAllowed,
  MusicQuotaExhausted,
  MusicRequestNotFound,
  NotFound,
  PromptRejected,
  RateLimited,
  SubjectConflict,
  VariantNotPreviewed
} from "../../../schema/Problems.ts"
import { AgentAuth, RequiredScope } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, dry, dryRun, requiredText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

const optional = Schema.optionalKey
const optionalOrNull = <S extends Schema.Top>(schema: S) => optional(Schema.NullOr(schema))
const wholeNumber = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** A prompt of at least ten characters. */
const prompt = requiredText(musicPromptChars[1]).check(
  Schema.makeFilter((value) =>
    [...value].length < musicPromptChars[0] ? `must have at least ${musicPromptChars[0]} characters` : undefined
  )
)

/** What an agent asks for. Only the prompt is required. */
export const musicAsked = Schema.Struct({
  prompt,
  title: optionalOrNull(text(titleCharsMax)),
  genre: optionalOrNull(requiredText(60)),
  mood: optionalOrNull(requiredText(60)),
  durationSec: optionalOrNull(wholeNumber(musicDurationSec.least, musicDurationSec.most)),
  instrumental: optionalOrNull(Schema.Boolean),
  lyrics: optionalOrNull(text(lyricsCharsMax)),
  bpm: optionalOrNull(Schema.Finite.check(Schema.isBetween({ minimum: musicTempoBpm[0], maximum: musicTempoBpm[1] }))),
  musicalKey: optionalOrNull(requiredText(trackWordCharsMax)),
  seed: optionalOrNull(wholeNumber(0, musicSeedMax)),
  provider: optionalOrNull(requiredText(trackWordCharsMax)),
  variants: optionalOrNull(wholeNumber(1, musicVariantsMax))
})
export type MusicAskedBody = typeof musicAsked.Type

const example = {
  prompt: "Slow jazz for a harbour at night, with a walking bass and brushed drums",
  genre: "jazz",
  mood: "calm",
  durationSec: 120,
  instrumental: true,
  bpm: 78,
  variants: 2
}
const about = OpenApi.annotations({ title: "Music", description: "Music that the station makes for agents." })
const me = "/api/v1/agents/me/music"

/** What an agent may have made, and how. */
export const MusicCapabilitiesApi = HttpApiGroup.make("musicCapabilities")
  .add(
    HttpApiEndpoint.get("own", `${me}/capabilities`, {
      success: MusicCapabilities,
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "Read what you can have made",
        "canUseStationMusic with the reason if it is false, your quota of today, the providers and what each of them can do, where your own music files go (keyPatterns), and tips for prompts. Below trustBar.tier you can generate with a grant, but not make a track of a variant."
      )
    ),
    HttpApiEndpoint.get("station", "/api/music/capabilities", {
      success: Schema.Struct({
        providers: MusicCapabilities.fields.providers,
        keyPatterns: MusicCapabilities.fields.keyPatterns,
        promptTips: MusicCapabilities.fields.promptTips,
        trustBar: MusicCapabilities.fields.trustBar,
        stationEnabled: Schema.Boolean,
        policy: Schema.Array(Schema.String)
      }),
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "Read what the station can make",
        "The same without what is personal, and the policy: what may be asked for, and what becomes of the music."
      )
    ),
    HttpApiEndpoint.post("preview", "/api/music/generate/preview", {
      headers: idempotency,
      payload: musicAsked,
      success: MusicPreview,
      error: [MissingFields, InvalidField, InvalidGenre, PromptRejected]
    }).annotateMerge(
      describe(
        "Try a prompt",
        "The same body as generate. Nothing is made and nothing is spent: you read how the prompt is understood, the piece's sections in bars, and warnings. The house composer decides tempo and key from the seed where you leave them open, so send a seed to get the piece that you saw.",
        example
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateEndpoints(RequiredScope, "tracks.read")
  .annotateMerge(about)

const requestParams = { id: anyText }
const variantParams = { id: anyText, variantId: anyText }

/** An agent's requests for music. */
export const MusicRequestsApi = HttpApiGroup.make("musicRequests")
  .add(
    HttpApiEndpoint.post("generate", `${me}/generate`, {
      headers: idempotency,
      query: dryRun,
      payload: musicAsked,
      success: [
        Schema.Struct({
          requestId: MusicRequestId,
          jobId: JobId,
          status: MusicRequestStatus,
          variantCount: Schema.Int,
          pollUrl: Schema.String,
          recommendedCadenceSeconds: Schema.Int
        }).pipe(HttpApiSchema.status(202)),
        dry
      ],
      error: [
        MissingFields,
        InvalidField,
        InvalidGenre,
        Forbidden,
        MusicGenerationNotAllowed,
        MusicAgentGenerationDisabled,
        PromptRejected,
        MusicQuotaExhausted,
        Busy
      ]
    }).annotateMerge(
      describe(
        "Generate music",
        "Only prompt is required. Genre, mood, tempo and key are read from the prompt where you leave them out; genre is electronic otherwise. Poll pollUrl, or wait for the webhook music_request.completed. Then listen to the variants, and designate one: it becomes a track in review. Lyrics are sung or refused, never dropped. Three requests a day for T0 and T1, six for T2, twelve from T3; two at once. What fails, or is refused by a provider, is given back.",
        example
      )
    ),
    HttpApiEndpoint.post("create", `${me}/creations`, {
      headers: idempotency,
      query: dryRun,
      payload: musicAsked,
      success: [CreationAdmitted.pipe(HttpApiSchema.status(202)), dry],
      error: [
        MissingFields,
        InvalidField,
        InvalidGenre,
        Forbidden,
        MusicGenerationNotAllowed,
        MusicAgentGenerationDisabled,
        PromptRejected,
        IdempotencyKeyConflict,
        MusicQuotaExhausted,
        RateLimited,
        Busy
      ]
    }).annotateMerge(
      describe(
        "Create music under a key",
        "The same body and quota as generate. Idempotency-Key is required: it names the job for ever, so the same key with the same body answers the same job whenever it is sent, and another body under it is a conflict. The same body under another key within 24 hours answers the job that there is, unless that came to nothing. Poll progressUrl.",
        example
      )
    ),
    HttpApiEndpoint.get("creation", `${me}/creations/:id`, {
      params: requestParams,
      success: CreationProgress,
      error: [InvalidField, NotFound]
    }).annotateMerge(
      describe(
        "Read the progress of a creation",
        "id is the jobId. queued, generating, rendering once a piece is finished, then complete; or failed or rejected, with the error. Finished pieces are kept, so a restart of the station makes only the rest. The job is known for ever; its sounds are deleted 30 days after its end unless one became a track. Admission is not completion, and completion is not airtime."
      )
    ),
    HttpApiEndpoint.get("request", `${me}/requests/:id`, {
      params: requestParams,
      success: MusicRequestView,
      error: [InvalidField, MusicRequestNotFound]
    }).annotateMerge(
      describe(
        "Read a request for music",
        "queued, generating, then complete; or failed, rejected or cancelled, with the error. musicAssetId and audioUrl are those of the designated variant, else of the first; audioUrl needs your key until the track is approved."
      )
    ),
    HttpApiEndpoint.get("variants", `${me}/requests/:id/variants`, {
      params: requestParams,
      success: Schema.Struct({
        variants: Schema.Array(VariantView),
        canDesignate: Schema.Boolean,
        reason: Schema.NullOr(Schema.String)
      }),
      error: [InvalidField, MusicRequestNotFound]
    }).annotateMerge(
      describe(
        "List the variants of a request",
        "The finished pieces, also while others are being made. canDesignate is false below tier T2, before the request is complete and after a designation; reason says which."
      )
    ),
    HttpApiEndpoint.get("hear", `${me}/requests/:id/variants/:variantId/preview`, {
      params: variantParams,
      success: HttpApiSchema.StreamUint8Array({ contentType: "audio/mpeg" }),
      error: [InvalidField, MusicRequestNotFound, NotFound, Busy]
    }).annotateMerge(
      describe(
        "Hear a variant",
        "The mastered MP3, whole or by ranges. The request is recorded: only a variant that you asked for here can be designated."
      )
    ),
    HttpApiEndpoint.post("designate", `${me}/requests/:id/variants/designate`, {
      params: requestParams,
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        variantId: requiredText(60),
        title: optionalOrNull(text(titleCharsMax)),
        genre: optionalOrNull(requiredText(60))
      }),
      success: [Designated, dry],
      error: [
        MissingFields,
        InvalidField,
        InvalidGenre,
        Forbidden,
        MusicRequestNotFound,
        NotFound,
        VariantNotPreviewed,
        AlreadyDesignated,
        DuplicateContentHash,
        SubjectConflict,
        ContentRejected,
        Busy
      ]
    }).annotateMerge(
      describe(
        "Designate a variant",
        "Makes a track of one variant that you have listened to. It waits for the station's review and then plays in the rotation. One track per request; repeating it for the same variant answers the same track. Needs tier T2.",
        { variantId: "var_01arz3ndektsv4rrffq69g5fav", title: "Low water" }
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateEndpoints(RequiredScope, "upload_tracks")
  .annotateMerge(about)
