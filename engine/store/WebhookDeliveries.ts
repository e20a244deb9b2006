import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { WebhookId } from "../../schema/Ids.ts"
import { type DeliveryStatus, WebhookDelivery, type WebhookType } from "../../schema/Webhook.ts"
import { deliveriesShown } from "../Limits.ts"

/** One message to one endpoint, as it lies in the store before it is tried for the first time. */
export interface DeliveryRecord {
  readonly id: string
  readonly webhookId: WebhookId
  readonly eventId: string
  readonly type: WebhookType
  readonly body: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly nextAtMs: number | null
  readonly lastAttemptAtMs: number | null
  readonly responseStatus: number | null
  readonly durationMs: number | null
  readonly fault: string | null
  readonly createdAtMs: number
}

export type NewDelivery = Pick<DeliveryRecord, "id" | "webhookId" | "eventId" | "type" | "body" | "nextAtMs" | "createdAtMs">

const instant = (ms: number | null) => ms === null ? null : new Date(ms).toISOString()

export const deliveryView = ({ attempts, createdAtMs, durationMs, eventId, fault, id, lastAttemptAtMs, nextAtMs, responseStatus, status, type }: DeliveryRecord): WebhookDelivery => WebhookDelivery.make({
  id, eventId, type, status, attempts, responseStatus, durationMs, fault, createdAt: instant(createdAtMs)!, lastAttemptAt: instant(lastAttemptAtMs), nextAttemptAt: instant(nextAtMs)
})

