import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { HumanId, ListenerId } from "../../schema/Ids.ts"

export type TrackVote = "like" | "dislike"

export interface VoteTotals {
  readonly likes: number
  readonly dislikes: number
  readonly upvotes: number
  readonly downvotes: number
  readonly boosts: number
}

/** Who votes: the account, where there is one, whatever they listen with. */
export interface Voter {
  readonly listenerId: ListenerId
  readonly humanId: HumanId | null
}

export interface CastVote {
  readonly action: TrackVote
  readonly reasonCode: string | null
  /** Not one too many of its address. */
  readonly counted: boolean
}

export interface TrackStanding {
  readonly voteWeight: number
  readonly restedUntilMs: number | null
  /** Somebody asked for it, and it has its place in the rundown. */
  readonly isScheduled: boolean
}

/** What is thought of tracks, and what that makes of their chances. Agents' votes lie beside those of listeners. */
export class TrackVotes extends Context.Service<TrackVotes, {
  /** Nobody else votes on it until the transaction is over. Null when there is no such track that could be heard. */
  readonly locked: (trackId: string) => Effect.Effect<TrackStanding | null>
  readonly standing: (trackId: string) => Effect.Effect<TrackStanding | null>
  readonly mine: (trackId: string, voter: Voter) => Effect.Effect<CastVote | null>
  /** All that an account, or a listener without one, thinks of tracks, newest first. */
  readonly of: (who: string) => Effect.Effect<ReadonlyArray<{ readonly trackId: string; readonly action: TrackVote; readonly reasonCode: string | null; readonly atMs: number }>>
  /** How many votes of other guests of an address count for a track. */
  readonly ofAddress: (trackId: string, addressHash: string, voter: Voter) => Effect.Effect<number>
  /** Replaces what was thought before; the same again keeps its time. */
  readonly cast: (trackId: string, voter: Voter, vote: CastVote, addressHash: string | null, atMs: number) => Effect.Effect<void>
  readonly clear: (trackId: string, voter: Voter) => Effect.Effect<void>
  /** What counts of all that was ever thought, or of what was since an instant. */
  readonly totals: (trackId: string, sinceMs?: number) => Effect.Effect<VoteTotals>
  readonly setStanding: (trackId: string, standing: Omit<TrackStanding, "isScheduled">) => Effect.Effect<void>
  /** Until when it rests or rested; null where it never did. */
  readonly restOf: (trackId: string) => Effect.Effect<number | null>
  readonly rest: (trackId: string, untilMs: number | null) => Effect.Effect<void>
  /** The votes of a listener become those of an account, which thinks what was thought last. Names the tracks. */
  readonly merge: (listenerId: ListenerId, humanId: HumanId) => Effect.Effect<ReadonlyArray<string>>
  /** Tracks that votes have to do with, by id: those that were voted on since, and those whose weight they have moved. */
  readonly touched: (sinceMs: number, afterId: string, limit: number) => Effect.Effect<ReadonlyArray<string>>
  readonly eraseAddresses: (beforeMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/TrackVotes") {
  static readonly layer = Layer.effect(TrackVotes, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const voterOf = ({ humanId, listenerId }: Voter) => humanId ?? listenerId
    const standing = (trackId: string) => Effect.orDie(Effect.map(sql<TrackStanding>`
      SELECT vote_weight, round(extract(epoch from rested_until) * 1000)::float8 AS rested_until_ms,
        EXISTS (SELECT 1 FROM song_requests r WHERE r.track_id = t.id AND r.status = 'scheduled') AS is_scheduled
      FROM tracks t WHERE id = ${trackId} AND approval_status IN ('approved', 'retired')`, (rows) => rows[0] ?? null))
    return TrackVotes.of({
      locked: (trackId) => Effect.andThen(Effect.orDie(sql`SELECT 1 FROM tracks WHERE id = ${trackId} FOR NO KEY UPDATE`), standing(trackId)),
      standing,
      mine: (trackId, voter) => Effect.orDie(Effect.map(sql<CastVote>`SELECT action, reason_code, counted FROM track_votes WHERE track_id = ${trackId} AND voter = ${voterOf(voter)}`, (rows) => rows[0] ?? null)),
      of: (who) => Effect.orDie(sql<{ trackId: string; action: TrackVote; reasonCode: string | null; atMs: number }>`
        SELECT track_id, action, reason_code, round(extract(epoch from at) * 1000)::float8 AS at_ms FROM track_votes WHERE voter = ${who} ORDER BY at DESC, track_id`),
      ofAddress: (trackId, addressHash, voter) => Effect.orDie(Effect.map(sql<{ n: number }>`
        SELECT count(*)::int AS n FROM track_votes WHERE track_id = ${trackId} AND address_hash = ${addressHash} AND counted AND voter <> ${voterOf(voter)}`, ([row]) => row!.n)),
      cast: (trackId, voter, { action, counted, reasonCode }, addressHash, atMs) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO track_votes (track_id, listener_id, human_id, action, reason_code, counted, address_hash, at)
        VALUES (${trackId}, ${voter.humanId === null ? voter.listenerId : null}, ${voter.humanId}, ${action}, ${reasonCode}, ${counted}, ${addressHash}, ${at(atMs)})
        ON CONFLICT (track_id, voter) DO UPDATE SET action = excluded.action, counted = excluded.counted,
          reason_code = CASE WHEN track_votes.action = excluded.action THEN coalesce(excluded.reason_code, track_votes.reason_code) ELSE excluded.reason_code END,
          address_hash = CASE WHEN track_votes.action = excluded.action THEN track_votes.address_hash ELSE excluded.address_hash END,
          at = CASE WHEN track_votes.action = excluded.action THEN track_votes.at ELSE excluded.at END`)),
      clear: (trackId, voter) => Effect.orDie(Effect.asVoid(sql`DELETE FROM track_votes WHERE track_id = ${trackId} AND voter = ${voterOf(voter)}`)),
      totals: (trackId, sinceMs = 0) => Effect.orDie(Effect.map(sql<VoteTotals>`
        SELECT count(*) FILTER (WHERE action = 'like')::int AS likes, count(*) FILTER (WHERE action = 'dislike')::int AS dislikes, count(*) FILTER (WHERE action = 'upvote')::int AS upvotes,
          count(*) FILTER (WHERE action = 'downvote')::int AS downvotes, count(*) FILTER (WHERE action = 'boost')::int AS boosts
        FROM track_votes WHERE track_id = ${trackId} AND counted AND at >= ${at(sinceMs)}`, ([row]) => row!)),
      setStanding: (trackId, { restedUntilMs, voteWeight }) => Effect.orDie(Effect.asVoid(sql`
        UPDATE tracks SET vote_weight = ${voteWeight}, rested_until = ${restedUntilMs === null ? null : at(restedUntilMs)} WHERE id = ${trackId}`)),
      restOf: (trackId) => Effect.orDie(Effect.map(sql<{ ms: number | null }>`SELECT round(extract(epoch from rested_until) * 1000)::float8 AS ms FROM tracks WHERE id = ${trackId}`, (rows) => rows[0]?.ms ?? null)),
      rest: (trackId, untilMs) => Effect.orDie(Effect.asVoid(sql`UPDATE tracks SET rested_until = ${untilMs === null ? null : at(untilMs)} WHERE id = ${trackId}`)),
      merge: (listenerId, humanId) => Effect.orDie(Effect.gen(function*() {
        yield* sql`DELETE FROM track_votes o USING track_votes n WHERE o.voter = ${humanId} AND n.voter = ${listenerId} AND n.track_id = o.track_id AND n.at > o.at`
        yield* sql`DELETE FROM track_votes o USING track_votes n WHERE o.voter = ${listenerId} AND n.voter = ${humanId} AND n.track_id = o.track_id`
        yield* sql`UPDATE track_votes SET listener_id = NULL, human_id = ${humanId}, counted = true, address_hash = NULL WHERE voter = ${listenerId}`
        return (yield* sql<{ trackId: string }>`SELECT track_id FROM track_votes WHERE voter = ${humanId} ORDER BY track_id`).map(({ trackId }) => trackId)
      })),
      touched: (sinceMs, afterId, limit) => Effect.orDie(Effect.map(sql<{ id: string }>`
        SELECT t.id FROM tracks t WHERE t.id > ${afterId} AND (t.vote_weight <> 1 OR EXISTS (SELECT 1 FROM track_votes v WHERE v.track_id = t.id AND v.at >= ${at(sinceMs)}))
        ORDER BY t.id LIMIT ${limit}`, (rows) => rows.map(({ id }) => id))),
      eraseAddresses: (beforeMs) => Effect.orDie(Effect.asVoid(sql`UPDATE track_votes SET address_hash = NULL WHERE address_hash IS NOT NULL AND at < ${at(beforeMs)}`))
    })
  }))
}
