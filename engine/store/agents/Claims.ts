import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../../schema/Ids.ts"
import { at, msText } from "../sql/instants.ts"
import { onlyRow, row, rows, run } from "../sql/rows.ts"
import { joinTransaction } from "../sql/Transaction.ts"

/** A pending claim of an agent: a code (`claim`, `device`) or a mailed one-time password for a token (`otp`). */
const Claim = Schema.Struct({
  id: Schema.String,
  agentId: AgentId,
  kind: Schema.Literals(["claim", "device", "otp"]),
  expiresAtMs: Schema.Finite,
  otpHmac: Schema.NullOr(Schema.String),
  otpExpiresAtMs: Schema.NullOr(Schema.Finite),
  otpSentAtMs: Schema.NullOr(Schema.Finite),
  otpTries: Schema.Int,
  otpSends: Schema.Int,
  verifiedAtMs: Schema.NullOr(Schema.Finite),
  /** Hash of the asserted address, for the mailed ceremony. */
  ownerEmailHash: Schema.NullOr(Schema.String),
  usedAtMs: Schema.NullOr(Schema.Finite)
})
export type Claim = typeof Claim.Type

const claim = row(Claim)
const triesRow = onlyRow(Schema.Struct({ otpTries: Schema.Int }))
const startRows = rows(Schema.Struct({ createdAtMs: Schema.Finite }))

export class ClaimsWriter extends Context.Service<ClaimsWriter>()("longwave/engine/store/ClaimsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const join = joinTransaction(sql)
    const ms = (column: string) => sql.literal(`${msText(column)} AS ${column.replace(/_at$/, "")}_at_ms`)
    const columns = sql`id, agent_id, kind, owner_email_hash, otp_hmac, otp_tries, otp_sends, ${ms("expires_at")}, ${ms("otp_expires_at")}, ${ms("otp_sent_at")}, ${ms("verified_at")}, ${ms("used_at")}`
    return {
      /** Ends the agent's earlier codes of the same ceremony: only the newest is valid. */
      open: ({
        agentId,
        atMs,
        codeSha256,
        expiresAtMs,
        id,
        kind,
        ownerEmailHash
      }: {
        readonly id: string
        readonly agentId: string
        readonly kind: Claim["kind"]
        readonly codeSha256: string | null
        readonly ownerEmailHash: string | null
        readonly expiresAtMs: number
        readonly atMs: number
      }) =>
        join(
          Effect.gen(function* () {
            if (kind !== "otp")
              yield* sql`UPDATE claims SET used_at = ${at(atMs)} WHERE agent_id = ${agentId} AND kind <> 'otp' AND used_at IS NULL`
            yield* sql`INSERT INTO claims (id, agent_id, kind, code_sha256, owner_email_hash, expires_at, created_at) VALUES (${id}, ${agentId}, ${kind}, ${codeSha256}, ${ownerEmailHash}, ${at(expiresAtMs)}, ${at(atMs)})`
            yield* sql`UPDATE agents SET claim_expires_at = greatest(claim_expires_at, ${at(expiresAtMs)}) WHERE id = ${agentId}`
          })
        ).pipe(Effect.orDie),
      findByCode: (codeSha256: string) => claim(sql`SELECT ${columns} FROM claims WHERE code_sha256 = ${codeSha256}`),
      /** The mailed ceremony of an agent that registered with an address. */
      findMailed: (agentId: string) =>
        claim(sql`SELECT ${columns} FROM claims WHERE agent_id = ${agentId} AND kind = 'otp'`),
      setOtp: (id: string, otpHmac: string, expiresAtMs: number, atMs: number) =>
        run(sql`
        UPDATE claims SET otp_hmac = ${otpHmac}, otp_expires_at = ${at(expiresAtMs)}, otp_sent_at = ${at(atMs)}, otp_tries = 0, otp_sends = otp_sends + 1 WHERE id = ${id}`),
      /** Counts an attempt before it is checked, so that parallel guesses count too; returns the attempts so far. */
      countTry: (id: string) =>
        Effect.map(
          triesRow(sql`UPDATE claims SET otp_tries = otp_tries + 1 WHERE id = ${id} RETURNING otp_tries`),
          (found) => found.otpTries
        ),
      markVerified: (id: string, atMs: number) =>
        run(sql`UPDATE claims SET verified_at = ${at(atMs)}, otp_hmac = NULL WHERE id = ${id}`),
      /** Times of code requests since an instant, oldest first. */
      listStartsSince: (agentId: string, sinceMs: number) =>
        Effect.map(
          startRows(sql`
        SELECT ${ms("created_at")} FROM claims WHERE agent_id = ${agentId} AND kind = 'device' AND created_at > ${at(sinceMs)} ORDER BY claims.created_at`),
          (found) => found.map(({ createdAtMs }) => createdAtMs)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Claims extends Context.Service<
  Claims,
  Pick<ClaimsWriter["Service"], "findByCode" | "findMailed" | "listStartsSince">
>()("longwave/engine/store/Claims") {
  static readonly layer = Layer.effect(this, ClaimsWriter).pipe(Layer.provideMerge(ClaimsWriter.layer))
}
