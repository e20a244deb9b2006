import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { OperatorRole } from "../../schema/Operator.ts"

/** What an operator shows to be let in: a token's or a session's secret, and what it allows. */
export interface OperatorCredential {
  readonly publicId: string
  readonly secretSha256: string
  readonly name: string
  readonly role: OperatorRole
  readonly revoked: boolean
}

export interface OperatorRecord {
  readonly id: string
  readonly name: string
  readonly role: OperatorRole
  readonly createdAtMs: number
  readonly lastSeenAtMs: number | null
}

export interface OperatorToken extends OperatorCredential {
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
  readonly revokedAtMs: number | null
}

/** Those who run the station: people with sessions, and tokens. */
export class Operators extends Context.Service<Operators, {
  readonly token: (publicId: string) => Effect.Effect<OperatorCredential | null>
  /** A session that has not ended, of an operator who is still one; the role is the one of now. */
  readonly session: (publicId: string, atMs: number) => Effect.Effect<OperatorCredential | null>
  /** Noted at most once a minute. */
  readonly seen: (publicId: string, atMs: number) => Effect.Effect<void>
  readonly hasAny: Effect.Effect<boolean>
  /** The configured token is always the one in force: a changed value replaces what was under its name. */
  readonly save: (token: Omit<OperatorCredential, "revoked">, atMs: number) => Effect.Effect<void>
  /** Newest first, revoked ones among them. */
  readonly tokens: (limit: number) => Effect.Effect<ReadonlyArray<OperatorToken>>
  /** False when it is none or was revoked before. */
  readonly revoke: (publicId: string, atMs: number) => Effect.Effect<boolean>
  readonly list: (limit: number) => Effect.Effect<ReadonlyArray<OperatorRecord>>
  readonly find: (id: string) => Effect.Effect<OperatorRecord | null>
  /** Whether a person or a token in force goes by this name: the audit log must know whom it means. */
  readonly isTaken: (name: string) => Effect.Effect<boolean>
  readonly add: (operator: Omit<OperatorRecord, "lastSeenAtMs">) => Effect.Effect<void>
  readonly byAddress: (emailHash: string) => Effect.Effect<OperatorRecord | null>
  /** False when another operator has it. */
  readonly setAddress: (id: string, emailHash: string | null) => Effect.Effect<boolean>
  readonly setRole: (id: string, role: OperatorRole) => Effect.Effect<void>
  /** Sessions and links end with it. */
  readonly remove: (id: string, atMs: number) => Effect.Effect<void>
  /** Admins by person and by token, but for these: who is left to let others in. */
  readonly otherAdmins: (but: string) => Effect.Effect<number>
  /** A new link voids the ones before. */
  readonly addLink: (operatorId: string, secretSha256: string, expiresAtMs: number) => Effect.Effect<void>
  /** Whose link it is; used up by asking. Null when it was used, has expired, or is none. */
  readonly useLink: (secretSha256: string, atMs: number) => Effect.Effect<OperatorRecord | null>
  readonly openSession: (session: { readonly publicId: string; readonly secretSha256: string; readonly operatorId: string; readonly expiresAtMs: number }, atMs: number) => Effect.Effect<void>
  readonly closeSession: (publicId: string) => Effect.Effect<void>
}>()("longwave/engine/store/Operators") {
  static readonly layer = Layer.effect(Operators, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const msOf = (column: string) => sql.literal(`round(extract(epoch from ${column}) * 1000)::float8`)
    const first = <A, E>(rows: Effect.Effect<ReadonlyArray<A>, E>) => Effect.orDie(Effect.map(rows, (found) => found[0] ?? null))
    const done = <E>(rows: Effect.Effect<unknown, E>) => Effect.orDie(Effect.asVoid(rows))
    const person = sql`o.id, o.name, o.role, ${msOf("o.created_at")} AS created_at_ms, ${msOf("o.last_seen_at")} AS last_seen_at_ms`
    return Operators.of({
      token: (publicId) => first(sql<OperatorCredential>`
        SELECT public_id, secret_sha256, name, role, revoked_at IS NOT NULL AS revoked FROM operator_tokens WHERE public_id = ${publicId}`),
      session: (publicId, atMs) => first(sql<OperatorCredential>`
        SELECT s.public_id, s.secret_sha256, o.name, o.role, false AS revoked FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
        WHERE s.public_id = ${publicId} AND s.expires_at > ${at(atMs)} AND o.removed_at IS NULL`),
      seen: (publicId, atMs) => done(Effect.all([
        sql`UPDATE operator_tokens SET last_used_at = ${at(atMs)} WHERE public_id = ${publicId} AND (last_used_at IS NULL OR last_used_at < ${at(atMs - 60_000)})`,
        sql`UPDATE operators o SET last_seen_at = ${at(atMs)} FROM operator_sessions s
          WHERE s.public_id = ${publicId} AND o.id = s.operator_id AND (o.last_seen_at IS NULL OR o.last_seen_at < ${at(atMs - 60_000)})`
      ])),
      hasAny: Effect.map(first(sql`SELECT 1 FROM operator_tokens WHERE revoked_at IS NULL LIMIT 1`), (row) => row !== null),
      save: (token, atMs) => done(sql.withTransaction(Effect.gen(function*() {
        yield* sql`UPDATE operator_tokens SET revoked_at = ${at(atMs)} WHERE name = ${token.name} AND public_id <> ${token.publicId} AND revoked_at IS NULL`
        yield* sql`
          INSERT INTO operator_tokens (public_id, secret_sha256, name, role, created_at) VALUES (${token.publicId}, ${token.secretSha256}, ${token.name}, ${token.role}, ${at(atMs)})
          ON CONFLICT (public_id) DO UPDATE SET secret_sha256 = excluded.secret_sha256, role = excluded.role, revoked_at = NULL`
      }))),
      tokens: (limit) => Effect.orDie(sql<OperatorToken>`
        SELECT public_id, secret_sha256, name, role, revoked_at IS NOT NULL AS revoked, ${msOf("created_at")} AS created_at_ms, ${msOf("last_used_at")} AS last_used_at_ms,
          ${msOf("revoked_at")} AS revoked_at_ms FROM operator_tokens ORDER BY revoked_at IS NOT NULL, created_at DESC, public_id LIMIT ${limit}`),
      revoke: (publicId, atMs) => Effect.map(first(sql`UPDATE operator_tokens SET revoked_at = ${at(atMs)} WHERE public_id = ${publicId} AND revoked_at IS NULL RETURNING public_id`), (row) => row !== null),
      list: (limit) => Effect.orDie(sql<OperatorRecord>`SELECT ${person} FROM operators o WHERE o.removed_at IS NULL ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}`),
      find: (id) => first(sql<OperatorRecord>`SELECT ${person} FROM operators o WHERE o.id = ${id} AND o.removed_at IS NULL`),
      isTaken: (name) => Effect.map(first(sql`
        SELECT 1 FROM operators WHERE name = ${name} AND removed_at IS NULL UNION ALL SELECT 1 FROM operator_tokens WHERE name = ${name} AND revoked_at IS NULL LIMIT 1`), (row) => row !== null),
      add: (operator) => done(sql`INSERT INTO operators (id, name, role, created_at) VALUES (${operator.id}, ${operator.name}, ${operator.role}, ${at(operator.createdAtMs)})`),
      byAddress: (emailHash) => first(sql<OperatorRecord>`SELECT ${person} FROM operators o WHERE o.email_hash = ${emailHash} AND o.removed_at IS NULL`),
      setAddress: (id, emailHash) => Effect.map(first(sql`
        UPDATE operators SET email_hash = ${emailHash} WHERE id = ${id}
          AND NOT EXISTS (SELECT 1 FROM operators o WHERE o.email_hash = ${emailHash} AND o.removed_at IS NULL AND o.id <> ${id}) RETURNING id`), (row) => row !== null),
      setRole: (id, role) => done(sql`UPDATE operators SET role = ${role} WHERE id = ${id}`),
      remove: (id, atMs) => done(sql.withTransaction(Effect.all([
        sql`UPDATE operators SET removed_at = ${at(atMs)}, email_hash = NULL WHERE id = ${id} AND removed_at IS NULL`,
        sql`DELETE FROM operator_sessions WHERE operator_id = ${id}`,
        sql`DELETE FROM operator_links WHERE operator_id = ${id}`
      ]))),
      otherAdmins: (but) => Effect.map(first(sql<{ count: number }>`
        SELECT ((SELECT count(*) FROM operators WHERE role = 'admin' AND removed_at IS NULL AND id <> ${but})
          + (SELECT count(*) FROM operator_tokens WHERE role = 'admin' AND revoked_at IS NULL AND public_id <> ${but}))::int AS count`), (row) => row!.count),
      addLink: (operatorId, secretSha256, expiresAtMs) => done(sql.withTransaction(Effect.all([
        sql`DELETE FROM operator_links WHERE operator_id = ${operatorId}`,
        sql`INSERT INTO operator_links (secret_sha256, operator_id, expires_at) VALUES (${secretSha256}, ${operatorId}, ${at(expiresAtMs)})`
      ]))),
      useLink: (secretSha256, atMs) => first(sql<OperatorRecord>`
        UPDATE operator_links l SET used_at = ${at(atMs)} FROM operators o
        WHERE l.secret_sha256 = ${secretSha256} AND l.used_at IS NULL AND l.expires_at > ${at(atMs)} AND o.id = l.operator_id AND o.removed_at IS NULL RETURNING ${person}`),
      openSession: (session, atMs) => done(sql.withTransaction(Effect.all([
        sql`DELETE FROM operator_sessions WHERE expires_at < ${at(atMs)}`,
        sql`INSERT INTO operator_sessions (public_id, secret_sha256, operator_id, created_at, expires_at)
          VALUES (${session.publicId}, ${session.secretSha256}, ${session.operatorId}, ${at(atMs)}, ${at(session.expiresAtMs)})`
      ]))),
      closeSession: (publicId) => done(sql`DELETE FROM operator_sessions WHERE public_id = ${publicId}`)
    })
  }))
}
