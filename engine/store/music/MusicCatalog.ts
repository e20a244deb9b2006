import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AssetId, TrackId } from "../../../schema/Ids.ts"
import { Synthetic } from "../../../schema/Synthetic.ts"
import { Genre, Mood, type TrackCategory } from "../../../schema/music/Track.ts"
import { genresCountedMax, genreSampleRows, tracksSearchedFirst } from "../../rules/music/limits.ts"
import { Changes, Sources } from "../sql/Changes.ts"
import { at } from "../sql/instants.ts"
import { row, rows } from "../sql/rows.ts"

const OfferedTrack = Schema.Struct({
  id: TrackId,
  title: Schema.String,
  artist: Schema.String,
  genre: Genre,
  mood: Schema.NullOr(Mood),
  durationSec: Schema.Finite,
  isInstrumental: Schema.Boolean,
  synthetic: Synthetic,
  madeByStation: Schema.Boolean,
  requestable: Schema.Boolean
})
export type OfferedTrack = typeof OfferedTrack.Type

export interface CatalogAsk {
  /** Prefixes of words in title and artist; case and accents are ignored. Null for all. */
  readonly q: string | null
  readonly genre: Genre | null
  readonly artist: string | null
  readonly limit: number
  readonly cursor: string | null
  readonly atMs: number
}

const { artist, durationSec, genre, madeByStation, mood, title } = OfferedTrack.fields
const LibraryAsset = Schema.Struct({
  assetId: AssetId,
  trackId: TrackId,
  title,
  artist,
  genre,
  mood,
  durationSec,
  madeByStation
})

export interface LibraryAsk {
  /** Prefixes of words, as in the catalog. */
  readonly q: string | null
  readonly genre: Genre | null
  readonly mood: Mood | null
  /** Null for songs and instrumentals. */
  readonly category: TrackCategory | null
  readonly minDurationSec: number | null
  readonly maxDurationSec: number | null
  readonly limit: number
  readonly cursor: string | null
}

const offeredTracks = rows(OfferedTrack)
const libraryAssets = rows(LibraryAsset)
const creation = row(Schema.Struct({ createdAt: Schema.String }))
const estimate = row(Schema.Struct({ rows: Schema.Finite }))
const GenreCount = Schema.Struct({ id: Genre, count: Schema.Int })
const genreCounts = rows(GenreCount)
interface GenreCounts {
  readonly genres: ReadonlyArray<typeof GenreCount.Type>
  /** Estimated from a sample. */
  readonly sampled: boolean
}
const tracksAlone: ReadonlySet<string> = new Set(["tracks"])

/** The text search query: every word is a prefix. Null if the text has no word. */
const queryOf = (q: string): string | null => {
  const words = q
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, "")
    .match(/[\p{L}\p{N}]+/gu)
  return words === null ? null : words.map((word) => `${word}:*`).join(" & ")
}

