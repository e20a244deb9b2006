import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId, AssetId, TrackId } from "../../../schema/Ids.ts"
import { Airable, Candidate } from "../../../schema/air/Rundown.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { Track, type TrackStatus } from "../../../schema/music/Track.ts"
import { msText, at } from "../sql/instants.ts"
import { row, rows, run } from "../sql/rows.ts"

const columns = `id, asset_id, title, artist, genre, mood, category, description, is_instrumental, lyrics, language, duration_sec, bpm,
  musical_key, approval_status, approval_reason, remixable, source, agent_id, rotation_class, weight, play_count,
  (SELECT sound.synthetic FROM assets sound WHERE sound.id = asset_id) AS synthetic,
  ${msText("last_played_at")} AS last_played_at_ms,
  ${msText("created_at")} AS created_at_ms,
  ${msText("updated_at")} AS updated_at_ms`

const ShelvedRow = Schema.Struct({
  trackId: TrackId,
  assetId: AssetId,
  title: Schema.String,
  artist: Schema.String,
  genre: Schema.String,
  agentId: Schema.NullOr(AgentId),
  rotationClass: Schema.String,
  weight: Schema.Finite,
  lastPlayedAtMs: Schema.NullOr(Schema.Int),
  cue: CuePoints
})

const track = row(Track)
const tracks = rows(Track)
const shelvedRows = rows(ShelvedRow)
const trackIds = rows(Schema.Struct({ id: TrackId }))

const shelved = (found: typeof ShelvedRow.Type): Airable =>
  new Airable({
    role: "music",
    assetId: found.assetId,
    cue: found.cue,
    title: found.title,
    artist: found.artist,
    speech: false,
    bedAssetId: null,
    segmentId: null,
    trackId: found.trackId,
    agentId: found.agentId,
    topic: null,
    genre: found.genre,
    validFromMs: null,
    validUntilMs: null
  })

