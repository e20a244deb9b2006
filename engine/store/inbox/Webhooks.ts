import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AgentId, WebhookId } from "../../../schema/Ids.ts"
import { type DisabledReason, type WebhookType, WebhookRecord } from "../../../schema/inbox/Webhook.ts"
import { webhooksMax } from "../../rules/inbox/limits.ts"
import { at, msText } from "../sql/instants.ts"
import { row, rows, run, hasChanged } from "../sql/rows.ts"

const webhook = row(WebhookRecord)
const webhooks = rows(WebhookRecord)
const webhooksInTrouble = rows(Schema.Struct({ ...WebhookRecord.fields, handle: Schema.String }))
const webhookIds = rows(Schema.Struct({ id: WebhookId }))
const webhookCounts = row(Schema.Struct({ active: Schema.Int, failing: Schema.Int, disabled: Schema.Int }))

export type NewWebhook = Pick<
  WebhookRecord,
  "id" | "agentId" | "url" | "events" | "description" | "secretSealed" | "createdAtMs"
>

/** Webhook endpoints of agents. */
export class WebhooksWriter extends Context.Service<WebhooksWriter>()("longwave/engine/store/WebhooksWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columnMs = (column: string) => `${msText(`w.${column}`)} AS ${column}_ms`
    const all =
      sql.literal(`w.id, w.agent_id, w.url, w.events, w.description, w.active, w.disabled_reason, w.secret_sealed, w.former_secret_sealed,
      ${["former_secret_until", "created_at", "last_delivery_at", "failing_since"].map(columnMs).join(", ")}`)
    return {
      /** False if the agent has the maximum number of endpoints. */
      add: (given: NewWebhook) =>
        hasChanged(sql`
          INSERT INTO webhooks (id, agent_id, url, events, description, active, secret_sealed, created_at)
          SELECT ${given.id}, ${given.agentId}, ${given.url}, ${JSON.stringify(given.events)}::text::jsonb, ${given.description}, true, ${given.secretSealed}, ${at(given.createdAtMs)}
          WHERE (SELECT count(*) FROM webhooks WHERE agent_id = ${given.agentId}) < ${webhooksMax} RETURNING id`),
      find: (id: string) => webhook(sql`SELECT ${all} FROM webhooks w WHERE w.id = ${id}`),
      /** Like `find`, with a row lock until the transaction ends. */
      hold: (id: string) => webhook(sql`SELECT ${all} FROM webhooks w WHERE w.id = ${id} FOR UPDATE`),
      listByAgent: (agentId: AgentId) =>
        webhooks(sql`SELECT ${all} FROM webhooks w WHERE w.agent_id = ${agentId} ORDER BY w.created_at, w.id`),
      save: (
        given: Pick<
          WebhookRecord,
          | "id"
          | "url"
          | "events"
          | "description"
          | "active"
          | "disabledReason"
          | "secretSealed"
          | "formerSecretSealed"
          | "formerSecretUntilMs"
          | "failingSinceMs"
        >
      ) =>
        run(sql`
        UPDATE webhooks SET url = ${given.url}, events = ${JSON.stringify(given.events)}::text::jsonb, description = ${given.description}, active = ${given.active},
          disabled_reason = ${given.disabledReason}, secret_sealed = ${given.secretSealed}, former_secret_sealed = ${given.formerSecretSealed},
          former_secret_until = ${at(given.formerSecretUntilMs)}, failing_since = ${at(given.failingSinceMs)} WHERE id = ${given.id}`),
      remove: (id: WebhookId) => run(sql`DELETE FROM webhooks WHERE id = ${id}`),
      removeAll: (agentId: AgentId) => run(sql`DELETE FROM webhooks WHERE agent_id = ${agentId}`),
      /** The agent's endpoints subscribed to this type at that time. */
      listSubscribed: (agentId: string, type: WebhookType, atMs: number) =>
        Effect.map(
          webhookIds(sql`
        SELECT id FROM webhooks WHERE agent_id = ${agentId} AND active AND created_at <= ${at(atMs)} AND (events @> '["*"]' OR events @> ${JSON.stringify([type])}::text::jsonb) ORDER BY created_at, id`),
          (found) => found.map(({ id }) => id)
        ),
      /** Stores the result of an attempt. */
      recordTry: (
        id: WebhookId,
        { atMs, failingSinceMs }: { readonly failingSinceMs: number | null; readonly atMs: number }
      ) =>
        run(sql`
        UPDATE webhooks SET failing_since = ${failingSinceMs === null ? sql`NULL` : sql`coalesce(failing_since, ${at(failingSinceMs)})`},
          last_delivery_at = ${failingSinceMs === null ? at(atMs) : sql`last_delivery_at`} WHERE id = ${id}`),
      /** False if it was disabled before. */
      disable: (id: WebhookId, reason: DisabledReason) =>
        hasChanged(
          sql`UPDATE webhooks SET active = false, disabled_reason = ${reason} WHERE id = ${id} AND active RETURNING id`
        ),
      /** Failing and disabled endpoints, the latest first. */
      listInTrouble: (limit: number) =>
        webhooksInTrouble(sql`
        SELECT ${all}, a.handle FROM webhooks w JOIN agents a ON a.id = w.agent_id
        WHERE w.failing_since IS NOT NULL OR w.disabled_reason IS NOT NULL ORDER BY w.failing_since DESC NULLS LAST, w.id DESC LIMIT ${limit}`),
      counts: Effect.map(
        webhookCounts(sql`
        SELECT count(*) FILTER (WHERE active)::int AS active, count(*) FILTER (WHERE active AND failing_since IS NOT NULL)::int AS failing, count(*) FILTER (WHERE NOT active)::int AS disabled FROM webhooks`),
        (counts) => counts!
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Webhooks extends Context.Service<
  Webhooks,
  Pick<WebhooksWriter["Service"], "find" | "listByAgent" | "listSubscribed" | "listInTrouble" | "counts">
>()("longwave/engine/store/Webhooks") {
  static readonly layer = Layer.effect(this, WebhooksWriter).pipe(Layer.provideMerge(WebhooksWriter.layer))
}
