import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, WebhookId } from "../../schema/Ids.ts"
import { type DisabledReason, type Subscription, Webhook, type WebhookType } from "../../schema/Webhook.ts"
import { webhooksMax } from "../Limits.ts"

/** An endpoint as it lies in the store; its secrets are sealed under its id. */
export interface WebhookRecord {
  readonly id: WebhookId
  readonly agentId: AgentId
  readonly url: string
  readonly events: ReadonlyArray<Subscription>
  readonly description: string | null
  readonly active: boolean
  readonly disabledReason: DisabledReason | null
  readonly secretSealed: string
  readonly formerSecretSealed: string | null
  readonly formerSecretUntilMs: number | null
  readonly createdAtMs: number
  readonly lastDeliveryAtMs: number | null
  readonly failingSinceMs: number | null
}

export type NewWebhook = Pick<WebhookRecord, "id" | "agentId" | "url" | "events" | "description" | "secretSealed" | "createdAtMs"> & { readonly commandKey: string }

const instant = (ms: number | null) => ms === null ? null : new Date(ms).toISOString()

export const webhookView = ({ active, createdAtMs, description, disabledReason, events, failingSinceMs, id, lastDeliveryAtMs, url }: WebhookRecord): Webhook => Webhook.make({
  id, url, events, description, active, disabledReason, createdAt: instant(createdAtMs)!, lastDeliveryAt: instant(lastDeliveryAtMs), failingSince: instant(failingSinceMs)
})