/** The library of music. */
export class TracksWriter extends Context.Service<TracksWriter>()("longwave/engine/store/TracksWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const shelf =
      sql.literal(`t.id AS track_id, t.asset_id, t.title, t.artist, t.genre, t.agent_id, t.rotation_class, t.weight * t.vote_weight AS weight,
      ${msText("t.last_played_at")} AS last_played_at_ms, a.cue`)
    const airables = Effect.fn("Tracks.airables")(function* (ids: ReadonlyArray<string>) {
      if (ids.length === 0) return []
      const found = yield* shelvedRows(sql`
        SELECT ${shelf} FROM tracks t JOIN assets a ON a.id = t.asset_id
        WHERE t.id IN ${sql.in(ids)} AND t.approval_status = 'approved' AND t.category IN ('song', 'instrumental')`)
      return found.map(shelved)
    })
    return {
      /** Idempotent. */
      save: (track: Track) =>
        run(sql`
          INSERT INTO tracks (id, asset_id, title, artist, genre, mood, category, description, is_instrumental, lyrics, language, duration_sec,
            bpm, musical_key, approval_status, approval_reason, remixable, source, agent_id, rotation_class, weight, created_at, updated_at)
          VALUES (${track.id}, ${track.assetId}, ${track.title}, ${track.artist}, ${track.genre}, ${track.mood}, ${track.category},
            ${track.description}, ${track.isInstrumental}, ${track.lyrics}, ${track.language}, ${track.durationSec}, ${track.bpm},
            ${track.musicalKey}, ${track.approvalStatus}, ${track.approvalReason}, ${track.remixable}, ${track.source}, ${track.agentId},
            ${track.rotationClass}, ${track.weight}, ${at(track.createdAtMs)}, ${at(track.updatedAtMs)})
          ON CONFLICT (id) DO NOTHING`),
      find: (id: TrackId) => track(sql`SELECT ${sql.literal(columns)} FROM tracks WHERE id = ${id}`),
      /**
       * For each class the longest-rested tracks, at most `limit` each, so the cost is independent of the library's size. Votes are weighed in;
       * tracks rested by votes are left out.
       */
      rested: Effect.fn("Tracks.rested")(function* (classes: ReadonlyArray<string>, limit: number, atMs: number) {
        const found = yield* Effect.forEach(
          classes,
          (name) =>
            shelvedRows(sql`
            SELECT ${shelf}
            FROM (SELECT * FROM tracks WHERE rotation_class = ${name} AND approval_status = 'approved' AND category IN ('song', 'instrumental')
                AND (rested_until IS NULL OR rested_until <= ${at(atMs)})
              ORDER BY last_played_at NULLS FIRST, id LIMIT ${limit}) t
            JOIN assets a ON a.id = t.asset_id`),
          { concurrency: "unbounded" }
        )
        return found.flat().map(
          (one) =>
            new Candidate({
              airable: shelved(one),
              rotationClass: one.rotationClass,
              weight: one.weight,
              lastPlayedMs: one.lastPlayedAtMs
            })
        )
      }),
      /** Tracks, newest first; `text` is searched in titles and artists. Null if the cursor is unknown. */
      list: Effect.fn("Tracks.list")(function* ({
        cursor,
        limit,
        status,
        text
      }: {
        readonly status: TrackStatus | null
        readonly text: string | null
        readonly limit: number
        readonly cursor: string | null
      }) {
        const after = cursor === null ? [] : yield* sql`SELECT 1 FROM tracks WHERE id = ${cursor}`
        if (cursor !== null && after.length === 0) return null
        const pattern = `%${(text ?? "").replaceAll(/[\\%_]/g, (char) => `\\${char}`)}%`
        const found = yield* tracks(sql`
          SELECT ${sql.literal(columns)} FROM tracks WHERE ${sql.and([
            sql`true`,
            ...(status === null ? [] : [sql`approval_status = ${status}`]),
            ...(text === null ? [] : [sql`(title ILIKE ${pattern} OR artist ILIKE ${pattern})`]),
            ...(cursor === null
              ? []
              : [
                  sql`(tracks.created_at, tracks.id) < (SELECT c.created_at, c.id FROM tracks c WHERE c.id = ${cursor})`
                ])
          ])} ORDER BY tracks.created_at DESC, tracks.id DESC LIMIT ${limit + 1}`)
        const page = found.slice(0, limit)
        return { tracks: page, next: found.length > limit ? page.at(-1)!.id : null }
      }, Effect.orDie),
      /** A track in rotation; null for any other. */
      airable: (id: string) => Effect.map(airables([id]), (found) => found[0] ?? null),
      /** Those that are in rotation. */
      airables,
      /** Moves a track in one of the states `from`; null if it isn't. */
      judge: (
        id: string,
        {
          atMs,
          from,
          reason,
          to
        }: {
          readonly from: ReadonlyArray<TrackStatus>
          readonly to: TrackStatus
          readonly reason: string | null
          readonly atMs: number
        }
      ) =>
        track(sql`
          UPDATE tracks SET approval_status = ${to}, approval_reason = ${reason}, updated_at = ${at(atMs)}
          WHERE id = ${id} AND approval_status IN ${sql.in(from)} RETURNING ${sql.literal(columns)}`),
      /** Takes all tracks of an agent out of rotation for good. */
      retireOf: (agentId: string, reason: string, atMs: number) =>
        run(sql`
          UPDATE tracks SET approval_status = 'retired', approval_reason = ${reason}, updated_at = ${at(atMs)}
          WHERE agent_id = ${agentId} AND approval_status <> 'retired'`),
      /** Stores an airing. */
      played: (id: string, atMs: number) =>
        run(sql`UPDATE tracks SET play_count = play_count + 1, last_played_at = ${at(atMs)} WHERE id = ${id}`),
      /** Those that left rotation: held, retired, rejected. */
      refused: Effect.fn("Tracks.refused")(function* (ids: ReadonlyArray<TrackId>) {
        if (ids.length === 0) return []
        const found = yield* trackIds(
          sql`SELECT id FROM tracks WHERE id IN ${sql.in(ids)} AND approval_status <> 'approved'`
        )
        return found.map(({ id }) => id)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Tracks extends Context.Service<
  Tracks,
  Pick<TracksWriter["Service"], "find" | "rested" | "list" | "airable" | "airables" | "refused">
>()("longwave/engine/store/Tracks") {
  static readonly layer = Layer.effect(this, TracksWriter).pipe(Layer.provideMerge(TracksWriter.layer))
}