/** What was to be told, to whom, and how it went. */
export class WebhookDeliveries extends Context.Service<WebhookDeliveries, {
  /** The same event to the same endpoint again changes nothing. */
  readonly add: (delivery: NewDelivery) => Effect.Effect<void>
  readonly find: (webhookId: WebhookId, id: string) => Effect.Effect<DeliveryRecord | null>
  /** The newest of each of these endpoints. */
  readonly latest: (webhookIds: ReadonlyArray<WebhookId>) => Effect.Effect<ReadonlyArray<DeliveryRecord>>
  readonly due: (webhookId: WebhookId, atMs: number, limit: number, without: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DeliveryRecord>>
  readonly nextDue: (webhookId: WebhookId, without: ReadonlyArray<string>) => Effect.Effect<number | null>
  /** Endpoints to which something is due before an instant, longest first. */
  readonly waiting: (beforeMs: number, limit: number) => Effect.Effect<ReadonlyArray<WebhookId>>
  readonly settle: (id: string, settled: Pick<DeliveryRecord, "status" | "attempts" | "nextAtMs" | "lastAttemptAtMs" | "responseStatus" | "durationMs" | "fault">) => Effect.Effect<void>
  /** To be sent again from the beginning. */
  readonly rearm: (id: string, atMs: number) => Effect.Effect<void>
  /** Newest first, of all endpoints; null when the cursor is unknown. */
  readonly list: (filter: { readonly status: DeliveryStatus | null; readonly webhookId: string | null; readonly limit: number; readonly cursor: string | null }) =>
    Effect.Effect<{ readonly records: ReadonlyArray<DeliveryRecord>; readonly next: string | null } | null>
  readonly counts: (sinceMs: number) => Effect.Effect<{ readonly [status in DeliveryStatus]: number }>
  readonly purge: (beforeMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/WebhookDeliveries") {
  static readonly layer = Layer.effect(WebhookDeliveries, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => `round(extract(epoch from d.${column}) * 1000)::float8 AS ${column}_ms`
    const all = sql.literal(`d.id, d.webhook_id, d.event_id, d.type, d.body, d.status, d.attempts, d.response_status, d.duration_ms, d.fault,
      ${["next_at", "last_attempt_at", "created_at"].map(ms).join(", ")}`)
    const other = (without: ReadonlyArray<string>) => without.length === 0 ? sql`true` : sql`d.id NOT IN ${sql.in(without)}`
    return WebhookDeliveries.of({
      add: (given) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, body, status, next_at, created_at)
        VALUES (${given.id}, ${given.webhookId}, ${given.eventId}, ${given.type}, ${given.body}, 'pending', ${at(given.nextAtMs)}, ${at(given.createdAtMs)}) ON CONFLICT DO NOTHING`)),
      find: (webhookId, id) => Effect.orDie(Effect.map(sql<DeliveryRecord>`SELECT ${all} FROM webhook_deliveries d WHERE d.id = ${id} AND d.webhook_id = ${webhookId}`, ([row]) => row ?? null)),
      latest: (webhookIds) => webhookIds.length === 0 ? Effect.succeed([]) : Effect.orDie(sql<DeliveryRecord>`
        SELECT d.* FROM webhooks w CROSS JOIN LATERAL (
          SELECT ${all} FROM webhook_deliveries d WHERE d.webhook_id = w.id ORDER BY d.created_at DESC, d.id DESC LIMIT ${deliveriesShown}
        ) d WHERE w.id IN ${sql.in(webhookIds)}`),
      due: (webhookId, atMs, limit, without) => Effect.orDie(sql<DeliveryRecord>`
        SELECT ${all} FROM webhook_deliveries d WHERE d.webhook_id = ${webhookId} AND d.status = 'pending' AND d.next_at <= ${at(atMs)} AND ${other(without)} ORDER BY d.next_at, d.id LIMIT ${limit}`),
      nextDue: (webhookId, without) => Effect.orDie(Effect.map(sql<{ nextAtMs: number | null }>`
        SELECT round(extract(epoch from min(d.next_at)) * 1000)::float8 AS next_at_ms FROM webhook_deliveries d WHERE d.webhook_id = ${webhookId} AND d.status = 'pending' AND ${other(without)}`,
        (rows) => rows[0]?.nextAtMs ?? null)),
      waiting: (beforeMs, limit) => Effect.orDie(Effect.map(sql<{ webhookId: WebhookId }>`
        SELECT d.webhook_id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id AND w.active
        WHERE d.status = 'pending' AND d.next_at <= ${at(beforeMs)} GROUP BY d.webhook_id ORDER BY min(d.next_at) LIMIT ${limit}`, (rows) => rows.map(({ webhookId }) => webhookId))),
      settle: (id, settled) => Effect.orDie(Effect.asVoid(sql`
        UPDATE webhook_deliveries SET status = ${settled.status}, attempts = ${settled.attempts}, next_at = ${at(settled.nextAtMs)}, last_attempt_at = ${at(settled.lastAttemptAtMs)},
          response_status = ${settled.responseStatus}, duration_ms = ${settled.durationMs}, fault = ${settled.fault} WHERE id = ${id}`)),
      rearm: (id, atMs) => Effect.orDie(Effect.asVoid(sql`UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_at = ${at(atMs)} WHERE id = ${id}`)),
      list: Effect.fn("WebhookDeliveries.list")(function*({ cursor, limit, status, webhookId }) {
        const after = cursor === null ? [] : yield* sql`SELECT 1 FROM webhook_deliveries WHERE id = ${cursor}`
        if (cursor !== null && after.length === 0) return null
        const rows = yield* sql<DeliveryRecord>`SELECT ${all} FROM webhook_deliveries d WHERE ${sql.and([
          sql`true`,
          ...status === null ? [] : [sql`d.status = ${status}`],
          ...webhookId === null ? [] : [sql`d.webhook_id = ${webhookId}`],
          ...cursor === null ? [] : [sql`(d.created_at, d.id) < (SELECT created_at, id FROM webhook_deliveries WHERE id = ${cursor})`]
        ])} ORDER BY d.created_at DESC, d.id DESC LIMIT ${limit + 1}`
        const records = rows.slice(0, limit)
        return { records, next: rows.length > limit ? records.at(-1)!.id : null }
      }, Effect.orDie),
      counts: (sinceMs) => Effect.orDie(Effect.map(sql<{ pending: number; delivered: number; failed: number }>`
        SELECT count(*) FILTER (WHERE status = 'pending')::int AS pending, count(*) FILTER (WHERE status = 'delivered')::int AS delivered, count(*) FILTER (WHERE status = 'failed')::int AS failed
        FROM webhook_deliveries WHERE created_at >= ${at(sinceMs)}`, (rows) => rows[0]!)),
      purge: (beforeMs) => Effect.orDie(Effect.asVoid(sql`DELETE FROM webhook_deliveries WHERE created_at < ${at(beforeMs)}`))
    })
  }))
}
