import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId, AssetId, TrackId } from "../../../schema/Ids.ts"
import { Airable, Candidate } from "../../../schema/air/Rundown.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import {
  type Genre,
  type Mood,
  ShownTrack,
  Track,
  TrackCategory,
  type TrackEdit,
  type TrackPatch,
  type TrackSource,
  TrackStatus
} from "../../../schema/music/Track.ts"
import { classTracksCountedMax } from "../../rules/music/limits.ts"
import { sampleOf } from "../../../schema/time/Samples.ts"
import { at, ms, msText } from "../sql/instants.ts"
import { countChanged, onlyRow, row, rows, run } from "../sql/rows.ts"

const columns = `id, asset_id, title, artist, genre, mood, category, description, is_instrumental, lyrics, language, duration_sec, bpm,
  musical_key, energy, cover_key, approval_status, approval_reason, remixable, remix_of_track_id, rights_declaration, synthetic_disclosure, source, agent_id, rotation_class, weight, play_count,
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

/** Remixes named with their source. */
const remixesShownMax = 20
/** Sums of `votes` by their kind. */
const voteCounts = (
  [
    ["likes", "like"],
    ["dislikes", "dislike"],
    ["upvotes", "upvote"],
    ["downvotes", "downvote"],
    ["boosts", "boost"]
  ] as const
)
  .map(([name, code]) => `'${name}', coalesce(sum(votes.n) FILTER (WHERE votes.code = '${code}'), 0)`)
  .join(", ")

/** With its maker, its sources and remixes, its votes and whether it has a place in the rundown. */
const shownColumns = `${columns}, vote_weight,
  (SELECT jsonb_build_object('agentId', maker.id, 'handle', maker.handle, 'displayName', maker.persona->>'displayName') FROM agents maker WHERE maker.id = tracks.agent_id) AS created_by,
  (SELECT jsonb_build_object('trackId', origin.id, 'title', origin.title, 'artist', origin.artist) FROM tracks origin WHERE origin.id = tracks.remix_of_track_id) AS remix_of,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('trackId', made.id, 'title', made.title, 'artist', made.artist) ORDER BY made.created_at DESC), '[]')
    FROM (SELECT * FROM tracks other WHERE other.remix_of_track_id = tracks.id AND other.approval_status = 'approved' ORDER BY other.created_at DESC LIMIT ${remixesShownMax}) made) AS remixes,
  EXISTS (SELECT 1 FROM song_requests r JOIN airings air ON air.id = r.id AND air.state IN ('placed', 'airing') WHERE r.track_id = tracks.id AND r.status = 'pending') AS is_scheduled,
  (SELECT jsonb_build_object(${voteCounts})
    FROM (
      SELECT v.action AS code, 1 AS n FROM track_votes v WHERE v.track_id = tracks.id AND v.counted
      UNION ALL SELECT total.code, total.count FROM track_totals total WHERE total.track_id = tracks.id
    ) votes) AS totals`

export interface TracksAsk {
  readonly genre: Genre | null
  readonly mood: Mood | null
  readonly category: TrackCategory | null
  readonly createdByAgentHandle: string | null
  readonly remixable: boolean
  /** The agent that reads: of its own tracks it sees those that aren't approved, too. */
  readonly reader: AgentId | null
  readonly limit: number
  readonly cursor: string | null
}

const RotationFacts = Schema.Struct({
  approvalStatus: TrackStatus,
  category: TrackCategory,
  rotationClass: Schema.String,
  /** Weight by the station, and by votes. */
  weight: Schema.Finite,
  voteWeight: Schema.Finite,
  restedUntilMs: Schema.NullOr(Schema.Finite),
  classTracks: Schema.Int,
  plays: Schema.Int,
  votes: ShownTrack.fields.totals
})
export type RotationFacts = typeof RotationFacts.Type

const rotationFacts = row(RotationFacts)
const track = row(Track)
const shownTrack = row(ShownTrack)
const shownTracks = rows(ShownTrack)
const tracks = rows(Track)
const shelvedRows = rows(ShelvedRow)
const countRow = onlyRow(Schema.Struct({ n: Schema.Finite }))
const trackIds = rows(Schema.Struct({ id: TrackId }))

const airableOf = (found: typeof ShelvedRow.Type): Airable =>
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
    const airables = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
      if (ids.length === 0) return []
      const found = yield* shelvedRows(sql`
        SELECT ${shelf} FROM tracks t JOIN assets a ON a.id = t.asset_id
        WHERE t.id IN ${sql.in(ids)} AND t.approval_status = 'approved' AND t.category IN ('song', 'instrumental')`)
      return found.map(airableOf)
    })
    return {
      /** Idempotent. */
      save: (track: Track) =>
        run(sql`
          INSERT INTO tracks (id, asset_id, title, artist, genre, mood, category, description, is_instrumental, lyrics, language, duration_sec,
            bpm, musical_key, energy, cover_key, approval_status, approval_reason, remixable, remix_of_track_id, rights_declaration, synthetic_disclosure, source, agent_id, rotation_class, weight, created_at, updated_at)
          VALUES (${track.id}, ${track.assetId}, ${track.title}, ${track.artist}, ${track.genre}, ${track.mood}, ${track.category},
            ${track.description}, ${track.isInstrumental}, ${track.lyrics}, ${track.language}, ${track.durationSec}, ${track.bpm},
            ${track.musicalKey}, ${track.energy}, ${track.coverKey}, ${track.approvalStatus}, ${track.approvalReason}, ${track.remixable}, ${track.remixOfTrackId}, ${track.rightsDeclaration}, ${track.syntheticDisclosure}, ${track.source}, ${track.agentId},
            ${track.rotationClass}, ${track.weight}, ${at(track.createdAtMs)}, ${at(track.updatedAtMs)})
          ON CONFLICT (id) DO NOTHING`),
      find: (id: TrackId) => track(sql`SELECT ${sql.literal(columns)} FROM tracks WHERE id = ${id}`),
      /** How many tracks an agent has that weren't rejected or retired. */
      countOf: (agentId: AgentId) =>
        Effect.map(
          countRow(
            sql`SELECT count(*)::float8 AS n FROM tracks WHERE agent_id = ${agentId} AND approval_status NOT IN ('rejected', 'retired')`
          ),
          ({ n }) => n
        ),
      /** A track with exactly this sound that wasn't rejected or retired. */
      withSound: (pcmSha256: string) =>
        track(sql`
          SELECT ${sql.literal(columns)} FROM tracks WHERE approval_status NOT IN ('rejected', 'retired')
            AND asset_id IN (SELECT id FROM assets WHERE pcm_sha256 = ${pcmSha256}) LIMIT 1`),
      /** A track with its maker and votes, in any state. */
      findShown: (id: string) => shownTrack(sql`SELECT ${sql.literal(shownColumns)} FROM tracks WHERE id = ${id}`),
      /** What decides how often a track plays, since an instant. The tracks of its class are counted up to a limit. */
      findRotationFacts: (id: string, stationId: string, sinceMs: number) =>
        rotationFacts(sql`
          SELECT t.approval_status, t.category, t.rotation_class, t.weight, t.vote_weight, ${ms("t.rested_until")} AS rested_until_ms,
            (SELECT count(*)::int FROM (
              SELECT 1 FROM tracks c WHERE c.rotation_class = t.rotation_class AND c.approval_status = 'approved' AND c.category IN ('song', 'instrumental') LIMIT ${classTracksCountedMax}
            ) counted) AS class_tracks,
            (SELECT count(*)::int FROM as_run a WHERE a.track_id = t.id AND a.station_id = ${stationId} AND a.first_sample >= ${sampleOf(sinceMs)}) AS plays,
            (SELECT jsonb_build_object(${sql.literal(voteCounts)}) FROM (
              SELECT v.action AS code, 1 AS n FROM track_votes v WHERE v.track_id = t.id AND v.counted AND v.at >= ${at(sinceMs)}
            ) votes) AS votes
          FROM tracks t WHERE t.id = ${id}`),
      /** Tracks that a reader may see, newest first. Null if the cursor is unknown. */
      page: Effect.fnUntraced(function* (ask: TracksAsk) {
        const after = ask.cursor === null ? [] : yield* sql`SELECT 1 FROM tracks WHERE id = ${ask.cursor}`
        if (ask.cursor !== null && after.length === 0) return null
        const found = yield* shownTracks(sql`
          SELECT ${sql.literal(shownColumns)} FROM tracks WHERE ${sql.and([
            ask.reader === null
              ? sql`approval_status = 'approved'`
              : sql`(approval_status = 'approved' OR agent_id = ${ask.reader})`,
            ...(ask.genre === null ? [] : [sql`genre = ${ask.genre}`]),
            ...(ask.mood === null ? [] : [sql`mood = ${ask.mood}`]),
            ...(ask.category === null ? [] : [sql`category = ${ask.category}`]),
            ...(ask.remixable ? [sql`remixable`] : []),
            ...(ask.createdByAgentHandle === null
              ? []
              : [sql`agent_id = (SELECT id FROM agents WHERE handle = ${ask.createdByAgentHandle})`]),
            ...(ask.cursor === null
              ? []
              : [
                  sql`(tracks.created_at, tracks.id) < (SELECT c.created_at, c.id FROM tracks c WHERE c.id = ${ask.cursor})`
                ])
          ])} ORDER BY tracks.created_at DESC, tracks.id DESC LIMIT ${ask.limit + 1}`)
        const page = found.slice(0, ask.limit)
        return { tracks: page, next: found.length > ask.limit ? page.at(-1)!.id : null }
      }, Effect.orDie),
      /** Saves what an agent changed of its track, unless the track's state is another one by now: null then. */
      change: (
        { approvalStatus, id }: Track,
        changed: Required<TrackPatch>,
        to: { readonly approvalStatus: TrackStatus; readonly approvalReason: string | null },
        atMs: number
      ) =>
        track(sql`
          UPDATE tracks SET title = ${changed.title}, artist = ${changed.artist}, genre = ${changed.genre}, mood = ${changed.mood},
            description = ${changed.description}, is_instrumental = ${changed.isInstrumental}, lyrics = ${changed.lyrics},
            language = ${changed.language}, bpm = ${changed.bpm}, musical_key = ${changed.musicalKey},
            synthetic_disclosure = ${changed.syntheticDisclosure}, rights_declaration = ${changed.rightsDeclaration}, remixable = ${changed.remixable},
            approval_status = ${to.approvalStatus}, approval_reason = ${to.approvalReason}, updated_at = ${at(atMs)}
          WHERE id = ${id} AND approval_status = ${approvalStatus} RETURNING ${sql.literal(columns)}`),
      /** Saves what an operator changed of a track, unless it has changed since `before` was read: null then. */
      edit: (before: Track, changed: TrackEdit, reason: string | null, atMs: number) => {
        const to = { ...before, ...changed }
        return track(sql`
          UPDATE tracks SET title = ${to.title}, artist = ${to.artist}, genre = ${to.genre}, mood = ${to.mood}, category = ${to.category},
            description = ${to.description}, is_instrumental = ${to.isInstrumental}, lyrics = ${to.lyrics}, language = ${to.language},
            bpm = ${to.bpm}, musical_key = ${to.musicalKey}, weight = ${to.weight}, approval_status = ${to.approvalStatus},
            approval_reason = ${changed.approvalStatus === undefined ? before.approvalReason : reason}, updated_at = ${at(atMs)}
          WHERE id = ${before.id} AND approval_status = ${before.approvalStatus} AND updated_at = ${at(before.updatedAtMs)} RETURNING ${sql.literal(columns)}`)
      },
      /** Gives a track another cover; null: the station draws it again. Null if the track changed meanwhile. */
      setCover: (before: Track, coverKey: string | null, atMs: number) =>
        track(sql`
          UPDATE tracks SET cover_key = ${coverKey}, updated_at = ${at(atMs)}
          WHERE id = ${before.id} AND updated_at = ${at(before.updatedAtMs)} RETURNING ${sql.literal(columns)}`),
      /**
       * For each class the longest-rested tracks, at most `limit` each, so the cost is independent of the library's size. Votes are weighed in;
       * tracks rested by votes are left out.
       */
      listRested: Effect.fnUntraced(function* (classes: ReadonlyArray<string>, limit: number, atMs: number) {
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
              airable: airableOf(one),
              rotationClass: one.rotationClass,
              weight: one.weight,
              lastPlayedMs: one.lastPlayedAtMs
            })
        )
      }),
      /** Tracks, newest first; `text` is searched in titles and artists. Null if the cursor is unknown. */
      list: Effect.fnUntraced(function* ({
        agentId,
        category,
        cursor,
        limit,
        source,
        status,
        text
      }: {
        readonly agentId: string | null
        readonly category: TrackCategory | null
        readonly source: TrackSource | null
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
            ...(category === null ? [] : [sql`category = ${category}`]),
            ...(source === null ? [] : [sql`source = ${source}`]),
            ...(agentId === null ? [] : [sql`agent_id = ${agentId}`]),
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
      findAirable: (id: string) => Effect.map(airables([id]), (found) => found[0] ?? null),
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
      /** Takes the remixes of a track out of rotation, together with it; answers them. */
      holdRemixes: (id: string, reason: string, atMs: number) =>
        tracks(sql`
          UPDATE tracks SET approval_status = 'held', approval_reason = ${reason}, updated_at = ${at(atMs)}
          WHERE remix_of_track_id = ${id} AND approval_status = 'approved' RETURNING ${sql.literal(columns)}`),
      /** Brings back the remixes that were held for this reason. */
      releaseRemixes: (id: string, reason: string, atMs: number) =>
        run(sql`
          UPDATE tracks SET approval_status = 'approved', approval_reason = NULL, updated_at = ${at(atMs)}
          WHERE remix_of_track_id = ${id} AND approval_status = 'held' AND approval_reason = ${reason}`),
      /** Takes all tracks of an agent out of rotation for good. */
      retireOf: (agentId: string, reason: string, atMs: number) =>
        run(sql`
          UPDATE tracks SET approval_status = 'retired', approval_reason = ${reason}, updated_at = ${at(atMs)}
          WHERE agent_id = ${agentId} AND approval_status <> 'retired'`),
      /**
       * Retires house pieces whose names begin with this prefix until at most `keep` house songs are left: first those that votes make play less, then the
       * oldest, last those that votes make play more. Returns their number.
       */
      retireHousePieces: (prefix: string, keep: number, reason: string, atMs: number) =>
        countChanged(sql`
          UPDATE tracks SET approval_status = 'retired', approval_reason = ${reason}, updated_at = ${at(atMs)} WHERE id IN (
            SELECT t.id FROM tracks t JOIN house_pieces p ON p.airable->>'trackId' = t.id
            WHERE p.name LIKE ${`${prefix}%`} AND t.source = 'house' AND t.approval_status = 'approved' ORDER BY t.vote_weight, t.created_at, t.id
            LIMIT greatest(0, (SELECT count(*) FROM tracks c WHERE c.source = 'house' AND c.approval_status = 'approved' AND c.category = 'instrumental') - ${keep}::bigint)
          ) RETURNING 1`),
      /** Stores an airing. Answers the track. */
      markPlayed: (id: string, atMs: number) =>
        track(
          sql`UPDATE tracks SET play_count = play_count + 1, last_played_at = ${at(atMs)} WHERE id = ${id} RETURNING ${sql.literal(columns)}`
        ),
      /** Those that left rotation: held, retired, rejected. */
      findRefused: Effect.fnUntraced(function* (ids: ReadonlyArray<TrackId>) {
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
  Pick<
    TracksWriter["Service"],
    | "find"
    | "countOf"
    | "withSound"
    | "findShown"
    | "findRotationFacts"
    | "page"
    | "listRested"
    | "list"
    | "findAirable"
    | "airables"
    | "findRefused"
  >
>()("longwave/engine/store/Tracks") {
  static readonly layer = Layer.effect(this, TracksWriter).pipe(Layer.provideMerge(TracksWriter.layer))
}
