import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { HumanId } from "../../schema/Ids.ts"

/** What a session's cookie is judged by, and whom it lets in. */
export interface HumanCredential {
  readonly publicId: string
  readonly secretSha256: string
  readonly humanId: HumanId
  readonly displayName: string
  readonly blockedReason: string | null
  readonly renewedAtMs: number
}

export interface HumanSession {
  readonly publicId: string
  /** What the browser called itself, shortened. Where it was is not kept. */
  readonly userAgent: string | null
  readonly createdAtMs: number
  readonly renewedAtMs: number
  readonly expiresAtMs: number
}

/** Where people are signed in. */
export class HumanSessions extends Context.Service<HumanSessions, {
  readonly open: (session: { readonly publicId: string; readonly secretSha256: string; readonly humanId: string; readonly userAgent: string | null; readonly expiresAtMs: number }, atMs: number) => Effect.Effect<void>
  /** Null when it has ended. */
  readonly find: (publicId: string, atMs: number) => Effect.Effect<HumanCredential | null>
  readonly renew: (publicId: string, expiresAtMs: number, atMs: number) => Effect.Effect<void>
  /** Those that have not ended, newest first. */
  readonly list: (humanId: string, atMs: number) => Effect.Effect<ReadonlyArray<HumanSession>>
  /** False when the person has no such session. */
  readonly close: (humanId: string, publicId: string) => Effect.Effect<boolean>
  /** Answers how many there were. */
  readonly closeAll: (humanId: string) => Effect.Effect<number>
}>()("longwave/engine/store/HumanSessions") {
  static readonly layer = Layer.effect(HumanSessions, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const msOf = (column: string) => sql.literal(`round(extract(epoch from ${column}) * 1000)::float8`)
    return HumanSessions.of({
      open: ({ expiresAtMs, humanId, publicId, secretSha256, userAgent }, atMs) => Effect.orDie(sql.withTransaction(Effect.gen(function*() {
        yield* sql`DELETE FROM human_sessions WHERE expires_at < ${at(atMs)}`
        yield* sql`
          INSERT INTO human_sessions (public_id, secret_sha256, human_id, user_agent, created_at, renewed_at, expires_at)
          VALUES (${publicId}, ${secretSha256}, ${humanId}, ${userAgent}, ${at(atMs)}, ${at(atMs)}, ${at(expiresAtMs)})`
      }))),
      find: (publicId, atMs) => Effect.orDie(Effect.map(sql<HumanCredential>`
        SELECT s.public_id, s.secret_sha256, s.human_id, h.display_name, h.blocked_reason, ${msOf("s.renewed_at")} AS renewed_at_ms
        FROM human_sessions s JOIN humans h ON h.id = s.human_id WHERE s.public_id = ${publicId} AND s.expires_at > ${at(atMs)}`, (rows) => rows[0] ?? null)),
      renew: (publicId, expiresAtMs, atMs) => Effect.orDie(Effect.asVoid(sql`UPDATE human_sessions SET renewed_at = ${at(atMs)}, expires_at = ${at(expiresAtMs)} WHERE public_id = ${publicId}`)),
      list: (humanId, atMs) => Effect.orDie(sql<HumanSession>`
        SELECT public_id, user_agent, ${msOf("created_at")} AS created_at_ms, ${msOf("renewed_at")} AS renewed_at_ms, ${msOf("expires_at")} AS expires_at_ms
        FROM human_sessions WHERE human_id = ${humanId} AND expires_at > ${at(atMs)} ORDER BY created_at DESC, public_id`),
      close: (humanId, publicId) => Effect.orDie(Effect.map(sql`DELETE FROM human_sessions WHERE human_id = ${humanId} AND public_id = ${publicId} RETURNING public_id`, (rows) => rows.length === 1)),
      closeAll: (humanId) => Effect.orDie(Effect.map(sql`DELETE FROM human_sessions WHERE human_id = ${humanId} RETURNING public_id`, (rows) => rows.length))
    })
  }))
}
