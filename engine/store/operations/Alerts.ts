import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { alertsOpenMax } from "../../rules/operations/limits.ts"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { AlertRecord } from "../../../schema/operations/Alert.ts"
import { at, msText } from "../sql/instants.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { countChanged, row, rows, run } from "../sql/rows.ts"

const one = row(AlertRecord)
const many = rows(AlertRecord)

/** Alerts to operators, open and closed. */
export class AlertsWriter extends Context.Service<AlertsWriter>()("longwave/engine/store/AlertsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(
      `id, kind, subject, severity, detail, times, acknowledged_by, note, ${msText("raised_at")} AS raised_at_ms, ${msText("last_at")} AS last_at_ms, ${msText("acknowledged_at")} AS acknowledged_at_ms, ${msText("closed_at")} AS closed_at_ms`
    )
    const find = (id: string) => one(sql`SELECT ${columns} FROM alerts WHERE id = ${id}`)
    return {
      /** Stores an alert as it is now. Acknowledgements are kept: only `acknowledge` writes them. */
      save: (alert: AlertRecord) =>
        run(sql`
        INSERT INTO alerts (id, kind, subject, severity, detail, times, raised_at, last_at, closed_at)
        VALUES (${alert.id}, ${alert.kind}, ${alert.subject}, ${alert.severity}, ${alert.detail}, ${alert.times}, ${at(alert.raisedAtMs)}, ${at(alert.lastAtMs)}, ${at(alert.closedAtMs)})
        ON CONFLICT (id) DO UPDATE SET severity = excluded.severity, detail = excluded.detail, times = excluded.times, last_at = excluded.last_at, closed_at = excluded.closed_at`),
      /** The alert with its acknowledgement, which is the first one's. */
      acknowledge: (id: string, by: string, note: string | null, atMs: number) =>
        one(sql`
        UPDATE alerts SET acknowledged_at = coalesce(acknowledged_at, ${at(atMs)}), acknowledged_by = coalesce(acknowledged_by, ${by}), note = coalesce(note, ${note}::text)
        WHERE id = ${id} RETURNING ${columns}`),
      find,
      open: many(
        sql`SELECT ${columns} FROM alerts WHERE closed_at IS NULL ORDER BY raised_at DESC, id DESC LIMIT ${alertsOpenMax}`
      ),
      /** Newest first; null when the cursor is unknown. */
      list: Effect.fnUntraced(function* ({
        cursor,
        limit,
        state
      }: Paging & { readonly state: "open" | "closed" | "all" }) {
        const after = cursor === null ? null : yield* find(cursor)
        if (cursor !== null && after === null) return null
        const found = yield* many(sql`
          SELECT ${columns} FROM alerts WHERE ${sql.and([
            state === "all" ? sql`true` : state === "open" ? sql`closed_at IS NULL` : sql`closed_at IS NOT NULL`,
            after === null
              ? sql`true`
              : sql`(raised_at, id) < (SELECT raised_at, id FROM alerts WHERE id = ${after.id})`
          ])} ORDER BY alerts.raised_at DESC, id DESC LIMIT ${limit + 1}`)
        return pageOf(found, limit)
      }),
      purge: (beforeMs: number) =>
        countChanged(
          sql`DELETE FROM alerts WHERE ctid = ANY(ARRAY(SELECT ctid FROM alerts WHERE closed_at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Alerts extends Context.Service<Alerts, Pick<AlertsWriter["Service"], "find" | "list" | "open">>()(
  "longwave/engine/store/Alerts"
) {
  static readonly layer = Layer.effect(this, AlertsWriter).pipe(Layer.provideMerge(AlertsWriter.layer))
}
