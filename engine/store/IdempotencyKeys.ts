import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { idempotencyHours, idempotencyRunningMaxSec, idempotencySecretSec } from "../Limits.ts"

export type IdempotencyState =
  /** Nobody used the key: it is ours now. */
  | { readonly _tag: "Begun" }
  | { readonly _tag: "Running" }
  | { readonly _tag: "Other" }
  | { readonly _tag: "Done"; readonly status: number; readonly bodySealed: string | null; readonly isSecret: boolean; readonly createdAtMs: number }

/** Which commands were sent under which key, and what was answered. */
export class IdempotencyKeys extends Context.Service<IdempotencyKeys, {
  readonly begin: (scopeSha256: string, bodySha256: string, atMs: number) => Effect.Effect<IdempotencyState>
  /** Without a body only the status is kept: that the command was carried out. */
  readonly finish: (scopeSha256: string, answer: { readonly status: number; readonly bodySealed: string | null; readonly isSecret: boolean }) => Effect.Effect<void>
  /** The command changed nothing: the key is free again. */
  readonly release: (scopeSha256: string) => Effect.Effect<void>
  /** Ends what is older than a day, and drops answers with a secret that are no longer repeated. */
  readonly purge: (atMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/IdempotencyKeys") {
  static readonly layer = Layer.effect(IdempotencyKeys, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    return IdempotencyKeys.of({
      begin: Effect.fn("IdempotencyKeys.begin")(function*(scopeSha256, bodySha256, atMs) {
        // A command whose process died while it ran left a key that nobody will ever finish.
        const mine = yield* sql`
          INSERT INTO idempotency_keys AS k (scope_sha256, body_sha256, state, created_at) VALUES (${scopeSha256}, ${bodySha256}, 'running', ${at(atMs)})
          ON CONFLICT (scope_sha256) DO UPDATE SET body_sha256 = excluded.body_sha256, state = 'running', status = NULL, body_sealed = NULL, is_secret = false, created_at = excluded.created_at
          WHERE k.created_at < ${at(atMs - idempotencyHours * 3_600_000)} OR (k.state = 'running' AND k.body_sha256 = excluded.body_sha256 AND k.created_at < ${at(atMs - idempotencyRunningMaxSec * 1_000)})
          RETURNING 1`
        if (mine.length === 1) return { _tag: "Begun" } as const
        const rows = yield* sql<{ bodySha256: string; state: string; status: number; bodySealed: string | null; isSecret: boolean; createdAtMs: number }>`
          SELECT body_sha256, state, status, body_sealed, is_secret, (extract(epoch from created_at) * 1000)::float8 AS created_at_ms FROM idempotency_keys WHERE scope_sha256 = ${scopeSha256}`
        const row = rows[0]
        if (row === undefined) return { _tag: "Running" } as const
        if (row.bodySha256 !== bodySha256) return { _tag: "Other" } as const
        if (row.state !== "done") return { _tag: "Running" } as const
        const { bodySealed, createdAtMs, isSecret, status } = row
        return { _tag: "Done", status, bodySealed, isSecret, createdAtMs } as const
      }, Effect.orDie),
      finish: (scopeSha256, { bodySealed, isSecret, status }) => sql`
        UPDATE idempotency_keys SET state = 'done', status = ${status}, body_sealed = ${bodySealed}, is_secret = ${isSecret} WHERE scope_sha256 = ${scopeSha256}`
        .pipe(Effect.asVoid, Effect.orDie),
      release: (scopeSha256) => sql`DELETE FROM idempotency_keys WHERE scope_sha256 = ${scopeSha256} AND state = 'running'`.pipe(Effect.asVoid, Effect.orDie),
      purge: (atMs) => Effect.orDie(Effect.gen(function*() {
        yield* sql`DELETE FROM idempotency_keys WHERE created_at < ${at(atMs - idempotencyHours * 3_600_000)}`
        yield* sql`UPDATE idempotency_keys SET body_sealed = NULL WHERE is_secret AND body_sealed IS NOT NULL AND created_at < ${at(atMs - idempotencySecretSec * 1_000)}`
      }))
    })
  }))
}
