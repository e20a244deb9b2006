import { Schema, SchemaGetter } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  callInFieldsMaxBytes,
  callInMaxBytes,
  writeInCharsMax,
  transcriptCharsMax
} from "../../../engine/rules/listeners/limits.ts"
import { Source } from "../../../schema/listeners/Consent.ts"
import { CallConfirmed, Confirmed, MessageForOps, Interaction } from "../../../schema/listeners/Message.ts"
import {
  BroadcastConsentRequired,
  Busy,
  InvalidField,
  MissingFields,
  PayloadTooLarge,
  RateLimited,
  ShowNotFound,
  TrackNotFound,
  UnsupportedMediaType,
  NotFound
} from "../../../schema/Problems.ts"
import { Audiences, CallsLeft } from "../auth/Audience.ts"
import { Attribution, CallConsent, consenting } from "./Consent.ts"
import { describe } from "../Described.ts"
import { anyText, dry, dryRun, requiredText, idText } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"
import { RequiredRole, OperatorAuth } from "../auth/Authorization.ts"
import { reason } from "../OperatorReason.ts"

const about = { trackId: Schema.optionalKey(idText), to: Schema.optionalKey(idText) }
const writeIn = Schema.Struct({
  content: requiredText(writeInCharsMax),
  kind: Schema.optionalKey(Schema.Literals(["write_in", "dedication"])),
  ...about,
  ...consenting
})
/** A text part of a form may be JSON or plain. */
const unquote = (text: string): string => /^"(.*)"$/s.exec(text)?.[1] ?? text
const sourceWord = Schema.String.pipe(
  Schema.decodeTo(Source, {
    decode: SchemaGetter.transform((text: string) => unquote(text) as Source),
    encode: SchemaGetter.transform((source: Source): string => source)
  })
)
const idWord = Schema.String.pipe(
  Schema.decodeTo(idText, { decode: SchemaGetter.transform(unquote), encode: SchemaGetter.passthrough<string>() })
)
const part = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.fromJsonString(schema))
const callIn = Schema.Struct({
  audio: Multipart.SingleFileSchema,
  durationSec: part(Schema.Finite),
  source: Schema.optionalKey(sourceWord),
  consent: part(CallConsent),
  attribution: part(Attribution),
  trackId: Schema.optionalKey(idWord),
  to: Schema.optionalKey(idWord)
}).pipe(
  HttpApiSchema.asMultipart({
    maxParts: 12,
    maxFieldSize: 16_384,
    maxFileSize: callInMaxBytes,
    maxTotalSize: callInMaxBytes + callInFieldsMaxBytes
  })
)
const written = { headers: idempotency, query: dryRun, payload: writeIn, success: [Confirmed, dry] }
const called = { headers: idempotency, query: dryRun, payload: callIn, success: [CallConfirmed, dry] }
const refusals = [BroadcastConsentRequired, MissingFields, InvalidField, TrackNotFound, RateLimited, Busy] as const
const callRefusals = [...refusals, PayloadTooLarge, UnsupportedMediaType] as const
const ofShow = { slug: idText }
const rules =
  "With source web, consent.acknowledged must be true. The station names signed-in listeners who saw the current disclosure and send attribution.useDisplayName; all others are 'a listener'."
const example = {
  content: "Greetings to everybody who is up with a newborn tonight.",
  kind: "write_in",
  source: "web",
  consent: { acknowledged: true, disclosureVersion: "2026-09-25.v1" },
  attribution: { useDisplayName: false }
}
const calling = `Send a recording as multipart/form-data: audio is WebM, Ogg, MP4, MP3 or WAV, up to 12 MiB and two minutes; durationSec, source, consent and attribution are JSON parts. From a web page, send the version of the recording notice that you showed as consent.recordingNoticeVersion. ${rules} The station transcribes it if it can, and a person always hears it before it airs.`
/** Listeners' messages and calls. */
export const MessagesApi = HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.post("writeIn", "/api/station/write-in", { ...written, error: [...refusals] }).annotateMerge(
      describe(
        "Write to the station",
        `A message or, as kind dedication, one with a song (trackId), up to 1,000 characters; to names the agent or show that it is for. ${rules} Clean text is readable at once; flagged text waits for review: confirmation.status reports which. A guest's address may send one a day, a signed-in listener one an hour.`,
        example
      )
    ),
    HttpApiEndpoint.post("callIn", "/api/station/call-in", { ...called, error: [...callRefusals] })
      .middleware(CallsLeft)
      .annotateMerge(describe("Call the station", calling)),
    HttpApiEndpoint.post("writeToShow", "/api/shows/:slug/write-in", {
      params: ofShow,
      ...written,
      error: [...refusals, ShowNotFound]
    }).annotateMerge(
      describe(
        "Write to a show",
        "The same as writing to the station, but for this show; its host reads the message. Both share one limit.",
        example
      )
    ),
    HttpApiEndpoint.post("callShow", "/api/shows/:slug/call-in", {
      params: ofShow,
      ...called,
      error: [...callRefusals, ShowNotFound]
    })
      .middleware(CallsLeft)
      .annotateMerge(
        describe("Call a show", "The same as calling the station, but for this show. Both share one limit.")
      )
  )
  .middleware(Reading)
  .middleware(Audiences)
  .annotateMerge(
    OpenApi.annotations({
      title: "Write-ins and call-ins",
      description: "Messages and calls of listeners to the station and its shows."
    })
  )
/** Operators' view of listeners' messages. */
export const MessagesForOpsApi = HttpApiGroup.make("messagesForOps")
  .add(
    HttpApiEndpoint.get("messages", "/api/ops/messages", {
      query: {
        type: Schema.optionalKey(Interaction.fields.type),
        status: Schema.optionalKey(Interaction.fields.moderationStatus),
        limit,
        cursor: Schema.optionalKey(anyText)
      },
      success: Schema.Struct({ messages: Schema.Array(MessageForOps), nextCursor: Schema.optionalKey(Schema.String) }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "List what listeners sent",
          "Write-ins, dedications and calls, newest first, in any state; calls with the state of their transcript and sound."
        )
      ),
    HttpApiEndpoint.patch("transcript", "/api/ops/call-ins/:id", {
      params: { id: anyText },
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({ transcript: requiredText(transcriptCharsMax), reason }),
      success: [Schema.Struct({ message: MessageForOps }), dry],
      error: [NotFound, MissingFields, InvalidField, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Transcribe a call",
          "Stores a person's transcript of a call and replaces the machine's. The precheck reads it like a write-in; the review shows its findings."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(
    OpenApi.annotations({ title: "Messages of listeners", description: "Write-ins, dedications and calls." })
  )
