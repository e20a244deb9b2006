import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { idempotencySecretSec } from "../../rules/inbox/limits.ts"
import { idempotencyHours, idempotencyRunningMaxSec } from "../../rules/runtime/limits.ts"
import { at } from "./instants.ts"
import { row, run, touched } from "./rows.ts"

const answer = {
  bodySealed: Schema.NullOr(Schema.String),
  isSecret: Schema.Boolean,
  createdAtMs: Schema.Finite
}
const sent = row(
  Schema.Union([
    Schema.Struct({ state: Schema.Literal("running"), bodySha256: Schema.String }),
    Schema.Struct({ state: Schema.Literal("done"), bodySha256: Schema.String, status: Schema.Int, ...answer })
  ])
)

export type IdempotencyState =
  /** Nobody used the key: it is ours now. */
  | { readonly _tag: "Begun" }
  | { readonly _tag: "Running" }
  | { readonly _tag: "Other" }
  | {
      readonly _tag: "Done"
      readonly status: number
      readonly bodySealed: string | null
      readonly isSecret: boolean
      readonly createdAtMs: number
    }

/** Which commands were sent under which key, and what was answered. */
export class IdempotencyKeys extends Context.Service<IdempotencyKeys>()("longwave/engine/store/IdempotencyKeys", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      begin: Effect.fn("IdempotencyKeys.begin")(function* (scopeSha256: string, bodySha256: string, atMs: number) {
        // A command whose process died while it ran left a key that nobody will ever finish.
        const isMine = yield* touched(sql`
          INSERT INTO idempotency_keys AS k (scope_sha256, body_sha256, state, created_at) VALUES (${scopeSha256}, ${bodySha256}, 'running', ${at(atMs)})
          ON CONFLICT (scope_sha256) DO UPDATE SET body_sha256 = excluded.body_sha256, state = 'running', status = NULL, body_sealed = NULL, is_secret = false, created_at = excluded.created_at
          WHERE k.created_at < ${at(atMs - idempotencyHours * 3_600_000)} OR (k.state = 'running' AND k.body_sha256 = excluded.body_sha256 AND k.created_at < ${at(atMs - idempotencyRunningMaxSec * 1_000)})
          RETURNING 1`)
        if (isMine) return { _tag: "Begun" } as const
        const found = yield* sent(sql`
          SELECT body_sha256, state, status, body_sealed, is_secret, (extract(epoch from created_at) * 1000)::float8 AS created_at_ms FROM idempotency_keys WHERE scope_sha256 = ${scopeSha256}`)
        if (found === null) return { _tag: "Running" } as const
        if (found.bodySha256 !== bodySha256) return { _tag: "Other" } as const
        if (found.state !== "done") return { _tag: "Running" } as const
        const { bodySealed, createdAtMs, isSecret, status } = found
        return { _tag: "Done", status, bodySealed, isSecret, createdAtMs } as const
      }),
      /** Without a body only the status is kept: that the command was carried out. */
      finish: (
        scopeSha256: string,
        {
          bodySealed,
          isSecret,
          status
        }: { readonly status: number; readonly bodySealed: string | null; readonly isSecret: boolean }
      ) =>
        run(sql`
        UPDATE idempotency_keys SET state = 'done', status = ${status}, body_sealed = ${bodySealed}, is_secret = ${isSecret} WHERE scope_sha256 = ${scopeSha256}`),
      /** The command changed nothing: the key is free again. */
      release: (scopeSha256: string) =>
        run(sql`DELETE FROM idempotency_keys WHERE scope_sha256 = ${scopeSha256} AND state = 'running'`),
      /** Ends what is older than a day, and drops answers with a secret that are no longer repeated. */
      purge: (atMs: number) =>
        run(
          Effect.all([
            sql`DELETE FROM idempotency_keys WHERE created_at < ${at(atMs - idempotencyHours * 3_600_000)}`,
            sql`UPDATE idempotency_keys SET body_sealed = NULL WHERE is_secret AND body_sealed IS NOT NULL AND created_at < ${at(atMs - idempotencySecretSec * 1_000)}`
          ])
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
