import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { TrackId } from "../../schema/Ids.ts"
import { Airable, Candidate } from "../../schema/Rundown.ts"
import { CuePoints } from "../../schema/Sound.ts"
import { Track, type TrackStatus } from "../../schema/Track.ts"

const columns = `id, asset_id, title, artist, genre, mood, category, description, is_instrumental, lyrics, language, duration_sec, bpm,
  musical_key, approval_status, approval_reason, remixable, source, agent_id, rotation_class, weight, play_count,
  (SELECT sound.synthetic FROM assets sound WHERE sound.id = asset_id) AS synthetic,
  round(extract(epoch from last_played_at) * 1000)::float8 AS last_played_at_ms,
  round(extract(epoch from created_at) * 1000)::float8 AS created_at_ms,
  round(extract(epoch from updated_at) * 1000)::float8 AS updated_at_ms`

const decodeTrack = Schema.decodeUnknownEffect(Track)
const decodeCue = Schema.decodeUnknownSync(CuePoints)

interface RestedRow {
  readonly trackId: string
  readonly assetId: string
  readonly title: string
  readonly artist: string
  readonly genre: string
  readonly agentId: string | null
  readonly rotationClass: string
  readonly weight: number
  readonly lastPlayedAtMs: number | null
  readonly cue: unknown
}

