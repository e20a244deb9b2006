import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { type AgentId, type HumanId, type ListenerId, TrackId } from "../../../schema/Ids.ts"
import { at, ms } from "../sql/instants.ts"
import { countChanged, onlyRow, row, rows, run } from "../sql/rows.ts"

const ListenersVote = Schema.Literals(["like", "dislike"])
const TrackVote = Schema.Literals([...ListenersVote.literals, "upvote", "downvote", "boost"])

const VoteTotals = Schema.Struct({
  likes: Schema.Int,
  dislikes: Schema.Int,
  upvotes: Schema.Int,
  downvotes: Schema.Int,
  boosts: Schema.Int
})

/** A listener who votes: the account if there is one, whatever device it listens with. */
export interface Voter {
  readonly listenerId: ListenerId
  readonly humanId: HumanId | null
}
export interface AgentVoter {
  readonly agentId: AgentId
}
type AnyVoter = Voter | AgentVoter
const voterOf = (voter: AnyVoter) => ("agentId" in voter ? voter.agentId : (voter.humanId ?? voter.listenerId))

const CastVote = Schema.Struct({
  action: TrackVote,
  reasonCode: Schema.NullOr(Schema.String),
  /** Within the limit per address. */
  counted: Schema.Boolean
})

const TrackStanding = Schema.Struct({
  voteWeight: Schema.Finite,
  restedUntilMs: Schema.NullOr(Schema.Finite),
  /** It was requested and has a place in the rundown. */
  isScheduled: Schema.Boolean
})
export type TrackStanding = typeof TrackStanding.Type

const standings = row(TrackStanding)
const castVote = row(CastVote)
const opinions = rows(
  Schema.Struct({
    trackId: TrackId,
    action: ListenersVote,
    reasonCode: Schema.NullOr(Schema.String),
    atMs: Schema.Finite
  })
)
const countRow = onlyRow(Schema.Struct({ n: Schema.Int }))
const totals = onlyRow(VoteTotals)
const rest = row(Schema.Struct({ ms: Schema.NullOr(Schema.Finite) }))
const trackIds = rows(Schema.Struct({ id: TrackId }))
const votedTracks = rows(Schema.Struct({ trackId: TrackId }))