/** The public music catalog. */
export class MusicCatalog extends Context.Service<MusicCatalog>()("longwave/engine/store/MusicCatalog", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let latest: { readonly version: number; readonly counts: GenreCounts } | null = null
    const offered = sql.literal("approval_status = 'approved' AND category IN ('song', 'instrumental')")
    /**
     * Tracks, newest first. Postgres can't tell how common a word is, and would look through the whole library for a rare one, or collect all
     * matches of a common one. So the newest tracks are looked through first: if they don't fill the page, the word is rare, and its index
     * finds the few tracks that have it.
     */
    const newest = (
      columns: Statement.Fragment,
      words: string | null,
      filters: ReadonlyArray<Statement.Fragment>,
      limit: number
    ) =>
      words === null
        ? sql`SELECT ${columns} FROM tracks WHERE ${sql.and(filters)} ORDER BY created_at DESC, id DESC LIMIT ${limit}`
        : sql`SELECT ${columns} FROM tracks WHERE id = ANY(ARRAY(
            WITH latest AS MATERIALIZED (
              SELECT id FROM (
                SELECT id, words FROM tracks WHERE ${sql.and(filters)} ORDER BY created_at DESC, id DESC LIMIT ${tracksSearchedFirst}
              ) t WHERE words @@ to_tsquery('simple', ${words}) LIMIT ${limit}
            )
            SELECT id FROM latest WHERE (SELECT count(*) FROM latest) >= ${limit}
            UNION ALL (
              SELECT id FROM tracks WHERE ${sql.and(filters)} AND words @@ to_tsquery('simple', ${words}) AND (SELECT count(*) FROM latest) < ${limit}
              ORDER BY created_at + interval '0' DESC, id DESC LIMIT ${limit}
            )
          )) ORDER BY created_at DESC, id DESC`
    const findCreation = (cursor: string) =>
      creation(sql`SELECT created_at::text AS created_at FROM tracks WHERE id = ${cursor}`)
    return {
      /** Approved assets of music, newest first; null if the cursor is unknown. */
      search: Effect.fnUntraced(function* (ask: LibraryAsk) {
        const after = ask.cursor === null ? null : yield* findCreation(ask.cursor)
        if (ask.cursor !== null && after === null) return null
        const words = ask.q === null ? null : queryOf(ask.q)
        if (ask.q !== null && words === null) return { assets: [], next: null }
        const found = yield* libraryAssets(
          newest(
            sql`asset_id, id AS track_id, title, artist, genre, mood, duration_sec, source = 'house' AS made_by_station`,
            words,
            [
              ask.category === null
                ? sql`${offered}`
                : ask.category === "song" || ask.category === "instrumental"
                  ? sql`${offered} AND category = ${ask.category}`
                  : sql`approval_status = 'approved' AND category = ${ask.category}`,
              ...(ask.genre === null ? [] : [sql`genre = ${ask.genre}`]),
              ...(ask.mood === null ? [] : [sql`mood = ${ask.mood}`]),
              ...(ask.minDurationSec === null ? [] : [sql`duration_sec >= ${ask.minDurationSec}`]),
              ...(ask.maxDurationSec === null ? [] : [sql`duration_sec <= ${ask.maxDurationSec}`]),
              ...(after === null ? [] : [sql`(created_at, id) < (${after.createdAt}::timestamptz, ${ask.cursor})`])
            ],
            ask.limit + 1
          )
        )
        const assets = found.slice(0, ask.limit)
        return { assets, next: found.length > ask.limit ? assets.at(-1)!.trackId : null }
      }),
      /** Newest first; null if the cursor is unknown. */
      page: Effect.fnUntraced(function* ({ artist, atMs, cursor, genre, limit, q }: CatalogAsk) {
        const after = cursor === null ? null : yield* findCreation(cursor)
        if (cursor !== null && after === null) return null
        const words = q === null ? null : queryOf(q)
        if (q !== null && words === null) return { tracks: [], next: null }
        const found = yield* offeredTracks(
          newest(
            sql`
          id, title, artist, genre, mood, duration_sec, is_instrumental,
            (SELECT sound.synthetic FROM assets sound WHERE sound.id = asset_id) AS synthetic, source = 'house' AS made_by_station, rested_until IS NULL OR rested_until <= ${at(atMs)} AS requestable`,
            words,
            [
              sql`${offered}`,
              ...(genre === null ? [] : [sql`genre = ${genre}`]),
              ...(artist === null ? [] : [sql`folded(artist) = folded(${artist})`]),
              ...(after === null ? [] : [sql`(created_at, id) < (${after.createdAt}::timestamptz, ${cursor})`])
            ],
            limit + 1
          )
        )
        const tracks = found.slice(0, limit)
        return { tracks, next: found.length > limit ? tracks.at(-1)!.id : null }
      }),
      /**
       * Number of songs per genre, counted when tracks have changed. Above 50,000 songs it is estimated from a sample, so the cost is
       * bounded.
       */
      genres: Effect.gen(function* () {
        const changes = yield* Changes
        ;(yield* Sources)?.push(tracksAlone)
        if (latest !== null && !changes.hasChanged([tracksAlone], latest.version)) return latest.counts
        const { version } = changes
        const known = yield* estimate(
          sql`SELECT greatest(reltuples, 0)::float8 AS rows FROM pg_class WHERE oid = 'tracks'::regclass`
        )
        const sampled = known!.rows > genresCountedMax
        const share = sampled ? Math.min(1, genreSampleRows / known!.rows) : 1
        const genres = yield* genreCounts(sql`
          SELECT genre AS id, round(count(*) / ${share}::float8)::int AS count FROM tracks ${sampled ? sql`TABLESAMPLE SYSTEM (${sql.literal(String(share * 100))})` : sql``}
          WHERE ${offered} GROUP BY genre ORDER BY count DESC, id`)
        latest = { version, counts: { genres, sampled } }
        return latest.counts
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
