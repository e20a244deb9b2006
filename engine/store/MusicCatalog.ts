import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TrackId } from "../../schema/Ids.ts"
import { Synthetic } from "../../schema/Synthetic.ts"
import { Genre, Mood } from "../../schema/Track.ts"
import { genreSampleRows } from "../Limits.ts"

const OfferedTrack = Schema.Struct({
  id: TrackId, title: Schema.String, artist: Schema.String, genre: Genre, mood: Schema.NullOr(Mood), durationSec: Schema.Finite, isInstrumental: Schema.Boolean, synthetic: Synthetic, requestable: Schema.Boolean
})
export type OfferedTrack = typeof OfferedTrack.Type

export interface CatalogAsk {
  /** Beginnings of words of title and artist; capitals and accents don't matter. Null for all. */
  readonly q: string | null
  readonly genre: Genre | null
  readonly artist: string | null
  readonly limit: number
  readonly cursor: string | null
  readonly atMs: number
}

const decode = Schema.decodeUnknownEffect(Schema.Array(OfferedTrack))

/** What is looked for, as the index takes it: every word must begin some word. Null when there is no word in it. */
const queryOf = (q: string): string | null => {
  const words = q.normalize("NFKD").toLowerCase().replaceAll(/[\u0300-\u036f]/g, "").match(/[\p{L}\p{N}]+/gu)
  return words === null ? null : words.map((word) => `${word}:*`).join(" & ")
}

/** The music that can be heard here, as everybody may look through it. */
export class MusicCatalog extends Context.Service<MusicCatalog, {
  /** Newest first; null for a cursor that no page has given. */
  readonly page: (ask: CatalogAsk) => Effect.Effect<{ readonly tracks: ReadonlyArray<OfferedTrack>; readonly next: string | null } | null>
  /** How many songs there are of each genre. From `countedMax` songs on it is told from a sample: the cost doesn't grow with the shelf. */
  readonly genres: (countedMax: number) => Effect.Effect<{ readonly genres: ReadonlyArray<{ readonly id: Genre; readonly count: number }>; readonly sampled: boolean }>
}>()("longwave/engine/store/MusicCatalog") {
  static readonly layer = Layer.effect(MusicCatalog, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const offered = sql.literal("approval_status = 'approved' AND category IN ('song', 'instrumental')")
    return MusicCatalog.of({
      page: Effect.fn("MusicCatalog.page")(function*({ artist, atMs, cursor, genre, limit, q }) {
        const [after] = cursor === null ? [] : yield* sql<{ createdAt: string }>`SELECT created_at::text AS created_at FROM tracks WHERE id = ${cursor}`
        if (cursor !== null && after === undefined) return null
        const words = q === null ? null : queryOf(q)
        if (q !== null && words === null) return { tracks: [], next: null }
        const rows = yield* sql`
          SELECT id, title, artist, genre, mood, duration_sec, is_instrumental,
            (SELECT sound.synthetic FROM assets sound WHERE sound.id = asset_id) AS synthetic, rested_until IS NULL OR rested_until <= to_timestamp(${atMs}::float8 / 1000) AS requestable
          FROM tracks WHERE ${sql.and([
            sql`${offered}`,
            ...words === null ? [] : [sql`words @@ to_tsquery('simple', ${words})`],
            ...genre === null ? [] : [sql`genre = ${genre}`],
            ...artist === null ? [] : [sql`folded(artist) = folded(${artist})`],
            ...after === undefined ? [] : [sql`(created_at, id) < (${after.createdAt}::timestamptz, ${cursor})`]
          ])} ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`
        const tracks = yield* decode(rows.slice(0, limit))
        return { tracks, next: rows.length > limit ? tracks.at(-1)!.id : null }
      }, Effect.orDie),
      genres: Effect.fn("MusicCatalog.genres")(function*(countedMax) {
        const [known] = yield* sql<{ rows: number }>`SELECT greatest(reltuples, 0)::float8 AS rows FROM pg_class WHERE oid = 'tracks'::regclass`
        const sampled = known!.rows > countedMax
        const share = sampled ? Math.min(1, genreSampleRows / known!.rows) : 1
        const genres = yield* sql<{ id: Genre; count: number }>`
          SELECT genre AS id, round(count(*) / ${share}::float8)::int AS count FROM tracks ${sampled ? sql`TABLESAMPLE SYSTEM (${sql.literal(String(share * 100))})` : sql``}
          WHERE ${offered} GROUP BY genre ORDER BY count DESC, id`
        return { genres, sampled }
      }, Effect.orDie)
    })
  }))
}