/** Votes of listeners and agents on tracks, and their influence on rotation. */
export class TrackVotesWriter extends Context.Service<TrackVotesWriter>()("longwave/engine/store/TrackVotesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sumOf = (code: typeof TrackVote.Type) =>
      sql.literal(`coalesce(sum(count) FILTER (WHERE code = '${code}'), 0)::int`)
    const findStanding = (trackId: string) =>
      standings(sql`
      SELECT vote_weight, ${ms("rested_until")} AS rested_until_ms,
        EXISTS (SELECT 1 FROM song_requests r JOIN airings air ON air.id = r.id AND air.state IN ('placed', 'airing') WHERE r.track_id = t.id AND r.status = 'pending') AS is_scheduled
      FROM tracks t WHERE id = ${trackId} AND approval_status IN ('approved', 'retired')`)
    /** Keeps a counted vote that ends here for the boards that count it. */
    const keepWithdrawn = (trackId: string, voter: AnyVoter, where: Statement.Fragment, atMs: number) => sql`
      WITH ended AS (
        INSERT INTO withdrawn_votes (track_id, voter, action, at, until)
        SELECT track_id, voter, action, at, ${at(atMs)} FROM track_votes WHERE track_id = ${trackId} AND voter = ${voterOf(voter)} AND counted AND (${where})
      )`
    return {
      /** Deletes a batch of withdrawn votes that no board counts any more. Returns their number. */
      forgetWithdrawn: (beforeMs: number) =>
        countChanged(
          sql`DELETE FROM withdrawn_votes WHERE ctid = ANY(ARRAY(SELECT ctid FROM withdrawn_votes WHERE until < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
        ),
      /** Locks the votes of a track until the transaction ends. Null if no such track can air. */
      lock: (trackId: string) =>
        Effect.andThen(run(sql`SELECT 1 FROM tracks WHERE id = ${trackId} FOR NO KEY UPDATE`), findStanding(trackId)),
      findStanding,
      findOwn: (trackId: string, voter: AnyVoter) =>
        castVote(
          sql`SELECT action, reason_code, counted FROM track_votes WHERE track_id = ${trackId} AND voter = ${voterOf(voter)}`
        ),
      /** All votes of an account, or of a listener without one, newest first. */
      listByVoter: (who: string) =>
        opinions(sql`
        SELECT track_id, action, reason_code, ${ms("at")} AS at_ms FROM track_votes WHERE voter = ${who} ORDER BY at DESC, track_id`),
      /** Number of counted votes by other guests of this address on a track. */
      countByAddress: (trackId: string, addressHash: string, voter: Voter) =>
        Effect.map(
          countRow(sql`
        SELECT count(*)::int AS n FROM track_votes WHERE track_id = ${trackId} AND address_hash = ${addressHash} AND counted AND voter <> ${voterOf(voter)}`),
          (found) => found.n
        ),
      /** Replaces the earlier vote; an equal vote keeps its time. */
      cast: (
        trackId: string,
        voter: AnyVoter,
        { action, counted, reasonCode }: typeof CastVote.Type,
        addressHash: string | null,
        atMs: number
      ) =>
        run(sql`
        ${keepWithdrawn(trackId, voter, sql`action <> ${action} OR counted <> ${counted}`, atMs)}
        INSERT INTO track_votes (track_id, ${sql.literal("agentId" in voter ? "agent_id" : voter.humanId === null ? "listener_id" : "human_id")}, action, reason_code, counted, address_hash, at)
        VALUES (${trackId}, ${voterOf(voter)}, ${action}, ${reasonCode}, ${counted}, ${addressHash}, ${at(atMs)})
        ON CONFLICT (track_id, voter) DO UPDATE SET action = excluded.action, counted = excluded.counted,
          reason_code = CASE WHEN track_votes.action = excluded.action THEN coalesce(excluded.reason_code, track_votes.reason_code) ELSE excluded.reason_code END,
          address_hash = CASE WHEN track_votes.action = excluded.action THEN track_votes.address_hash ELSE excluded.address_hash END,
          at = CASE WHEN track_votes.action = excluded.action THEN track_votes.at ELSE excluded.at END`),
      clear: (trackId: string, voter: AnyVoter, atMs: number) =>
        run(
          sql`${keepWithdrawn(trackId, voter, sql`true`, atMs)} DELETE FROM track_votes WHERE track_id = ${trackId} AND voter = ${voterOf(voter)}`
        ),
      /** Totals of the counted votes since an instant, or of all including those of guests that are gone. */
      totals: (trackId: string, sinceMs: number | null = null) =>
        totals(sql`
        SELECT ${sumOf("like")} AS likes, ${sumOf("dislike")} AS dislikes, ${sumOf("upvote")} AS upvotes, ${sumOf("downvote")} AS downvotes, ${sumOf("boost")} AS boosts
        FROM (
          SELECT action AS code, 1 AS count FROM track_votes WHERE track_id = ${trackId} AND counted ${sinceMs === null ? sql`` : sql`AND at >= ${at(sinceMs)}`}
          ${sinceMs === null ? sql`UNION ALL SELECT code, count FROM track_totals WHERE track_id = ${trackId}` : sql``}
        ) votes`),
      setStanding: (trackId: string, { restedUntilMs, voteWeight }: Omit<TrackStanding, "isScheduled">) =>
        run(sql`
        UPDATE tracks SET vote_weight = ${voteWeight}, rested_until = ${restedUntilMs === null ? null : at(restedUntilMs)} WHERE id = ${trackId}`),
      /** End of the track's last rest; null if it has had none. */
      restOf: (trackId: string) =>
        Effect.map(
          rest(sql`SELECT ${ms("rested_until")} AS ms FROM tracks WHERE id = ${trackId}`),
          (found) => found?.ms ?? null
        ),
      rest: (trackId: string, untilMs: number | null) =>
        run(sql`UPDATE tracks SET rested_until = ${untilMs === null ? null : at(untilMs)} WHERE id = ${trackId}`),
      /** Moves a listener's votes to an account; of two votes the later one stays. Returns the track ids. */
      merge: Effect.fnUntraced(function* (listenerId: ListenerId, humanId: HumanId) {
        yield* run(
          sql`DELETE FROM track_votes o USING track_votes n WHERE o.voter = ${humanId} AND n.voter = ${listenerId} AND n.track_id = o.track_id AND n.at > o.at`
        )
        yield* run(
          sql`DELETE FROM track_votes o USING track_votes n WHERE o.voter = ${listenerId} AND n.voter = ${humanId} AND n.track_id = o.track_id`
        )
        yield* run(
          sql`UPDATE track_votes SET listener_id = NULL, human_id = ${humanId}, counted = true, address_hash = NULL WHERE voter = ${listenerId}`
        )
        const merged = yield* votedTracks(
          sql`SELECT track_id FROM track_votes WHERE voter = ${humanId} ORDER BY track_id`
        )
        return merged.map(({ trackId }) => trackId)
      }),
      /** Tracks in order of id that were voted on since, or whose weight was changed by votes. */
      listTouched: (sinceMs: number, afterId: string, limit: number) =>
        Effect.map(
          trackIds(sql`
        SELECT t.id FROM tracks t WHERE t.id > ${afterId} AND (t.vote_weight <> 1 OR EXISTS (SELECT 1 FROM track_votes v WHERE v.track_id = t.id AND v.at >= ${at(sinceMs)}))
        ORDER BY t.id LIMIT ${limit}`),
          (found) => found.map(({ id }) => id)
        ),
      eraseAddresses: (beforeMs: number) =>
        countChanged(
          sql`UPDATE track_votes SET address_hash = NULL WHERE ctid = ANY(ARRAY(SELECT ctid FROM track_votes WHERE address_hash IS NOT NULL AND at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class TrackVotes extends Context.Service<
  TrackVotes,
  Pick<
    TrackVotesWriter["Service"],
    "findStanding" | "findOwn" | "listByVoter" | "countByAddress" | "totals" | "restOf" | "listTouched"
  >
>()("longwave/engine/store/TrackVotes") {
  static readonly layer = Layer.effect(this, TrackVotesWriter).pipe(Layer.provideMerge(TrackVotesWriter.layer))
}
