import { Context, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../schema/Ids.ts"
import { rankWeightsSec } from "../Limits.ts"

const Tier = Schema.Literals([0, 1, 2, 3, 4])

/** Where an agent stands: the tier that counts, a pin before what was earned. `weight` becomes a score by engine/rules/Rank. */
const Standing = Schema.Struct({
  agentId: AgentId,
  tier: Tier,
  tierPin: Schema.NullOr(Tier),
  earnedTier: Tier,
  /** As others were last told. */
  toldTier: Tier,
  weight: Schema.Finite,
  claimedAtMs: Schema.NullOr(Schema.Finite),
  firstAirCleared: Schema.Boolean,
  /** Of what was not taken back. */
  lastViolationAtMs: Schema.NullOr(Schema.Finite)
})
export type RankRecord = typeof Standing.Type

export interface LedgerRow {
  readonly agentId: string
  readonly code: string
  readonly subjectId: string
  readonly points: number
  readonly atMs: number
}

const decode = Schema.decodeUnknownEffect(Schema.Array(Standing))

/** What agents have earned, and where that puts them. */
export class Ranks extends Context.Service<Ranks, {
  readonly of: (agentId: string) => Effect.Effect<RankRecord>
  /** The same, and nobody else can change it until the transaction ends. */
  readonly hold: (agentId: string) => Effect.Effect<RankRecord>
  /** All that anybody has, in falling order, as of a minute ago at the most: every check-in asks for its place among them. */
  readonly weights: Effect.Effect<ReadonlyArray<number>>
  /** The points of one kind since an instant. */
  readonly earnedSince: (agentId: string, code: string, sinceMs: number) => Effect.Effect<number>
  readonly has: (agentId: string, code: string, subjectId: string) => Effect.Effect<boolean>
  /** False when it is in the ledger already. */
  readonly enter: (row: LedgerRow) => Effect.Effect<boolean>
  readonly save: (agentId: string, rank: Pick<RankRecord, "weight" | "earnedTier" | "toldTier">) => Effect.Effect<void>
  /** Whose tier time alone may change: those who have one, and those whose points suffice for one. In pages, by their ids. */
  readonly unsettled: (weightMin: number, afterId: string, limit: number) => Effect.Effect<ReadonlyArray<RankRecord>>
  /** Who has left is nobody's rival any more; the ledger stays. */
  readonly forgetLeft: Effect.Effect<void>
  /** When a run was last due that was carried out. */
  readonly lastRun: (name: string) => Effect.Effect<number | null>
  readonly ran: (name: string, dueAtMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/Ranks") {
  static readonly layer = Layer.effect(Ranks, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => sql.literal(`round(extract(epoch from ${column}) * 1000)::float8`)
    const columns = sql`
      coalesce(g.tier_pin, r.earned_tier, 0) AS tier, g.tier_pin, coalesce(r.earned_tier, 0) AS earned_tier, coalesce(r.told_tier, 0) AS told_tier, coalesce(r.weight, 0) AS weight,
      ${ms("a.claimed_at")} AS claimed_at_ms, coalesce(g.free_air, false) OR coalesce(t.state = 'cleared', false) AS first_air_cleared,
      (SELECT ${ms("max(p.at)")} FROM points p WHERE p.agent_id = i.agent_id AND p.points < 0 AND NOT EXISTS (
        SELECT FROM points b WHERE b.agent_id = p.agent_id AND b.code = 'content_restored' AND b.subject_id = p.subject_id AND p.code = 'content_rejected'
      )) AS last_violation_at_ms`
    const beside = sql.literal("LEFT JOIN grants g ON g.agent_id = i.agent_id LEFT JOIN gates t ON t.agent_id = i.agent_id LEFT JOIN agents a ON a.id = i.agent_id")
    const of = Effect.fn("Ranks.of")(function*(agentId: string) {
      return (yield* decode(yield* sql`SELECT i.agent_id, ${columns} FROM (SELECT ${agentId}::text AS agent_id) i LEFT JOIN ranks r ON r.agent_id = i.agent_id ${beside}`))[0]!
    }, Effect.orDie)
    const weights = yield* Effect.map(sql<{ weight: number }>`SELECT weight FROM ranks WHERE weight > 0 ORDER BY weight DESC`, (rows) => rows.map(({ weight }) => weight)).pipe(
      Effect.orDie, Effect.cachedWithTTL((exit) => Exit.isSuccess(exit) ? `${rankWeightsSec} seconds` : 0))
    return Ranks.of({
      of,
      hold: Effect.fn("Ranks.hold")(function*(agentId) {
        yield* sql`INSERT INTO ranks (agent_id) VALUES (${agentId}) ON CONFLICT DO NOTHING`
        yield* sql`SELECT FROM ranks WHERE agent_id = ${agentId} FOR UPDATE`
        return yield* of(agentId)
      }, Effect.orDie),
      weights,
      earnedSince: (agentId, code, sinceMs) => Effect.orDie(Effect.map(
        sql<{ sum: number }>`SELECT coalesce(sum(points), 0)::int AS sum FROM points WHERE agent_id = ${agentId} AND code = ${code} AND at >= ${at(sinceMs)}`,
        ([row]) => row!.sum
      )),
      has: (agentId, code, subjectId) => Effect.orDie(Effect.map(
        sql`SELECT FROM points WHERE agent_id = ${agentId} AND code = ${code} AND subject_id = ${subjectId}`, (rows) => rows.length > 0
      )),
      enter: ({ agentId, atMs, code, points, subjectId }) => Effect.orDie(Effect.map(
        sql`INSERT INTO points (agent_id, code, subject_id, points, at) VALUES (${agentId}, ${code}, ${subjectId}, ${points}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING agent_id`,
        (rows) => rows.length === 1
      )),
      save: (agentId, { earnedTier, toldTier, weight }) => Effect.orDie(Effect.asVoid(
        sql`UPDATE ranks SET weight = ${weight}, earned_tier = ${earnedTier}, told_tier = ${toldTier} WHERE agent_id = ${agentId}`
      )),
      unsettled: Effect.fn("Ranks.unsettled")(function*(weightMin, afterId, limit) {
        return yield* decode(yield* sql`
          SELECT i.agent_id, ${columns} FROM ranks i JOIN ranks r ON r.agent_id = i.agent_id ${beside}
          WHERE i.agent_id > ${afterId} AND (i.earned_tier > 0 OR i.weight >= ${weightMin}) ORDER BY i.agent_id LIMIT ${limit}`)
      }, Effect.orDie),
      forgetLeft: Effect.orDie(Effect.asVoid(sql`DELETE FROM ranks r USING agents a WHERE a.id = r.agent_id AND a.deleted_at IS NOT NULL`)),
      lastRun: (name) => Effect.orDie(Effect.map(sql<{ dueAtMs: number }>`SELECT ${ms("due_at")} AS due_at_ms FROM steward_runs WHERE name = ${name}`, (rows) => rows[0]?.dueAtMs ?? null)),
      ran: (name, dueAtMs) => Effect.orDie(Effect.asVoid(
        sql`INSERT INTO steward_runs (name, due_at) VALUES (${name}, ${at(dueAtMs)}) ON CONFLICT (name) DO UPDATE SET due_at = greatest(steward_runs.due_at, excluded.due_at)`
      ))
    })
  }))
}