/** The shelf of music. */
export class Tracks extends Context.Service<Tracks, {
  /** Saving the same track again changes nothing. */
  readonly save: (track: Track) => Effect.Effect<void>
  readonly find: (id: TrackId) => Effect.Effect<Track | null>
  /** For each class the ones that rested longest, at most `limit` of each: the cost does not grow with the shelf. Votes weigh in; what they sent to rest stays away. */
  readonly rested: (classes: ReadonlyArray<string>, limit: number, atMs: number) => Effect.Effect<ReadonlyArray<Candidate>>
  /** The shelf itself, newest first; `text` is looked for in titles and artists. Null when the cursor is unknown. */
  readonly list: (filter: { readonly status: TrackStatus | null; readonly text: string | null; readonly limit: number; readonly cursor: string | null }) => Effect.Effect<
    { readonly tracks: ReadonlyArray<Track>; readonly next: string | null } | null
  >
  /** One of the rotation; null for every other. */
  readonly airable: (id: string) => Effect.Effect<Airable | null>
  /** Those of these that are of the rotation. */
  readonly airables: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Airable>>
  /** Moves it if it still is in one of `from`; null when it isn't. */
  readonly judge: (id: string, change: { readonly from: ReadonlyArray<TrackStatus>; readonly to: TrackStatus; readonly reason: string | null; readonly atMs: number }) => Effect.Effect<Track | null>
  /** Of these, the ones that have left the rotation: held, retired, rejected. */
  readonly refused: (ids: ReadonlyArray<TrackId>) => Effect.Effect<ReadonlyArray<TrackId>>
}>()("longwave/engine/store/Tracks") {
  static readonly layer = Layer.effect(Tracks, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const shelved = (row: RestedRow): Airable => new Airable({
      role: "music", assetId: row.assetId, cue: decodeCue(row.cue), title: row.title, artist: row.artist, speech: false, bedAssetId: null, segmentId: null,
      trackId: row.trackId, agentId: row.agentId, topic: null, genre: row.genre, validFromMs: null, validUntilMs: null
    })
    const shelf = sql.literal(`t.id AS track_id, t.asset_id, t.title, t.artist, t.genre, t.agent_id, t.rotation_class, t.weight * t.vote_weight AS weight,
      round(extract(epoch from t.last_played_at) * 1000)::float8 AS last_played_at_ms, a.cue`)
    const airables = Effect.fn("Tracks.airables")(function*(ids: ReadonlyArray<string>) {
      const rows = ids.length === 0 ? [] : yield* sql<RestedRow>`
        SELECT ${shelf} FROM tracks t JOIN assets a ON a.id = t.asset_id
        WHERE t.id IN ${sql.in(ids)} AND t.approval_status = 'approved' AND t.category IN ('song', 'instrumental')`
      return rows.map(shelved)
    }, Effect.orDie)
    return Tracks.of({
      save: Effect.fn("Tracks.save")(function*(track) {
        yield* sql`
          INSERT INTO tracks (id, asset_id, title, artist, genre, mood, category, description, is_instrumental, lyrics, language, duration_sec,
            bpm, musical_key, approval_status, approval_reason, remixable, source, agent_id, rotation_class, weight, created_at, updated_at)
          VALUES (${track.id}, ${track.assetId}, ${track.title}, ${track.artist}, ${track.genre}, ${track.mood}, ${track.category},
            ${track.description}, ${track.isInstrumental}, ${track.lyrics}, ${track.language}, ${track.durationSec}, ${track.bpm},
            ${track.musicalKey}, ${track.approvalStatus}, ${track.approvalReason}, ${track.remixable}, ${track.source}, ${track.agentId},
            ${track.rotationClass}, ${track.weight}, to_timestamp(${track.createdAtMs}::float8 / 1000), to_timestamp(${track.updatedAtMs}::float8 / 1000))
          ON CONFLICT (id) DO NOTHING`
      }, Effect.orDie),
      find: Effect.fn("Tracks.find")(function*(id) {
        const rows = yield* sql`SELECT ${sql.literal(columns)} FROM tracks WHERE id = ${id}`
        return rows[0] === undefined ? null : yield* decodeTrack(rows[0])
      }, Effect.orDie),
      rested: Effect.fn("Tracks.rested")(function*(classes, limit, atMs) {
        const rows = yield* Effect.forEach(classes, (name) =>
          sql<RestedRow>`
            SELECT ${shelf}
            FROM (SELECT * FROM tracks WHERE rotation_class = ${name} AND approval_status = 'approved' AND category IN ('song', 'instrumental')
                AND (rested_until IS NULL OR rested_until <= to_timestamp(${atMs}::float8 / 1000))
              ORDER BY last_played_at NULLS FIRST, id LIMIT ${limit}) t
            JOIN assets a ON a.id = t.asset_id`, { concurrency: "unbounded" })
        return rows.flat().map((row) => new Candidate({ airable: shelved(row), rotationClass: row.rotationClass, weight: row.weight, lastPlayedMs: row.lastPlayedAtMs }))
      }, Effect.orDie),
      list: Effect.fn("Tracks.list")(function*({ cursor, limit, status, text }) {
        const after = cursor === null ? [] : yield* sql`SELECT 1 FROM tracks WHERE id = ${cursor}`
        if (cursor !== null && after.length === 0) return null
        const pattern = `%${(text ?? "").replaceAll(/[\\%_]/g, (char) => `\\${char}`)}%`
        const rows = yield* sql`
          SELECT ${sql.literal(columns)} FROM tracks WHERE ${sql.and([
            sql`true`,
            ...(status === null ? [] : [sql`approval_status = ${status}`]),
            ...(text === null ? [] : [sql`(title ILIKE ${pattern} OR artist ILIKE ${pattern})`]),
            ...(cursor === null ? [] : [sql`(tracks.created_at, tracks.id) < (SELECT c.created_at, c.id FROM tracks c WHERE c.id = ${cursor})`])
          ])} ORDER BY tracks.created_at DESC, tracks.id DESC LIMIT ${limit + 1}`
        const tracks = yield* Effect.forEach(rows.slice(0, limit), (row) => decodeTrack(row))
        return { tracks, next: rows.length > limit ? tracks.at(-1)!.id : null }
      }, Effect.orDie),
      airable: (id) => Effect.map(airables([id]), (found) => found[0] ?? null),
      airables,
      judge: Effect.fn("Tracks.judge")(function*(id, { atMs, from, reason, to }) {
        const rows = yield* sql`
          UPDATE tracks SET approval_status = ${to}, approval_reason = ${reason}, updated_at = to_timestamp(${atMs}::float8 / 1000)
          WHERE id = ${id} AND approval_status IN ${sql.in(from)} RETURNING ${sql.literal(columns)}`
        return rows[0] === undefined ? null : yield* decodeTrack(rows[0])
      }, Effect.orDie),
      refused: Effect.fn("Tracks.refused")(function*(ids) {
        if (ids.length === 0) return []
        const rows = yield* sql<{ id: string }>`SELECT id FROM tracks WHERE id IN ${sql.in(ids)} AND approval_status <> 'approved'`
        return rows.map((row) => row.id)
      }, Effect.orDie)
    })
  }))
}
