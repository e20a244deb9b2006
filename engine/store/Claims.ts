import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** A way to claim an agent: a code (`claim`, `device`) or a mailed one-time password for a token (`otp`). */
export interface Claim {
  readonly id: string
  readonly agentId: string
  readonly kind: "claim" | "device" | "otp"
  readonly expiresAtMs: number
  readonly otpHmac: string | null
  readonly otpExpiresAtMs: number | null
  readonly otpSentAtMs: number | null
  readonly otpTries: number
  readonly otpSends: number
  readonly verifiedAtMs: number | null
  /** Of the mailed ceremony: whose address was asserted. */
  readonly ownerEmailHash: string | null
  readonly usedAtMs: number | null
}

export class Claims extends Context.Service<Claims, {
  /** Ends the agent's earlier codes of the same ceremony: only the newest counts. */
  readonly open: (claim: { readonly id: string; readonly agentId: string; readonly kind: Claim["kind"]; readonly codeSha256: string | null; readonly ownerEmailHash: string | null; readonly expiresAtMs: number; readonly atMs: number }) => Effect.Effect<void>
  readonly byCode: (codeSha256: string) => Effect.Effect<Claim | null>
  /** The mailed ceremony of an agent that registered with an address. */
  readonly mailed: (agentId: string) => Effect.Effect<Claim | null>
  readonly setOtp: (id: string, otpHmac: string, expiresAtMs: number, atMs: number) => Effect.Effect<void>
  /** Counts a try before it is judged, so that parallel guesses are counted too; answers the tries so far. */
  readonly countTry: (id: string) => Effect.Effect<number>
  readonly verified: (id: string, atMs: number) => Effect.Effect<void>
  /** When codes were asked for since then, oldest first. */
  readonly startedSince: (agentId: string, sinceMs: number) => Effect.Effect<ReadonlyArray<number>>
}>()("longwave/engine/store/Claims") {
  static readonly layer = Layer.effect(Claims, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => sql.literal(`(extract(epoch from ${column}) * 1000)::float8 AS ${column.replace(/_at$/, "")}_at_ms`)
    const columns = sql`id, agent_id, kind, owner_email_hash, otp_hmac, otp_tries, otp_sends, ${ms("expires_at")}, ${ms("otp_expires_at")}, ${ms("otp_sent_at")}, ${ms("verified_at")}, ${ms("used_at")}`
    const one = (rows: Effect.Effect<ReadonlyArray<Claim>, unknown>) => rows.pipe(Effect.map((found) => found[0] ?? null), Effect.orDie)
    return Claims.of({
      open: Effect.fn("Claims.open")(({ agentId, atMs, codeSha256, expiresAtMs, id, kind, ownerEmailHash }) => sql.withTransaction(Effect.gen(function*() {
        if (kind !== "otp") yield* sql`UPDATE claims SET used_at = ${at(atMs)} WHERE agent_id = ${agentId} AND kind <> 'otp' AND used_at IS NULL`
        yield* sql`INSERT INTO claims (id, agent_id, kind, code_sha256, owner_email_hash, expires_at, created_at) VALUES (${id}, ${agentId}, ${kind}, ${codeSha256}, ${ownerEmailHash}, ${at(expiresAtMs)}, ${at(atMs)})`
        yield* sql`UPDATE agents SET claim_expires_at = greatest(claim_expires_at, ${at(expiresAtMs)}) WHERE id = ${agentId}`
      })).pipe(Effect.orDie)),
      byCode: (codeSha256) => one(sql<Claim>`SELECT ${columns} FROM claims WHERE code_sha256 = ${codeSha256}`),
      mailed: (agentId) => one(sql<Claim>`SELECT ${columns} FROM claims WHERE agent_id = ${agentId} AND kind = 'otp'`),
      setOtp: (id, otpHmac, expiresAtMs, atMs) => sql`
        UPDATE claims SET otp_hmac = ${otpHmac}, otp_expires_at = ${at(expiresAtMs)}, otp_sent_at = ${at(atMs)}, otp_tries = 0, otp_sends = otp_sends + 1 WHERE id = ${id}`
        .pipe(Effect.asVoid, Effect.orDie),
      countTry: (id) => sql<{ otpTries: number }>`UPDATE claims SET otp_tries = otp_tries + 1 WHERE id = ${id} RETURNING otp_tries`
        .pipe(Effect.map((rows) => rows[0]!.otpTries), Effect.orDie),
      verified: (id, atMs) => sql`UPDATE claims SET verified_at = ${at(atMs)}, otp_hmac = NULL WHERE id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
      startedSince: (agentId, sinceMs) => sql<{ createdAtMs: number }>`
        SELECT ${ms("created_at")} FROM claims WHERE agent_id = ${agentId} AND kind = 'device' AND created_at > ${at(sinceMs)} ORDER BY claims.created_at`
        .pipe(Effect.map((rows) => rows.map(({ createdAtMs }) => createdAtMs)), Effect.orDie)
    })
  }))
}