/** Where agents want to be told. */
export class Webhooks extends Context.Service<Webhooks, {
  /** False when the agent has as many as it may. */
  readonly add: (webhook: NewWebhook) => Effect.Effect<boolean>
  /** What the same command made since an instant. */
  readonly byCommand: (agentId: AgentId, commandKey: string, sinceMs: number) => Effect.Effect<WebhookRecord | null>
  readonly find: (id: string) => Effect.Effect<WebhookRecord | null>
  /** The same, and nobody else changes it while the transaction lasts. */
  readonly hold: (id: string) => Effect.Effect<WebhookRecord | null>
  readonly of: (agentId: AgentId) => Effect.Effect<ReadonlyArray<WebhookRecord>>
  readonly save: (webhook: Pick<WebhookRecord, "id" | "url" | "events" | "description" | "active" | "disabledReason" | "secretSealed" | "formerSecretSealed" | "formerSecretUntilMs" | "failingSinceMs">) => Effect.Effect<void>
  readonly remove: (id: WebhookId) => Effect.Effect<void>
  readonly removeAll: (agentId: AgentId) => Effect.Effect<void>
  /** Which of an agent's endpoints want to be told of something that happened then. */
  readonly wanting: (agentId: string, type: WebhookType, atMs: number) => Effect.Effect<ReadonlyArray<WebhookId>>
  /** How a try ended for the endpoint. */
  readonly tried: (id: WebhookId, tried: { readonly failingSinceMs: number | null; readonly atMs: number }) => Effect.Effect<void>
  /** False when it was so already. */
  readonly disable: (id: WebhookId, reason: DisabledReason) => Effect.Effect<boolean>
  /** Those that fail or are shut, the latest first. */
  readonly inTrouble: (limit: number) => Effect.Effect<ReadonlyArray<WebhookRecord & { readonly handle: string }>>
  readonly counts: Effect.Effect<{ readonly active: number; readonly failing: number; readonly disabled: number }>
}>()("longwave/engine/store/Webhooks") {
  static readonly layer = Layer.effect(Webhooks, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => `round(extract(epoch from w.${column}) * 1000)::float8 AS ${column}_ms`
    const all = sql.literal(`w.id, w.agent_id, w.url, w.events, w.description, w.active, w.disabled_reason, w.secret_sealed, w.former_secret_sealed,
      ${["former_secret_until", "created_at", "last_delivery_at", "failing_since"].map(ms).join(", ")}`)
    const one = (rows: Effect.Effect<ReadonlyArray<WebhookRecord>, unknown>) => Effect.orDie(Effect.map(rows, ([row]) => row ?? null))
    return Webhooks.of({
      add: Effect.fn("Webhooks.add")(function*(given) {
        const rows = yield* sql`
          INSERT INTO webhooks (id, agent_id, command_key, url, events, description, active, secret_sealed, created_at)
          SELECT ${given.id}, ${given.agentId}, ${given.commandKey}, ${given.url}, ${JSON.stringify(given.events)}::text::jsonb, ${given.description}, true, ${given.secretSealed}, ${at(given.createdAtMs)}
          WHERE (SELECT count(*) FROM webhooks WHERE agent_id = ${given.agentId}) < ${webhooksMax} RETURNING id`
        return rows.length === 1
      }, Effect.orDie),
      byCommand: (agentId, commandKey, sinceMs) => one(sql<WebhookRecord>`SELECT ${all} FROM webhooks w WHERE w.agent_id = ${agentId} AND w.command_key = ${commandKey} AND w.created_at >= ${at(sinceMs)}`),
      find: (id) => one(sql<WebhookRecord>`SELECT ${all} FROM webhooks w WHERE w.id = ${id}`),
      hold: (id) => one(sql<WebhookRecord>`SELECT ${all} FROM webhooks w WHERE w.id = ${id} FOR UPDATE`),
      of: (agentId) => Effect.orDie(sql<WebhookRecord>`SELECT ${all} FROM webhooks w WHERE w.agent_id = ${agentId} ORDER BY w.created_at, w.id`),
      save: (given) => Effect.orDie(Effect.asVoid(sql`
        UPDATE webhooks SET url = ${given.url}, events = ${JSON.stringify(given.events)}::text::jsonb, description = ${given.description}, active = ${given.active},
          disabled_reason = ${given.disabledReason}, secret_sealed = ${given.secretSealed}, former_secret_sealed = ${given.formerSecretSealed},
          former_secret_until = ${at(given.formerSecretUntilMs)}, failing_since = ${at(given.failingSinceMs)} WHERE id = ${given.id}`)),
      remove: (id) => Effect.orDie(Effect.asVoid(sql`DELETE FROM webhooks WHERE id = ${id}`)),
      removeAll: (agentId) => Effect.orDie(Effect.asVoid(sql`DELETE FROM webhooks WHERE agent_id = ${agentId}`)),
      wanting: (agentId, type, atMs) => Effect.orDie(Effect.map(sql<{ id: WebhookId }>`
        SELECT id FROM webhooks WHERE agent_id = ${agentId} AND active AND created_at <= ${at(atMs)} AND (events @> '["*"]' OR events @> ${JSON.stringify([type])}::text::jsonb) ORDER BY created_at, id`,
        (rows) => rows.map(({ id }) => id))),
      tried: (id, { atMs, failingSinceMs }) => Effect.orDie(Effect.asVoid(sql`
        UPDATE webhooks SET failing_since = ${failingSinceMs === null ? sql`NULL` : sql`coalesce(failing_since, ${at(failingSinceMs)})`},
          last_delivery_at = ${failingSinceMs === null ? at(atMs) : sql`last_delivery_at`} WHERE id = ${id}`)),
      disable: (id, reason) => Effect.orDie(Effect.map(sql`UPDATE webhooks SET active = false, disabled_reason = ${reason} WHERE id = ${id} AND active RETURNING id`, (rows) => rows.length === 1)),
      inTrouble: (limit) => Effect.orDie(sql<WebhookRecord & { handle: string }>`
        SELECT ${all}, a.handle FROM webhooks w JOIN agents a ON a.id = w.agent_id
        WHERE w.failing_since IS NOT NULL OR w.disabled_reason IS NOT NULL ORDER BY w.failing_since DESC NULLS LAST, w.id DESC LIMIT ${limit}`),
      counts: Effect.orDie(Effect.map(sql<{ active: number; failing: number; disabled: number }>`
        SELECT count(*) FILTER (WHERE active)::int AS active, count(*) FILTER (WHERE active AND failing_since IS NOT NULL)::int AS failing, count(*) FILTER (WHERE NOT active)::int AS disabled FROM webhooks`,
        (rows) => rows[0]!))
    })
  }))
}
