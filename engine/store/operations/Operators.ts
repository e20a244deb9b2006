import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { OperatorId, OperatorRole } from "../../../schema/operations/Operator.ts"
import { at, ms } from "../sql/instants.ts"
import { countChanged, onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"

/** A stored credential of an operator: the hash of a token's or session's secret, and its role. */
const OperatorCredential = Schema.Struct({
  publicId: Schema.String,
  secretSha256: Schema.String,
  name: Schema.String,
  role: OperatorRole,
  revoked: Schema.Boolean
})
export type OperatorCredential = typeof OperatorCredential.Type

const OperatorRecord = Schema.Struct({
  id: OperatorId,
  name: Schema.String,
  role: OperatorRole,
  secondFactor: Schema.Boolean,
  createdAtMs: Schema.Finite,
  lastSeenAtMs: Schema.NullOr(Schema.Finite)
})
export type OperatorRecord = typeof OperatorRecord.Type

const OperatorToken = Schema.Struct({
  ...OperatorCredential.fields,
  createdAtMs: Schema.Finite,
  lastUsedAtMs: Schema.NullOr(Schema.Finite),
  revokedAtMs: Schema.NullOr(Schema.Finite)
})
export type OperatorToken = typeof OperatorToken.Type

/** Sealed secrets of an operator's authenticator, and the time step of the last code that was taken. */
const SecondFactor = Schema.Struct({
  waiting: Schema.NullOr(Schema.String),
  secret: Schema.NullOr(Schema.String),
  step: Schema.NullOr(Schema.Finite)
})
export type SecondFactor = typeof SecondFactor.Type

const credential = row(OperatorCredential)
const secondFactor = row(SecondFactor)
const operators = rows(OperatorRecord)
const operator = row(OperatorRecord)
const tokens = rows(OperatorToken)
const countRow = onlyRow(Schema.Struct({ count: Schema.Int }))

/** Operators: people with sessions, and tokens. */
export class OperatorsWriter extends Context.Service<OperatorsWriter>()("longwave/engine/store/OperatorsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const hasRow = (statement: Statement.Statement<unknown>) =>
      Effect.orDie(Effect.map(statement, ({ length }) => length > 0))
    const person = sql`o.id, o.name, o.role, o.totp_secret IS NOT NULL AS second_factor, ${ms("o.created_at")} AS created_at_ms, ${ms("o.last_seen_at")} AS last_seen_at_ms`
    return {
      token: (publicId: string) =>
        credential(sql`
        SELECT public_id, secret_sha256, name, role, revoked_at IS NOT NULL AS revoked FROM operator_tokens WHERE public_id = ${publicId}`),
      /** An active session of a current operator, with the operator's current role. */
      session: (publicId: string, atMs: number) =>
        credential(sql`
        SELECT s.public_id, s.secret_sha256, o.name, o.role, false AS revoked FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
        WHERE s.public_id = ${publicId} AND s.expires_at > ${at(atMs)} AND o.removed_at IS NULL`),
      /** Written at most once a minute. */
      markSeen: (publicId: string, atMs: number) =>
        run(
          Effect.all([
            sql`UPDATE operator_tokens SET last_used_at = ${at(atMs)} WHERE public_id = ${publicId} AND (last_used_at IS NULL OR last_used_at < ${at(atMs - 60_000)})`,
            sql`UPDATE operators o SET last_seen_at = ${at(atMs)} FROM operator_sessions s
          WHERE s.public_id = ${publicId} AND o.id = s.operator_id AND (o.last_seen_at IS NULL OR o.last_seen_at < ${at(atMs - 60_000)})`
          ])
        ),
      hasAny: hasRow(sql`SELECT 1 FROM operator_tokens WHERE revoked_at IS NULL LIMIT 1`),
      /** Saves the configured token; a changed value replaces the earlier one of that name. */
      save: (token: Omit<OperatorCredential, "revoked">, atMs: number) =>
        run(
          sql.withTransaction(
            Effect.all([
              sql`UPDATE operator_tokens SET revoked_at = ${at(atMs)} WHERE name = ${token.name} AND public_id <> ${token.publicId} AND revoked_at IS NULL`,
              sql`
          INSERT INTO operator_tokens (public_id, secret_sha256, name, role, created_at) VALUES (${token.publicId}, ${token.secretSha256}, ${token.name}, ${token.role}, ${at(atMs)})
          ON CONFLICT (public_id) DO UPDATE SET secret_sha256 = excluded.secret_sha256, role = excluded.role, revoked_at = NULL`
            ])
          )
        ),
      /** Newest first, including revoked ones. */
      tokens: (limit: number) =>
        tokens(sql`
        SELECT public_id, secret_sha256, name, role, revoked_at IS NOT NULL AS revoked, ${ms("created_at")} AS created_at_ms, ${ms("last_used_at")} AS last_used_at_ms,
          ${ms("revoked_at")} AS revoked_at_ms FROM operator_tokens ORDER BY revoked_at IS NOT NULL, created_at DESC, public_id LIMIT ${limit}`),
      /** False if there is no such token or it was revoked before. */
      revoke: (publicId: string, atMs: number) =>
        hasChanged(
          sql`UPDATE operator_tokens SET revoked_at = ${at(atMs)} WHERE public_id = ${publicId} AND revoked_at IS NULL RETURNING public_id`
        ),
      list: (limit: number) =>
        operators(
          sql`SELECT ${person} FROM operators o WHERE o.removed_at IS NULL ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}`
        ),
      find: (id: string) =>
        operator(sql`SELECT ${person} FROM operators o WHERE o.id = ${id} AND o.removed_at IS NULL`),
      /** Whether a person or an active token has this name: names in the audit log must be unique. */
      isTaken: (name: string) =>
        hasRow(sql`
        SELECT 1 FROM operators WHERE name = ${name} AND removed_at IS NULL UNION ALL SELECT 1 FROM operator_tokens WHERE name = ${name} AND revoked_at IS NULL LIMIT 1`),
      add: (operator: Omit<OperatorRecord, "lastSeenAtMs" | "secondFactor">) =>
        run(
          sql`INSERT INTO operators (id, name, role, created_at) VALUES (${operator.id}, ${operator.name}, ${operator.role}, ${at(operator.createdAtMs)})`
        ),
      findByAddress: (emailHash: string) =>
        operator(sql`SELECT ${person} FROM operators o WHERE o.email_hash = ${emailHash} AND o.removed_at IS NULL`),
      /** Ties the operator to this identity if there was none; false if there was another. */
      pinIdentity: (id: string, identityHash: string) =>
        hasChanged(sql`
        UPDATE operators SET identity_hash = ${identityHash} WHERE id = ${id} AND (identity_hash IS NULL OR identity_hash = ${identityHash}) RETURNING id`),
      /** False if another operator has it. Frees the operator from the identity of the former address. */
      setAddress: (id: string, emailHash: string | null) =>
        hasChanged(sql`
        UPDATE operators SET email_hash = ${emailHash}, identity_hash = NULL WHERE id = ${id}
          AND NOT EXISTS (SELECT 1 FROM operators o WHERE o.email_hash = ${emailHash} AND o.removed_at IS NULL AND o.id <> ${id}) RETURNING id`),
      setRole: (id: string, role: OperatorRole) => run(sql`UPDATE operators SET role = ${role} WHERE id = ${id}`),
      /** Ends the operator's sessions and links too. */
      remove: (id: string, atMs: number) =>
        run(
          sql.withTransaction(
            Effect.all([
              sql`UPDATE operators SET removed_at = ${at(atMs)}, email_hash = NULL, identity_hash = NULL, totp_waiting = NULL, totp_secret = NULL, totp_step = NULL
                WHERE id = ${id} AND removed_at IS NULL`,
              sql`DELETE FROM operator_sessions WHERE operator_id = ${id}`,
              sql`DELETE FROM operator_links WHERE operator_id = ${id}`
            ])
          )
        ),
      /** Other admins, people and tokens, who can still manage operators. */
      countOtherAdmins: (but: string) =>
        Effect.map(
          countRow(sql`
        SELECT ((SELECT count(*) FROM operators WHERE role = 'admin' AND removed_at IS NULL AND id <> ${but})
          + (SELECT count(*) FROM operator_tokens WHERE role = 'admin' AND revoked_at IS NULL AND public_id <> ${but}))::int AS count`),
          (found) => found.count
        ),
      /** Voids earlier links. */
      addLink: (operatorId: string, secretSha256: string, expiresAtMs: number) =>
        run(
          sql.withTransaction(
            Effect.all([
              sql`DELETE FROM operator_links WHERE operator_id = ${operatorId}`,
              sql`INSERT INTO operator_links (secret_sha256, operator_id, expires_at) VALUES (${secretSha256}, ${operatorId}, ${at(expiresAtMs)})`
            ])
          )
        ),
      findByName: (name: string) =>
        operator(sql`SELECT ${person} FROM operators o WHERE o.name = ${name} AND o.removed_at IS NULL`),
      /** The operator of a session that lasts; null for the public id of a token. */
      findBySession: (publicId: string) =>
        operator(sql`
        SELECT ${person} FROM operators o JOIN operator_sessions s ON s.operator_id = o.id WHERE s.public_id = ${publicId} AND o.removed_at IS NULL`),
      /** The operator of a link that can still be used. */
      findByLink: (secretSha256: string, atMs: number) =>
        operator(sql`
        SELECT ${person} FROM operators o JOIN operator_links l ON l.operator_id = o.id
        WHERE l.secret_sha256 = ${secretSha256} AND l.used_at IS NULL AND l.expires_at > ${at(atMs)} AND o.removed_at IS NULL`),
      secondFactor: (id: string) =>
        secondFactor(
          sql`SELECT totp_waiting AS waiting, totp_secret AS secret, totp_step::float8 AS step FROM operators WHERE id = ${id}`
        ),
      awaitSecondFactor: (id: string, sealed: string) =>
        run(sql`UPDATE operators SET totp_waiting = ${sealed} WHERE id = ${id}`),
      /** Puts the waiting secret in force. */
      setSecondFactor: (id: string, step: number) =>
        run(
          sql`UPDATE operators SET totp_secret = totp_waiting, totp_waiting = NULL, totp_step = ${step} WHERE id = ${id} AND totp_waiting IS NOT NULL`
        ),
      /** False if a code of this step or a later one was taken before: each counts once. */
      takeStep: (id: string, step: number) =>
        hasChanged(
          sql`UPDATE operators SET totp_step = ${step} WHERE id = ${id} AND (totp_step IS NULL OR totp_step < ${step}) RETURNING id`
        ),
      clearSecondFactor: (id: string) =>
        run(sql`UPDATE operators SET totp_waiting = NULL, totp_secret = NULL, totp_step = NULL WHERE id = ${id}`),
      /** Ends the operator's sessions, except this one, and links. */
      endSessions: (id: string, except: string | null) =>
        run(
          sql.withTransaction(
            Effect.all([
              sql`DELETE FROM operator_sessions WHERE operator_id = ${id} AND public_id IS DISTINCT FROM ${except}`,
              sql`DELETE FROM operator_links WHERE operator_id = ${id}`
            ])
          )
        ),
      /** The operator of a link, which this uses up. Null if it was used, has expired or doesn't exist. */
      useLink: (secretSha256: string, atMs: number) =>
        operator(sql`
        UPDATE operator_links l SET used_at = ${at(atMs)} FROM operators o
        WHERE l.secret_sha256 = ${secretSha256} AND l.used_at IS NULL AND l.expires_at > ${at(atMs)} AND o.id = l.operator_id AND o.removed_at IS NULL RETURNING ${person}`),
      openSession: (
        session: {
          readonly publicId: string
          readonly secretSha256: string
          readonly operatorId: string
          readonly expiresAtMs: number
        },
        atMs: number
      ) =>
        run(
          sql`INSERT INTO operator_sessions (public_id, secret_sha256, operator_id, created_at, expires_at)
          VALUES (${session.publicId}, ${session.secretSha256}, ${session.operatorId}, ${at(atMs)}, ${at(session.expiresAtMs)})`
        ),
      /** Deletes sessions that have ended. */
      purgeSessions: (atMs: number) =>
        countChanged(
          sql`DELETE FROM operator_sessions WHERE ctid = ANY(ARRAY(SELECT ctid FROM operator_sessions WHERE expires_at < ${at(atMs)} LIMIT ${purgeRows})) RETURNING 1`
        ),
      /** Deletes links that have expired. */
      purgeLinks: (atMs: number) =>
        countChanged(
          sql`DELETE FROM operator_links WHERE ctid = ANY(ARRAY(SELECT ctid FROM operator_links WHERE expires_at < ${at(atMs)} LIMIT ${purgeRows})) RETURNING 1`
        ),
      closeSession: (publicId: string) => run(sql`DELETE FROM operator_sessions WHERE public_id = ${publicId}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Operators extends Context.Service<
  Operators,
  Pick<
    OperatorsWriter["Service"],
    | "token"
    | "session"
    | "hasAny"
    | "tokens"
    | "list"
    | "find"
    | "isTaken"
    | "findByAddress"
    | "countOtherAdmins"
    | "findBySession"
  >
>()("longwave/engine/store/Operators") {
  static readonly layer = Layer.effect(this, OperatorsWriter).pipe(Layer.provideMerge(OperatorsWriter.layer))
}
