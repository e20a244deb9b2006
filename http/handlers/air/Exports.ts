import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { exportPageRows } from "../../../engine/rules/air/limits.ts"
import { msOf } from "../../../schema/time/Samples.ts"
import type { AsRun, AsRunRecord } from "../../../engine/store/air/AsRun.ts"
import type { Audit, AuditFilter } from "../../../engine/store/sql/Audit.ts"
import type { AsRunRoot } from "../../../schema/air/AsRun.ts"
import type { AuditRow } from "../../../schema/moderation/Review.ts"
import { iso } from "../../../schema/time/Instant.ts"

const encoder = new TextEncoder()
const asRunIdOf = (seq: number) => `asr_${seq}`
/** Escapes other people's words, so that spreadsheets don't run them as formulas. Hashes and signatures stay unchanged, as proofs must. */
const escapeFormula = (text: string | null | undefined): string =>
  text == null ? "" : /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
const cell = (value: unknown): string => {
  const text =
    value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
const line = (values: ReadonlyArray<unknown>): string => `${values.map(cell).join(",")}\r\n`
/** Streams pages, each fetched when the previous one was sent, so that an export uses the memory of one page. */
const response = <R>(pages: Stream.Stream<string, never, R>, contentType: string, fileName: string) =>
  Effect.map(Effect.context<R>(), (context) =>
    HttpServerResponse.stream(
      Stream.map(Stream.provideContext(pages, context), (text) => encoder.encode(text)),
      {
        contentType,
        headers: { "cache-control": "no-store", "content-disposition": `attachment; filename="${fileName}"` }
      }
    )
  )
const auditColumns = [
  "id",
  "at",
  "actor",
  "action",
  "subjectType",
  "subjectId",
  "reason",
  "before",
  "after",
  "previousHash",
  "hash"
]
const auditLine = (row: AuditRow) =>
  line([
    row.id,
    row.at,
    escapeFormula(row.actor),
    row.action,
    row.subject.type,
    row.subject.id,
    escapeFormula(row.reason),
    row.before,
    row.after,
    row.previousHash,
    row.hash
  ])
export const auditCsv = (audit: Audit["Service"], filter: Omit<AuditFilter, "limit">) => {
  const pages = Stream.paginate(filter.cursor, (cursor) =>
    Effect.map(
      audit.list({ ...filter, cursor, limit: exportPageRows }),
      (page) =>
        [
          [(page?.rows ?? []).map(auditLine).join("")],
          page?.next == null ? Option.none<string | null>() : Option.some<string | null>(page.next)
        ] as const
    )
  )
  return response(Stream.concat(Stream.succeed(line(auditColumns)), pages), "text/csv; charset=utf-8", "audit.csv")
}
export interface AsRunRange {
  readonly stationId: string
  readonly fromSample: number
  readonly toSample: number
}
const pagesOf = (asRun: AsRun["Service"], { fromSample, stationId, toSample }: AsRunRange) =>
  Stream.paginate(0, (fromSeq: number) =>
    Effect.map(
      asRun.rows(stationId, { fromSeq, fromSample, toSample, limit: exportPageRows }),
      (rows) =>
        [[rows], rows.length < exportPageRows ? Option.none<number>() : Option.some(rows.at(-1)!.row.seq + 1)] as const
    )
  )
const exportOf = ({ body, row }: AsRunRecord) => ({
  id: asRunIdOf(row.seq),
  firstSample: body?.firstSample ?? null,
  lastSample: body?.lastSample ?? null,
  startedAt: body === null ? null : iso(msOf(body.firstSample)),
  text: row.text,
  prevHash: row.prevHash,
  hash: row.hash,
  signature: row.signature
})
const asRunColumns = [
  "id",
  "startedAt",
  "endedAt",
  "firstSample",
  "lastSample",
  "kind",
  "role",
  "title",
  "artist",
  "outcome",
  "itemId",
  "segmentId",
  "trackId",
  "agentId",
  "assetId",
  "pcmSha256",
  "trace",
  "prevHash",
  "hash",
  "signature"
]
const asRunLineOf = ({ body, row }: AsRunRecord) =>
  line([
    asRunIdOf(row.seq),
    body === null ? null : iso(msOf(body.firstSample)),
    body === null ? null : iso(msOf(body.lastSample + 1)),
    body?.firstSample,
    body?.lastSample,
    body?.kind,
    body?.role,
    escapeFormula(body?.title),
    escapeFormula(body?.artist),
    body?.outcome,
    body?.itemId,
    body?.segmentId,
    body?.trackId,
    body?.agentId,
    body?.assetId,
    body?.pcmSha256,
    escapeFormula(body?.trace.join("; ")),
    row.prevHash,
    row.hash,
    row.signature
  ])
const hourOf = ({ firstSeq, hourMs, lastSeq, root, signature }: AsRunRoot) => ({
  hour: iso(hourMs),
  firstId: asRunIdOf(firstSeq),
  lastId: asRunIdOf(lastSeq),
  root,
  signature
})
/** The log of a period in the requested format, with a file name. */
export const exportAsRun = (
  asRun: AsRun["Service"],
  range: AsRunRange,
  format: "json" | "csv" | "ndjson",
  name: string,
  hours: ReadonlyArray<AsRunRoot>
) => {
  const pages = pagesOf(asRun, range)
  if (format === "csv")
    return response(
      Stream.concat(
        Stream.succeed(line(asRunColumns)),
        Stream.map(pages, (rows) => rows.map(asRunLineOf).join(""))
      ),
      "text/csv; charset=utf-8",
      `${name}.csv`
    )
  if (format === "ndjson")
    return response(
      Stream.map(pages, (rows) => rows.map((row) => `${JSON.stringify(exportOf(row))}\n`).join("")),
      "application/x-ndjson",
      `${name}.ndjson`
    )
  const listed = Stream.mapAccum(
    pages,
    () => true,
    (first, rows) =>
      [
        first && rows.length === 0,
        [(first || rows.length === 0 ? "" : ",") + rows.map((row) => JSON.stringify(exportOf(row))).join(",")]
      ] as const
  )
  return response(
    Stream.concat(
      Stream.concat(Stream.succeed(`{"rows":[`), listed),
      Stream.succeed(`],"hours":${JSON.stringify(hours.map(hourOf))}}`)
    ),
    "application/json",
    `${name}.json`
  )
}
