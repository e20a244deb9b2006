import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AgentId, AssetId, SegmentId, TrackId } from "../../../schema/Ids.ts"
import type { PlanItem, PlanStock } from "../../../schema/programmes/Plan.ts"
import { Airable } from "../../../schema/air/Rundown.ts"
import { SegmentStatus } from "../../../schema/segments/Segment.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { HousePieces } from "../music/HousePieces.ts"
import { SpeechUploads } from "../segments/Uploads.ts"
import { Tracks } from "../music/Tracks.ts"
import { segmentsAndAirings, segmentStatusNow } from "../sql/airings.ts"
import { rows } from "../sql/rows.ts"

const segmentRows = rows(
  Schema.Struct({
    id: SegmentId,
    title: Schema.String,
    scriptText: Schema.String,
    status: SegmentStatus,
    planId: Schema.NullOr(Schema.String),
    assetId: Schema.NullOr(AssetId),
    bedAssetId: Schema.NullOr(AssetId),
    displayName: Schema.String,
    cue: Schema.NullOr(CuePoints)
  })
)
const bedRows = rows(Schema.Struct({ id: TrackId, assetId: AssetId, title: Schema.String, cue: CuePoints }))
const trackIds = rows(Schema.Struct({ id: TrackId }))
const voice = (
  agentId: AgentId,
  sound: {
    readonly title: string
    readonly artist: string | null
    readonly assetId: AssetId
    readonly bedAssetId: AssetId | null
    readonly segmentId: SegmentId | null
    readonly cue: CuePoints
  }
): Airable =>
  new Airable({
    role: "segment",
    speech: true,
    trackId: null,
    agentId,
    topic: null,
    genre: null,
    validFromMs: null,
    validUntilMs: null,
    ...sound
  })
/** Current state of everything the items of a plan refer to. */
export class PlanStocks extends Context.Service<PlanStocks>()("longwave/engine/store/PlanStocks", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pieces = yield* HousePieces
    const tracks = yield* Tracks
    const uploads = yield* SpeechUploads
    const segmentsOf = (agentId: AgentId, ids: ReadonlyArray<SegmentId>) =>
      ids.length === 0
        ? Effect.succeed([])
        : segmentRows(sql`
      SELECT s.id, s.title, s.script_text, ${sql.literal(segmentStatusNow)} AS status, s.plan_id, s.display_name, CASE WHEN s.audio_status = 'ready' THEN s.asset_id END AS asset_id, s.bed_asset_id, a.body->'cue' AS cue
      FROM ${sql.literal(segmentsAndAirings)} LEFT JOIN assets a ON a.id = s.asset_id WHERE s.agent_id = ${agentId} AND s.category <> 'panel_turn' AND s.id IN ${sql.in(ids)}`)
    const bedsOf = (ids: ReadonlyArray<TrackId>) =>
      ids.length === 0
        ? Effect.succeed([])
        : bedRows(sql`
      SELECT t.id, t.asset_id, t.title, a.cue FROM tracks t JOIN assets a ON a.id = t.asset_id
      WHERE t.id IN ${sql.in(ids)} AND t.approval_status = 'approved' AND (t.category = 'bed' OR t.is_instrumental)`)
    return {
      find: Effect.fnUntraced(function* (agentId: AgentId, items: ReadonlyArray<PlanItem>) {
        const named = [
          ...new Set(items.flatMap(({ kind, trackId }) => (kind === "track" && trackId !== null ? [trackId] : [])))
        ]
        const under = [
          ...new Set(items.flatMap(({ kind, trackId }) => (kind === "bed" && trackId !== null ? [trackId] : [])))
        ]
        const [music, known, beds, segments, recordings, idents, houseBeds] = yield* Effect.all([
          tracks.airables(named),
          named.length === 0 ? Effect.succeed([]) : trackIds(sql`SELECT id FROM tracks WHERE id IN ${sql.in(named)}`),
          bedsOf(under),
          segmentsOf(agentId, [...new Set(items.flatMap(({ segmentId }) => segmentId ?? []))]),
          uploads.listByAgent(agentId, [...new Set(items.flatMap(({ uploadId }) => uploadId ?? []))]),
          pieces.listByRole("ident"),
          pieces.listByRole("bed")
        ])
        const stock: PlanStock = {
          tracks: new Map(music.map((airable) => [airable.trackId!, airable])),
          known: new Set(known.map(({ id }) => id)),
          beds: new Map(
            beds.map(({ assetId, cue, id, title }) => [
              id,
              new Airable({
                role: "bed",
                assetId,
                cue,
                title,
                artist: null,
                speech: false,
                bedAssetId: null,
                segmentId: null,
                trackId: id,
                agentId: null,
                topic: null,
                genre: null,
                validFromMs: null,
                validUntilMs: null
              })
            ])
          ),
          segments: new Map(
            segments.map(({ assetId, bedAssetId, cue, displayName, id, scriptText, title, ...row }) => [
              id,
              {
                ...row,
                title,
                text: scriptText,
                airable:
                  assetId === null
                    ? null
                    : // A segment's sound is stored before the segment is ready.
                      voice(agentId, { title, artist: displayName, assetId, bedAssetId, segmentId: id, cue: cue! })
              }
            ])
          ),
          uploads: new Map(
            recordings.map(({ assetId, cue, declared, id, passed, title, transcript }) => [
              id,
              {
                title,
                text: transcript,
                passed,
                declared,
                airable:
                  assetId === null || cue === null
                    ? null
                    : voice(agentId, { title, artist: null, assetId, bedAssetId: null, segmentId: null, cue })
              }
            ])
          ),
          idents: idents.map(({ airable }) => airable),
          houseBeds: houseBeds.map(({ airable }) => airable)
        }
        return stock
      }, Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(
    Layer.provide([HousePieces.layer, Tracks.layer, SpeechUploads.layer])
  )
}
