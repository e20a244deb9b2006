import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Station } from "../../../actors/air/protocol.ts"
import { asRunHoursMax } from "../../../engine/rules/air/limits.ts"
import { sampleOf } from "../../../schema/time/Samples.ts"
import { AsRun } from "../../../engine/store/air/AsRun.ts"
import { Audit } from "../../../engine/store/sql/Audit.ts"
import { Fences } from "../../../engine/store/air/Fences.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { InvalidField, MissingFields } from "../../../schema/Problems.ts"
import { msOf } from "../../api/Instants.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { nextCursorOf, unknownCursor } from "../Commands.ts"
import { exportAsRun, auditCsv } from "./Exports.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"

const dayMs = 86_400_000
const msOrNull = (text: string | undefined) => (text === undefined ? null : msOf(text))
/** The requested period: a day, or from and to. */
const rangeOf = Effect.fnUntraced(function* ({
  day,
  from,
  to
}: {
  readonly day?: string
  readonly from?: string
  readonly to?: string
}) {
  if (day !== undefined && from === undefined && to === undefined) {
    const fromMs = Date.parse(`${day}T00:00:00Z`)
    return { fromMs, toMs: fromMs + dayMs, name: `as-run-${day}` }
  }
  if (day === undefined && from !== undefined && to !== undefined && msOf(from) < msOf(to)) {
    const name = `as-run-${[from, to].map((each) => new Date(msOf(each)).toISOString().replaceAll(/[:.]/g, "")).join("-")}`
    return { fromMs: msOf(from), toMs: msOf(to), name }
  }
  return yield* day === undefined && (from === undefined || to === undefined)
    ? new MissingFields({
        detail: "Required: day, or from and to.",
        errors: [{ pointer: "/query/day", code: "MISSING_FIELDS", detail: "day, or from and to" }]
      })
    : new InvalidField({
        detail: "Send day alone, or from and a later to.",
        errors: [{ pointer: "/query/from", code: "INVALID_FIELD", detail: "must come before to, and without day" }]
      })
})
export const RecordsHandlers = HttpApiBuilder.group(
  OpsApi,
  "records",
  Effect.fnUntraced(function* (handlers) {
    const { slug } = yield* StationFacts
    const station = (yield* Station.client)(slug)
    return handlers.handleAll({
      audit: Effect.fnUntraced(function* ({ query }) {
        const audit = yield* Audit
        const filter = {
          actor: query.actor ?? null,
          subject: query.subject ?? null,
          fromMs: msOrNull(query.from),
          toMs: msOrNull(query.to),
          cursor: query.cursor ?? null
        }
        if (query.format === "csv") return yield* auditCsv(audit, { ...filter, cursor: null })
        const page = yield* audit.list({ ...filter, limit: limitOf(query) })
        return page === null ? yield* unknownCursor : { rows: page.rows, ...nextCursorOf(page.next) }
      }),
      verifyAudit: () =>
        Effect.flatMap(Audit, (audit) =>
          Effect.map(audit.firstBroken, (firstBad) => ({ ok: firstBad === null, firstBad }))
        ),
      asRun: Effect.fnUntraced(function* ({ query }) {
        const { fromMs, name, toMs } = yield* rangeOf(query)
        const asRun = yield* AsRun
        const stationId = yield* (yield* Fences).stationId
        const hours = (yield* asRun.roots(stationId, asRunHoursMax)).filter(
          ({ hourMs }) => hourMs + 3_600_000 > fromMs && hourMs < toMs
        )
        return yield* exportAsRun(
          asRun,
          { stationId, fromSample: sampleOf(fromMs), toSample: sampleOf(toMs) },
          query.format ?? "json",
          name,
          hours
        )
      }),
      verifyAsRun: Effect.fnUntraced(function* ({ query }) {
        const { fault, firstAtMs, lastAtMs, lastHash, rows } = yield* send(
          station.VerifyAsRun({ day: query.day ?? null })
        )
        return {
          ok: fault === null,
          day: query.day ?? null,
          rows,
          firstBad: fault === null ? null : { id: `asr_${fault.seq}`, reason: fault.reason },
          from: isoOrNull(firstAtMs),
          to: isoOrNull(lastAtMs),
          lastHash
        }
      })
    })
  })
)
