import { Context, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { epochMs } from "../../../schema/time/Samples.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { AgentId } from "../../../schema/Ids.ts"
import { rankHalfLifeDays, rankWeightsSec } from "../../rules/ranks/limits.ts"
import { at, ms, msText } from "../sql/instants.ts"
import { countChanged, onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"

const PointMoveRecord = Schema.Struct({
  id: Schema.String,
  code: Schema.String,
  /** Negative for points spent. */
  points: Schema.Int,
  atMs: Schema.Finite
})
export type PointMoveRecord = typeof PointMoveRecord.Type

const pointMoves = rows(PointMoveRecord)
const total = onlyRow(Schema.Struct({ sum: Schema.Int }))

/** Points granted and spent, apart from the ledger that decides ranks. */
export class PointMovesWriter extends Context.Service<PointMovesWriter>()("longwave/engine/store/PointMovesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`id, code, points, ${msText("at")} AS at_ms`)
    return {
      /** Everything earned and lost, by the ledger. */
      sumEarned: (agentId: string) =>
        Effect.map(
          total(sql`
            SELECT coalesce(sum(points), 0)::int AS sum FROM (
              SELECT points FROM points WHERE agent_id = ${agentId} UNION ALL SELECT points FROM point_totals WHERE agent_id = ${agentId}
            ) entries`),
          (found) => found.sum
        ),
      /** Newest first. */
      listByAgent: (agentId: string) =>
        pointMoves(sql`SELECT ${columns} FROM point_moves WHERE agent_id = ${agentId} ORDER BY at DESC, id DESC`),
      add: (agentId: string, { atMs, code, id, points }: PointMoveRecord) =>
        run(sql`
        INSERT INTO point_moves (id, agent_id, code, points, at) VALUES (${id}, ${agentId}, ${code}, ${points}, ${at(atMs)})`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class PointMoves extends Context.Service<
  PointMoves,
  Pick<PointMovesWriter["Service"], "sumEarned" | "listByAgent">
>()("longwave/engine/store/PointMoves") {
  static readonly layer = Layer.effect(this, PointMovesWriter).pipe(Layer.provideMerge(PointMovesWriter.layer))
}

/** The weight of rows of `points`, as `weightOf` in engine/rules/ranks/Rank.ts computes it. */
export const weightOfPoints = Statement.fragment([
  Statement.literal(
    `sum(points * power(2::float8, (extract(epoch FROM at)::float8 * 1000 - ${epochMs}) / ${rankHalfLifeDays * dayMs}))`
  )
])

/** Instant of an agent's last violation, without those that were undone. `agentId` is an SQL expression. */
export const lastViolationOf = (agentId: string): Statement.Fragment =>
  Statement.fragment([
    Statement.literal(`(SELECT ${msText("max(p.at)")} FROM points p WHERE p.agent_id = ${agentId} AND p.points < 0 AND p.code <> 'peer_decision_overturned' AND NOT EXISTS (
      SELECT FROM points b WHERE b.agent_id = p.agent_id AND b.code = 'content_restored' AND b.subject_id = p.subject_id AND p.code = 'content_rejected'))`)
  ])

export const Tier = Schema.Literals([0, 1, 2, 3, 4])
/** An agent's standing. A pinned tier overrides the earned one. engine/rules/Rank turns `weight` into a score. */
const Standing = Schema.Struct({
  agentId: AgentId,
  tier: Tier,
  tierPin: Schema.NullOr(Tier),
  earnedTier: Tier,
  /** The tier last announced. */
  toldTier: Tier,
  weight: Schema.Finite,
  claimedAtMs: Schema.NullOr(Schema.Finite),
  firstAirCleared: Schema.Boolean,
  /** Without violations that were undone. */
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
const standings = rows(Standing)
const standingRow = row(Standing)
const weightRows = rows(Schema.Struct({ weight: Schema.Finite }))
/** Earned points of agents and their tiers. */
export class RanksWriter extends Context.Service<RanksWriter>()("longwave/engine/store/RanksWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`
      coalesce(g.tier_pin, r.earned_tier, 0) AS tier, g.tier_pin, coalesce(r.earned_tier, 0) AS earned_tier, coalesce(r.told_tier, 0) AS told_tier, coalesce(r.weight, 0) AS weight,
      ${ms("a.claimed_at")} AS claimed_at_ms, coalesce(g.free_air, false) OR coalesce(t.state = 'cleared', false) AS first_air_cleared,
      ${lastViolationOf("i.agent_id")} AS last_violation_at_ms`
    const beside = sql.literal(
      "LEFT JOIN grants g ON g.agent_id = i.agent_id LEFT JOIN gates t ON t.agent_id = i.agent_id LEFT JOIN agents a ON a.id = i.agent_id"
    )
    const find = Effect.fnUntraced(function* (agentId: string) {
      return (yield* standingRow(
        sql`SELECT i.agent_id, ${columns} FROM (SELECT ${agentId}::text AS agent_id) i LEFT JOIN ranks r ON r.agent_id = i.agent_id ${beside}`
      ))!
    })
    const weights = yield* Effect.map(
      weightRows(sql`SELECT weight FROM ranks WHERE weight > 0 ORDER BY weight DESC`),
      (found) => found.map(({ weight }) => weight)
    ).pipe(Effect.cachedWithTTL((exit) => (Exit.isSuccess(exit) ? `${rankWeightsSec} seconds` : 0)))
    /** Locks an agent's row, made if it is missing, until the transaction ends. */
    const lock = (agentId: string) =>
      run(
        sql`INSERT INTO ranks AS r (agent_id) VALUES (${agentId}) ON CONFLICT (agent_id) DO UPDATE SET agent_id = r.agent_id`
      )
    return {
      find,
      /** Like `find`, with a row lock until the transaction ends. */
      hold: Effect.fnUntraced(function* (agentId: string) {
        yield* lock(agentId)
        return yield* find(agentId)
      }),
      lock,
      /** All weights in descending order, at most a minute old, because every check-in needs its position. */
      weights,
      /** Points of one kind since an instant. */
      sumEarnedSince: (agentId: string, code: string, sinceMs: number) =>
        Effect.map(
          total(
            sql`SELECT coalesce(sum(points), 0)::int AS sum FROM points WHERE agent_id = ${agentId} AND code = ${code} AND at >= ${at(sinceMs)}`
          ),
          (found) => found.sum
        ),
      has: (agentId: string, code: string, subjectId: string) =>
        Effect.orDie(
          Effect.map(
            sql`SELECT FROM points WHERE agent_id = ${agentId} AND code = ${code} AND subject_id = ${subjectId}`,
            ({ length }) => length > 0
          )
        ),
      /** False if the ledger already has it. */
      enter: ({ agentId, atMs, code, points, subjectId }: LedgerRow) =>
        hasChanged(
          sql`INSERT INTO points (agent_id, code, subject_id, points, at) VALUES (${agentId}, ${code}, ${subjectId}, ${points}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING agent_id`
        ),
      /** Enters points with the weight and tier that they lead to, in one statement. False if the ledger already has them. */
      enterAndSave: (
        { agentId, atMs, code, points, subjectId }: LedgerRow,
        { earnedTier, toldTier, weight }: Pick<RankRecord, "weight" | "earnedTier" | "toldTier">
      ) =>
        hasChanged(sql`
          WITH entered AS (
            INSERT INTO points (agent_id, code, subject_id, points, at) VALUES (${agentId}, ${code}, ${subjectId}, ${points}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING agent_id
          ) UPDATE ranks r SET weight = ${weight}, earned_tier = ${earnedTier}, told_tier = ${toldTier} FROM entered WHERE r.agent_id = entered.agent_id RETURNING r.agent_id`),
      save: (
        agentId: string,
        { earnedTier, toldTier, weight }: Pick<RankRecord, "weight" | "earnedTier" | "toldTier">
      ) =>
        run(
          sql`UPDATE ranks SET weight = ${weight}, earned_tier = ${earnedTier}, told_tier = ${toldTier} WHERE agent_id = ${agentId}`
        ),
      /** Agents whose tier may change by time alone: those with a tier, and those with enough points for one. In pages by id. */
      listUnsettled: (weightMin: number, afterId: string, limit: number) =>
        standings(sql`
          SELECT i.agent_id, ${columns} FROM ranks i JOIN ranks r ON r.agent_id = i.agent_id ${beside}
          WHERE i.agent_id > ${afterId} AND (i.earned_tier > 0 OR i.weight >= ${weightMin}) ORDER BY i.agent_id LIMIT ${limit}`),
      /** Folds entries from before that instant into their totals. */
      foldBefore: (beforeMs: number) =>
        countChanged(sql`
        WITH old AS (
          DELETE FROM points WHERE ctid = ANY(ARRAY(SELECT ctid FROM points WHERE at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING agent_id, code, points
        ), folded AS (
          INSERT INTO point_totals AS t (agent_id, code, lost, count, points)
          SELECT agent_id, code, points < 0, count(*), sum(points) FROM old GROUP BY 1, 2, 3
          ON CONFLICT (agent_id, code, lost) DO UPDATE SET count = t.count + excluded.count, points = t.points + excluded.points
        ) SELECT 1 FROM old`),
      /** Removes agents that left from the ranking; the ledger stays. */
      forgetLeft: run(sql`DELETE FROM ranks r USING agents a WHERE a.id = r.agent_id AND a.deleted_at IS NOT NULL`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Ranks extends Context.Service<
  Ranks,
  Pick<RanksWriter["Service"], "find" | "weights" | "sumEarnedSince" | "has" | "listUnsettled">
>()("longwave/engine/store/Ranks") {
  static readonly layer = Layer.effect(this, RanksWriter).pipe(Layer.provideMerge(RanksWriter.layer))
}
