import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import type { WebhookId } from "../../../schema/Ids.ts"
import { type DeliveryStatus, DeliveryRecord } from "../../../schema/inbox/Webhook.ts"
import { deliveriesShown } from "../../rules/inbox/limits.ts"
import { at, ms, msText } from "../sql/instants.ts"
import { countChanged, row, rows, run } from "../sql/rows.ts"

const delivery = row(DeliveryRecord)
const deliveries = rows(DeliveryRecord)
const nextInstant = row(Schema.Struct({ nextAtMs: Schema.NullOr(Schema.Finite) }))
const deliveryCounts = row(Schema.Struct({ pending: Schema.Int, delivered: Schema.Int, failed: Schema.Int }))

export type NewDelivery = Pick<
  DeliveryRecord,
  "id" | "webhookId" | "eventId" | "type" | "body" | "nextAtMs" | "createdAtMs"
>

/** Webhook deliveries and their results. */
export class WebhookDeliveriesWriter extends Context.Service<WebhookDeliveriesWriter>()(
  "longwave/engine/store/WebhookDeliveriesWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columnMs = (column: string) => `${msText(`d.${column}`)} AS ${column}_ms`
      const all =
        sql.literal(`d.id, d.webhook_id, d.event_id, d.type, d.body, d.status, d.attempts, d.response_status, d.duration_ms, d.fault,
      ${["next_at", "last_attempt_at", "created_at"].map(columnMs).join(", ")}`)
      return {
        /** Idempotent per event and endpoint. */
        add: (given: NewDelivery) =>
          run(sql`
        INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, body, status, next_at, created_at)
        VALUES (${given.id}, ${given.webhookId}, ${given.eventId}, ${given.type}, ${given.body}, 'pending', ${at(given.nextAtMs)}, ${at(given.createdAtMs)}) ON CONFLICT DO NOTHING`),
        find: (webhookId: WebhookId, id: string) =>
          delivery(sql`SELECT ${all} FROM webhook_deliveries d WHERE d.id = ${id} AND d.webhook_id = ${webhookId}`),
        findById: (id: string) => delivery(sql`SELECT ${all} FROM webhook_deliveries d WHERE d.id = ${id}`),
        /** The newest delivery of each endpoint. */
        listLatest: (webhookIds: ReadonlyArray<WebhookId>) =>
          webhookIds.length === 0
            ? Effect.succeed([])
            : deliveries(sql`
        SELECT d.* FROM webhooks w CROSS JOIN LATERAL (
          SELECT ${all} FROM webhook_deliveries d WHERE d.webhook_id = w.id ORDER BY d.created_at DESC, d.id DESC LIMIT ${deliveriesShown}
        ) d WHERE w.id IN ${sql.in(webhookIds)}`),
        listDue: (webhookId: WebhookId, atMs: number, limit: number, without: ReadonlyArray<string>) =>
          deliveries(sql`
        SELECT ${all} FROM webhook_deliveries d WHERE d.webhook_id = ${webhookId} AND d.status = 'pending' AND d.next_at <= ${at(atMs)} AND ${without.length === 0 ? sql`true` : sql`d.id NOT IN ${sql.in(without)}`} ORDER BY d.next_at, d.id LIMIT ${limit}`),
        findNextDue: (webhookId: WebhookId) =>
          Effect.map(
            nextInstant(sql`
        SELECT ${ms("min(d.next_at)")} AS next_at_ms FROM webhook_deliveries d WHERE d.webhook_id = ${webhookId} AND d.status = 'pending'`),
            (next) => next?.nextAtMs ?? null
          ),
        settle: (
          id: string,
          settled: Pick<
            DeliveryRecord,
            "status" | "attempts" | "nextAtMs" | "lastAttemptAtMs" | "responseStatus" | "durationMs" | "fault"
          >
        ) =>
          run(sql`
        UPDATE webhook_deliveries SET status = ${settled.status}, attempts = ${settled.attempts}, next_at = ${at(settled.nextAtMs)}, last_attempt_at = ${at(settled.lastAttemptAtMs)},
          response_status = ${settled.responseStatus}, duration_ms = ${settled.durationMs}, fault = ${settled.fault} WHERE id = ${id}`),
        /** Restarts the delivery, due at this time at the latest. */
        rearm: (id: string, atMs: number) =>
          run(
            sql`UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_at = ${at(atMs)} WHERE id = ${id}`
          ),
        /** Newest first, over all endpoints; null if the cursor is unknown. */
        list: Effect.fnUntraced(function* ({
          cursor,
          limit,
          status,
          webhookId
        }: {
          readonly status: DeliveryStatus | null
          readonly webhookId: string | null
          readonly limit: number
          readonly cursor: string | null
        }) {
          const after = cursor === null ? [] : yield* sql`SELECT 1 FROM webhook_deliveries WHERE id = ${cursor}`
          if (cursor !== null && after.length === 0) return null
          const found = yield* deliveries(
            sql`SELECT ${all} FROM webhook_deliveries d WHERE ${sql.and([
              sql`true`,
              ...(status === null ? [] : [sql`d.status = ${status}`]),
              ...(webhookId === null ? [] : [sql`d.webhook_id = ${webhookId}`]),
              ...(cursor === null
                ? []
                : [sql`(d.created_at, d.id) < (SELECT created_at, id FROM webhook_deliveries WHERE id = ${cursor})`])
            ])} ORDER BY d.created_at DESC, d.id DESC LIMIT ${limit + 1}`
          )
          const records = found.slice(0, limit)
          return { records, next: found.length > limit ? records.at(-1)!.id : null }
        }, Effect.orDie),
        count: (sinceMs: number) =>
          Effect.map(
            deliveryCounts(sql`
        SELECT count(*) FILTER (WHERE status = 'pending')::int AS pending, count(*) FILTER (WHERE status = 'delivered')::int AS delivered, count(*) FILTER (WHERE status = 'failed')::int AS failed
        FROM webhook_deliveries WHERE created_at >= ${at(sinceMs)}`),
            (counts) => counts!
          ),
        purge: (beforeMs: number) =>
          countChanged(
            sql`DELETE FROM webhook_deliveries WHERE ctid = ANY(ARRAY(SELECT ctid FROM webhook_deliveries WHERE created_at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class WebhookDeliveries extends Context.Service<
  WebhookDeliveries,
  Pick<
    WebhookDeliveriesWriter["Service"],
    "findById" | "find" | "listLatest" | "listDue" | "findNextDue" | "list" | "count"
  >
>()("longwave/engine/store/WebhookDeliveries") {
  static readonly layer = Layer.effect(this, WebhookDeliveriesWriter).pipe(
    Layer.provideMerge(WebhookDeliveriesWriter.layer)
  )
}
