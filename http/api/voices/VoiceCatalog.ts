import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { personaBriefCharsMax, sampleLineCharsMax } from "../../../engine/rules/voices/limits.ts"
import { Busy, MissingFields, SubjectConflict, VoiceNotFound } from "../../../schema/Problems.ts"
import { CatalogVoice, NewVoice, TimbreWord, VoiceDecision } from "../../../schema/voices/Voice.ts"
import { SpeechEngineState } from "../../../schema/voices/Speech.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, dry, dryRun, requiredText } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { idempotency } from "../segments/Segments.ts"

const optional = Schema.optionalKey
const name = requiredText(24).check(
  Schema.makeFilter((value) => (/^[A-Za-z]{2,24}$/.test(value) ? undefined : "must be 2 to 24 letters"))
)
const personaBrief = requiredText(personaBriefCharsMax)
const sampleLine = requiredText(sampleLineCharsMax)
const timbre = Schema.Array(TimbreWord).check(Schema.isMinLength(1), Schema.isMaxLength(3))
const shown = [Schema.Struct({ voice: CatalogVoice }), dry] as const

/** An engine as operators see it, with what it cost at the stated price. */
const Engine = Schema.Struct({
  ...Struct.omit(SpeechEngineState.fields, ["lastFailure"]),
  lastFailure: Schema.NullOr(Schema.Struct({ reason: Schema.String, detail: Schema.String, at: Schema.String })),
  costUsd: Schema.NullOr(Schema.Finite)
})

/** Operators' commands on the catalog of voices. */
export const VoiceCatalogApi = HttpApiGroup.make("catalog")
  .add(
    HttpApiEndpoint.get("list", "/api/ops/voices", { success: Schema.Struct({ voices: Schema.Array(CatalogVoice) }) })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe("List all voices", "All voices, including reserved and unlisted ones, with their owners and settings.")
      ),
    HttpApiEndpoint.get("engines", "/api/ops/speech", { success: Schema.Struct({ engines: Schema.Array(Engine) }) })
      .annotate(RequiredRole, "viewer")
      .annotateMerge(
        describe(
          "List the speech engines",
          "The engines of PRIMARY and SPEED in the order in which they are asked, their health, last failure and use since the start. An engine that is out rests after a failure; the next one speaks."
        )
      ),
    HttpApiEndpoint.post("make", "/api/ops/voices", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        ...NewVoice.fields,
        name,
        timbre,
        personaBrief,
        sampleLine,
        reserved: optional(Schema.Boolean),
        hasDeployedVoice: optional(Schema.Boolean),
        reason
      }),
      success: shown,
      error: [SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Add a voice",
          "Adds a voice to the catalog from its parameters: median pitch, length of the vocal tract (100 is the accent's own), second formant, tempo. hasDeployedVoice puts it into service, now or later.",
          {
            name: "Tern",
            gender: "female",
            ageBand: "adult",
            accent: "Scottish",
            pace: "measured",
            timbre: ["clear"],
            personaBrief: "Reads the shipping forecast as if it were good news.",
            sampleLine: "Light icing. Good.",
            sound: { pitchHz: 205, tractPct: 104, secondPct: 99, wordsPerMin: 158 }
          }
        )
      ),
    HttpApiEndpoint.patch("decide", "/api/ops/voices/:id", {
      params: { id: anyText },
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        ...VoiceDecision.fields,
        personaBrief: optional(Schema.NullOr(personaBrief)),
        sampleLine: optional(Schema.NullOr(sampleLine)),
        reason
      }),
      success: shown,
      error: [MissingFields, VoiceNotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Change a voice",
          "reserved keeps it for shows, hasDeployedVoice puts it on SPEED, listed shows or hides it in the catalog; its owner keeps it. Null returns a setting to the engine. Settings survive restarts.",
          { reserved: true, reason: "for the night show" }
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(
    OpenApi.annotations({
      title: "Voices",
      description: "The voices of the catalog, and their settings."
    })
  )
