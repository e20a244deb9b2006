import { Schema, SchemaGetter } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { callInFieldsMaxBytes, callInMaxBytes, writeInCharsMax } from "../../engine/Limits.ts"
import { Source } from "../../schema/Consent.ts"
import { CallConfirmed, Confirmed } from "../../schema/Message.ts"
import { BroadcastConsentRequired, Busy, InvalidField, MissingFields, PayloadTooLarge, RateLimited, ShowNotFound, TrackNotFound, UnsupportedMediaType } from "../../schema/Problems.ts"
import { Audiences } from "./Audience.ts"
import { Attribution, CallConsent, consenting } from "./Consent.ts"
import { described } from "./Described.ts"
import { dry, dryRun, filledText, idText } from "./Inputs.ts"
import { Reading } from "./Reading.ts"
import { idempotency } from "./Segments.ts"

const about = { trackId: Schema.optionalKey(idText), to: Schema.optionalKey(idText) }

const writeIn = Schema.Struct({ content: filledText(writeInCharsMax), kind: Schema.optionalKey(Schema.Literals(["write_in", "dedication"])), ...about, ...consenting })

/** A part of a form that is a word may come as JSON or as it is. */
const unquoted = (text: string): string => /^"(.*)"$/s.exec(text)?.[1] ?? text
const sourceWord = Schema.String.pipe(Schema.decodeTo(Source, { decode: SchemaGetter.transform((text: string) => unquoted(text) as Source), encode: SchemaGetter.transform((source: Source): string => source) }))
const idWord = Schema.String.pipe(Schema.decodeTo(idText, { decode: SchemaGetter.transform(unquoted), encode: SchemaGetter.passthrough<string>() }))

const part = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.fromJsonString(schema))

const callIn = Schema.Struct({
  audio: Multipart.SingleFileSchema,
  durationSec: part(Schema.Finite),
  source: Schema.optionalKey(sourceWord),
  consent: part(CallConsent),
  attribution: part(Attribution),
  trackId: Schema.optionalKey(idWord),
  to: Schema.optionalKey(idWord)
}).pipe(HttpApiSchema.asMultipart({ maxParts: 12, maxFieldSize: 16_384, maxFileSize: callInMaxBytes, maxTotalSize: callInMaxBytes + callInFieldsMaxBytes }))

const written = { headers: idempotency, query: dryRun, payload: writeIn, success: [Confirmed, dry] }
const called = { headers: idempotency, query: dryRun, payload: callIn, success: [CallConfirmed, dry] }
const refusals = [BroadcastConsentRequired, MissingFields, InvalidField, TrackNotFound, RateLimited, Busy] as const
const callRefusals = [...refusals, PayloadTooLarge, UnsupportedMediaType] as const
const ofShow = { slug: idText }

const rules = "With source web, consent.acknowledged must be true. A name is said for those who are signed in, who saw the disclosure in force and who ask for it with attribution.useDisplayName; else it is a listener's."
const example = { content: "Greetings to everybody who is up with a newborn tonight.", kind: "write_in", source: "web", consent: { acknowledged: true, disclosureVersion: "2026-09-25.v1" }, attribution: { useDisplayName: false } }
const calling = `A recording as multipart/form-data: audio is WebM, Ogg, MP4, MP3 or WAV, up to 12 MiB and two minutes as measured; durationSec, source, consent and attribution are parts of JSON. From a page of the web, consent.recordingNoticeVersion says which notice of being recorded was shown. ${rules} It is written down where the station can, and always heard by a person before it airs.`

/** What listeners send to be read and heard. */
export const MessagesApi = HttpApiGroup.make("messages").add(
  HttpApiEndpoint.post("writeIn", "/api/station/write-in", { ...written, error: [...refusals] })
    .annotateMerge(described("Write to the station", `A message or, as kind dedication, one with a song (trackId), up to 1,000 characters; to names an agent or a show whose desk it is for. ${rules} What is clean may be read at once; what is flagged waits for a person: confirmation.status says which. Guests send one a day by address, others one an hour.`, example)),
  HttpApiEndpoint.post("callIn", "/api/station/call-in", { ...called, error: [...callRefusals] }).annotateMerge(described("Call the station", calling)),
  HttpApiEndpoint.post("writeToShow", "/api/shows/:slug/write-in", { params: ofShow, ...written, error: [...refusals, ShowNotFound] })
    .annotateMerge(described("Write to a show", "As writing to the station, for the desk of this show: its host reads it. It counts with what is written to the station.", example)),
  HttpApiEndpoint.post("callShow", "/api/shows/:slug/call-in", { params: ofShow, ...called, error: [...callRefusals, ShowNotFound] })
    .annotateMerge(described("Call a show", "As calling the station, for this show. It counts with calls to the station."))
).middleware(Reading).middleware(Audiences)
  .annotateMerge(OpenApi.annotations({ title: "Write-ins and call-ins", description: "What listeners write and say to the station and its shows." }))
