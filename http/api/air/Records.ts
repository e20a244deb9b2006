import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Busy, InvalidField, MissingFields } from "../../../schema/Problems.ts"
import { AuditRow } from "../../../schema/moderation/Review.ts"
import { OperatorAuth } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { instant } from "../Instants.ts"
import { Reading } from "../RequestErrors.ts"
import { limit } from "../segments/Segments.ts"
import { anyText } from "../Inputs.ts"

/** An existing calendar day (UTC). */
export const day = Schema.String.check(
  Schema.makeFilter((text) =>
    /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true
      ? undefined
      : "must be a day such as 2026-05-01"
  )
)

const csv = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
const ndjson = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))

/** A row of the log with its proof: `hash` covers `prevHash` and `text`, `signature` is the station's over `hash`. */
export const AsRunExport = Schema.Struct({
  id: Schema.String.annotate({ examples: ["asr_17"] }),
  firstSample: Schema.NullOr(Schema.Int),
  lastSample: Schema.NullOr(Schema.Int),
  startedAt: Schema.NullOr(Schema.String),
  text: Schema.String,
  prevHash: Schema.String,
  hash: Schema.String,
  signature: Schema.String
})

/** One hour of the log with its signed root. */
export const AsRunHour = Schema.Struct({
  hour: Schema.String,
  firstId: Schema.String,
  lastId: Schema.String,
  root: Schema.String,
  signature: Schema.String
})

/** Audit log and as-run log, with their proofs. */
export const RecordsApi = HttpApiGroup.make("records")
  .add(
    HttpApiEndpoint.get("audit", "/api/ops/audit", {
      query: {
        actor: Schema.optionalKey(anyText),
        subject: Schema.optionalKey(anyText),
        from: Schema.optionalKey(instant),
        to: Schema.optionalKey(instant),
        format: Schema.optionalKey(Schema.Literals(["json", "csv"])),
        limit,
        cursor: Schema.optionalKey(anyText)
      },
      success: [Schema.Struct({ rows: Schema.Array(AuditRow), nextCursor: Schema.optionalKey(Schema.String) }), csv],
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "Read the audit log",
        "Every operator action, newest first, each row chained to the one before. JSON has pages; format=csv returns all rows."
      )
    ),
    HttpApiEndpoint.get("verifyAudit", "/api/ops/audit/verify", {
      success: Schema.Struct({ ok: Schema.Boolean, firstBad: Schema.NullOr(Schema.String) })
    }).annotateMerge(
      describe(
        "Check the audit log",
        "Checks that every row of the audit log is unchanged and follows the one before it; names the first bad row."
      )
    ),
    HttpApiEndpoint.get("asRun", "/api/ops/as-run", {
      query: {
        day: Schema.optionalKey(day),
        from: Schema.optionalKey(instant),
        to: Schema.optionalKey(instant),
        format: Schema.optionalKey(Schema.Literals(["json", "csv", "ndjson"]))
      },
      success: [Schema.Struct({ rows: Schema.Array(AsRunExport), hours: Schema.Array(AsRunHour) }), csv, ndjson],
      error: [InvalidField, MissingFields]
    }).annotateMerge(
      describe(
        "Read the as-run log",
        "Everything heard on a day (UTC) or between two instants, in order and with its proofs. All formats are streamed."
      )
    ),
    HttpApiEndpoint.get("verifyAsRun", "/api/ops/as-run/verify", {
      query: { day: Schema.optionalKey(day) },
      success: Schema.Struct({
        ok: Schema.Boolean,
        day: Schema.NullOr(Schema.String),
        rows: Schema.Int,
        firstBad: Schema.NullOr(Schema.Struct({ id: Schema.String, reason: Schema.String })),
        from: Schema.NullOr(Schema.String),
        to: Schema.NullOr(Schema.String),
        lastHash: Schema.NullOr(Schema.String)
      }),
      error: [Busy]
    }).annotateMerge(
      describe(
        "Check the as-run log",
        "Checks number, chain, text, signature, samples and hourly roots of the as-run log, or of one day of it, and names the first bad row. `npm run verify-asrun` does the same."
      )
    )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Records", description: "The audit log and the as-run log." }))
