import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { removeAirings } from "../sql/airings.ts"
import { at } from "../sql/instants.ts"
import { countChanged } from "../sql/rows.ts"

/** Counts of votes, requests and plays by track, so that all-time figures need neither old rows nor the whole as-run log. */
export class TrackTotalsWriter extends Context.Service<TrackTotalsWriter>()("longwave/engine/store/TrackTotalsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const add = (counts: Statement.Fragment) => sql`
      INSERT INTO track_totals AS t (track_id, code, count) ${counts}
      ON CONFLICT (track_id, code) DO UPDATE SET count = t.count + excluded.count`
    return {
      /** Folds a batch of ended requests from before that instant, with their airings, into the totals. Returns their number. */
      foldRequests: (beforeMs: number) =>
        countChanged(sql`
        WITH old AS (
          DELETE FROM song_requests WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM song_requests WHERE created_at < ${at(beforeMs)} AND status <> 'pending' LIMIT ${purgeRows}
          )) RETURNING id, track_id
        ), removed AS (${removeAirings("song_request", sql`SELECT id FROM old`)}),
        folded AS (${add(sql`SELECT track_id, 'request', count(*) FROM old GROUP BY track_id`)})
        SELECT 1 FROM old`),
      /** Folds a batch of votes of guests not seen since that instant, whose tokens have all expired, into the totals. Returns their number. */
      foldVotes: (beforeMs: number) =>
        countChanged(sql`
        WITH old AS (
          DELETE FROM track_votes WHERE ctid = ANY(ARRAY(
            SELECT v.ctid FROM listeners l JOIN track_votes v ON v.voter = l.id
            WHERE l.human_id IS NULL AND l.seen_at < ${at(beforeMs)} LIMIT ${purgeRows}
          )) RETURNING track_id, action, counted
        ), folded AS (${add(sql`SELECT track_id, action, count(*) FROM old WHERE counted GROUP BY track_id, action`)})
        SELECT 1 FROM old`),
      /** Counts the next plays of the as-run log. Returns the number of rows it read. */
      countPlays: (stationId: string) =>
        countChanged(sql`
        WITH logged AS (
          SELECT seq, track_id FROM as_run WHERE station_id = ${stationId}
            AND seq > coalesce((SELECT seq FROM track_plays_counted WHERE station_id = ${stationId}), 0) ORDER BY as_run.seq LIMIT ${purgeRows}
        ), place AS (
          INSERT INTO track_plays_counted (station_id, seq) SELECT ${stationId}, max(seq) FROM logged HAVING count(*) > 0
          ON CONFLICT (station_id) DO UPDATE SET seq = excluded.seq
        ), counted AS (${add(sql`SELECT track_id, 'play', count(*) FROM logged WHERE track_id IS NOT NULL GROUP BY track_id`)})
        SELECT 1 FROM logged`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
