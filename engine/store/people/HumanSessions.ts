import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { HumanId } from "../../../schema/Ids.ts"
import { at, ms } from "../sql/instants.ts"
import { countChanged, row, rows, run, hasChanged } from "../sql/rows.ts"

/** Facts that verify a session's cookie, and its person. */
const HumanCredential = Schema.Struct({
  publicId: Schema.String,
  secretSha256: Schema.String,
  humanId: HumanId,
  displayName: Schema.String,
  blockedReason: Schema.NullOr(Schema.String),
  renewedAtMs: Schema.Finite
})
export type HumanCredential = typeof HumanCredential.Type

const HumanSession = Schema.Struct({
  publicId: Schema.String,
  /** The shortened user agent. The address isn't stored. */
  userAgent: Schema.NullOr(Schema.String),
  createdAtMs: Schema.Finite,
  renewedAtMs: Schema.Finite,
  expiresAtMs: Schema.Finite
})
export type HumanSession = typeof HumanSession.Type

const credential = row(HumanCredential)
const sessions = rows(HumanSession)

/** Sessions of people. */
export class HumanSessionsWriter extends Context.Service<HumanSessionsWriter>()(
  "longwave/engine/store/HumanSessionsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return {
        open: (
          {
            expiresAtMs,
            humanId,
            publicId,
            secretSha256,
            userAgent
          }: {
            readonly publicId: string
            readonly secretSha256: string
            readonly humanId: string
            readonly userAgent: string | null
            readonly expiresAtMs: number
          },
          atMs: number
        ) =>
          Effect.orDie(
            sql`
          INSERT INTO human_sessions (public_id, secret_sha256, human_id, user_agent, created_at, renewed_at, expires_at)
          VALUES (${publicId}, ${secretSha256}, ${humanId}, ${userAgent}, ${at(atMs)}, ${at(atMs)}, ${at(expiresAtMs)})`
          ),
        /** Deletes sessions that have ended. */
        purge: (atMs: number) =>
          countChanged(
            sql`DELETE FROM human_sessions WHERE ctid = ANY(ARRAY(SELECT ctid FROM human_sessions WHERE expires_at < ${at(atMs)} LIMIT ${purgeRows})) RETURNING 1`
          ),
        /** Null if it has ended. */
        find: (publicId: string, atMs: number) =>
          credential(sql`
        SELECT s.public_id, s.secret_sha256, s.human_id, h.display_name, h.blocked_reason, ${ms("s.renewed_at")} AS renewed_at_ms
        FROM human_sessions s JOIN humans h ON h.id = s.human_id WHERE s.public_id = ${publicId} AND s.expires_at > ${at(atMs)}`),
        renew: (publicId: string, expiresAtMs: number, atMs: number) =>
          run(
            sql`UPDATE human_sessions SET renewed_at = ${at(atMs)}, expires_at = ${at(expiresAtMs)} WHERE public_id = ${publicId}`
          ),
        /** Active sessions, newest first. */
        list: (humanId: string, atMs: number) =>
          sessions(sql`
        SELECT public_id, user_agent, ${ms("created_at")} AS created_at_ms, ${ms("renewed_at")} AS renewed_at_ms, ${ms("expires_at")} AS expires_at_ms
        FROM human_sessions WHERE human_id = ${humanId} AND expires_at > ${at(atMs)} ORDER BY created_at DESC, public_id`),
        /** False if the person has no such session. */
        close: (humanId: string, publicId: string) =>
          hasChanged(
            sql`DELETE FROM human_sessions WHERE human_id = ${humanId} AND public_id = ${publicId} RETURNING public_id`
          ),
        /** Returns how many there were. */
        closeAll: (humanId: string) =>
          Effect.orDie(
            Effect.map(
              sql`DELETE FROM human_sessions WHERE human_id = ${humanId} RETURNING public_id`,
              ({ length }) => length
            )
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class HumanSessions extends Context.Service<
  HumanSessions,
  Pick<HumanSessionsWriter["Service"], "find" | "list">
>()("longwave/engine/store/HumanSessions") {
  static readonly layer = Layer.effect(this, HumanSessionsWriter).pipe(Layer.provideMerge(HumanSessionsWriter.layer))
}
