import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { idempotencySecretSec } from "../../rules/inbox/limits.ts"
import { idempotencyHours, idempotencyRunningMaxSec, purgeRows } from "../../rules/runtime/limits.ts"
import { at, ms } from "./instants.ts"
import { countChanged, row, run, hasChanged } from "./rows.ts"

const sentRow = row(
  Schema.Struct({
    bodySha256: Schema.String,
    /** Null until the command was answered. */
    status: Schema.NullOr(Schema.Int),
    bodySealed: Schema.NullOr(Schema.String),
    isSecret: Schema.Boolean,
    createdAtMs: Schema.Finite,
    hasResults: Schema.Boolean
  })
)
const sealedResult = row(Schema.Struct({ sealed: Schema.NullOr(Schema.String) }))

export type IdempotencyState =
  /** The key is unused. */
  | { readonly _tag: "Unused" }
  /** The command took effect, but its process ended before it answered. */
  | { readonly _tag: "Unanswered" }
  /** A station of an earlier version is processing it. */
  | { readonly _tag: "Running" }
  /** The key was used with another body. */
  | { readonly _tag: "Other" }
  | {
      readonly _tag: "Done"
      readonly status: number
      readonly bodySealed: string | null
      readonly isSecret: boolean
      readonly createdAtMs: number
    }

/** Identity of a command: the caller's key, method and path, and the body's content. */
export interface CommandId {
  readonly scopeSha256: string
  readonly bodySha256: string
}

/** Idempotency keys of commands, with the results and answers of those commands. */
export class IdempotencyKeys extends Context.Service<IdempotencyKeys>()("longwave/engine/store/IdempotencyKeys", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const expiryAt = (nowMs: number) => at(nowMs - idempotencyHours * 3_600_000)
    return {
      find: Effect.fnUntraced(function* ({ bodySha256, scopeSha256 }: CommandId, nowMs: number) {
        const found = yield* sentRow(sql`
          SELECT body_sha256, status, body_sealed, is_secret, ${ms("created_at")} AS created_at_ms, results <> '{}' AS has_results
          FROM idempotency_keys WHERE scope_sha256 = ${scopeSha256} AND created_at >= ${expiryAt(nowMs)}`)
        if (found === null) return { _tag: "Unused" } as const
        const { bodySealed, createdAtMs, hasResults, isSecret, status } = found
        if (found.bodySha256 !== bodySha256) return { _tag: "Other" } as const
        if (status !== null) return { _tag: "Done", status, bodySealed, isSecret, createdAtMs } as const
        if (hasResults) return { _tag: "Unanswered" } as const
        return nowMs - createdAtMs < idempotencyRunningMaxSec * 1_000
          ? ({ _tag: "Running" } as const)
          : ({ _tag: "Unused" } as const)
      }),
      /**
       * Stores the result of one message of a command, in the caller's transaction. False if it has one: a repeat ran at the same time and must be
       * rolled back.
       */
      keepResult: (
        { bodySha256, scopeSha256 }: CommandId,
        message: string,
        { isSecret, sealed }: { readonly sealed: string; readonly isSecret: boolean },
        nowMs: number
      ) =>
        hasChanged(sql`
          INSERT INTO idempotency_keys AS k (scope_sha256, body_sha256, state, is_secret, results, created_at)
          VALUES (${scopeSha256}, ${bodySha256}, 'running', ${isSecret}, jsonb_build_object(${message}::text, ${sealed}::text), ${at(nowMs)})
          ON CONFLICT (scope_sha256) DO UPDATE SET body_sha256 = excluded.body_sha256, state = 'running', status = NULL, body_sealed = NULL,
            is_secret = excluded.is_secret, created_at = excluded.created_at,
            results = CASE WHEN k.created_at < ${expiryAt(nowMs)} THEN excluded.results ELSE k.results || excluded.results END
          WHERE k.created_at < ${expiryAt(nowMs)} OR (k.status IS NULL AND k.body_sha256 = excluded.body_sha256 AND NOT k.results ? ${message}::text)
          RETURNING 1`),
      /** The encrypted result of one message of a command; null if it hasn't taken effect. */
      result: (scopeSha256: string, message: string) =>
        Effect.map(
          sealedResult(
            sql`SELECT results ->> ${message}::text AS sealed FROM idempotency_keys WHERE scope_sha256 = ${scopeSha256}`
          ),
          (found) => found?.sealed ?? null
        ),
      /** Stores the answer. Without a body only the status is stored, as proof that the command was carried out. */
      finish: (
        { bodySha256, scopeSha256 }: CommandId,
        {
          bodySealed,
          isSecret,
          status
        }: { readonly status: number; readonly bodySealed: string | null; readonly isSecret: boolean },
        nowMs: number
      ) =>
        run(sql`
          INSERT INTO idempotency_keys AS k (scope_sha256, body_sha256, state, status, body_sealed, is_secret, created_at)
          VALUES (${scopeSha256}, ${bodySha256}, 'done', ${status}, ${bodySealed}, ${isSecret}, ${at(nowMs)})
          ON CONFLICT (scope_sha256) DO UPDATE SET body_sha256 = excluded.body_sha256, state = 'done', status = excluded.status, body_sealed = excluded.body_sealed,
            is_secret = excluded.is_secret, created_at = excluded.created_at`),
      /** Deletes keys older than a day. */
      purge: (atMs: number) =>
        countChanged(
          sql`DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(SELECT ctid FROM idempotency_keys WHERE created_at < ${expiryAt(atMs)} LIMIT ${purgeRows})) RETURNING 1`
        ),
      /** Erases secrets that are no longer repeated. */
      eraseSecrets: (atMs: number) =>
        countChanged(sql`
          UPDATE idempotency_keys SET body_sealed = NULL, results = '{}' WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM idempotency_keys WHERE is_secret AND (body_sealed IS NOT NULL OR results <> '{}') AND created_at < ${at(atMs - idempotencySecretSec * 1_000)} LIMIT ${purgeRows}
          )) RETURNING 1`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
