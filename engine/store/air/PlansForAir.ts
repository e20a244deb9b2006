import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId, AssetId, BlockId, ItemId, PlanId, SegmentId, TrackId } from "../../../schema/Ids.ts"
import { Sample } from "../../../schema/air/Air.ts"
import { PlanItem } from "../../../schema/programmes/Plan.ts"
import { Airable } from "../../../schema/air/Rundown.ts"
import { SegmentStatus } from "../../../schema/segments/Segment.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { epochMs, sampleRateHz } from "../../../schema/time/Samples.ts"
import { Tracks } from "../music/Tracks.ts"
import { segmentsAndAirings, segmentStatusNow } from "../sql/airings.ts"
import { at, ms } from "../sql/instants.ts"
import { rows } from "../sql/rows.ts"

const PlanRow = Schema.Struct({
  id: PlanId,
  agentId: AgentId,
  title: Schema.String,
  status: Schema.Literals(["approved", "airing"]),
  blockId: BlockId,
  startMs: Schema.Finite,
  endMs: Schema.Finite,
  items: Schema.Array(PlanItem)
})

/** A plan to air with its available sounds. */
export interface PlanForAir extends Schema.Schema.Type<typeof PlanRow> {
  readonly sounds: ReadonlyMap<ItemId, Airable>
  /** The reason an item has no sound. */
  readonly faults: ReadonlyMap<ItemId, string>
  /** Items already aired or on air, here or elsewhere. */
  readonly spent: ReadonlySet<ItemId>
}

/** The aired part of a plan's item. */
export interface PartHeard {
  readonly itemId: ItemId
  readonly asRunSeq: number
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly complete: boolean
  /** The length of the speech that aired; null for other sounds. The plan only estimates it from the words. */
  readonly spokenMs: number | null
  /** The unintended cause of an early end. */
  readonly cutBy: string | null
}

const plans = rows(PlanRow)
const spokenRows = rows(
  Schema.Struct({
    id: SegmentId,
    agentId: AgentId,
    displayName: Schema.String,
    title: Schema.String,
    status: SegmentStatus,
    assetId: Schema.NullOr(AssetId),
    bedAssetId: Schema.NullOr(AssetId),
    cue: Schema.NullOr(CuePoints),
    rerunHold: Schema.Boolean
  })
)
const bedRows = rows(
  Schema.Struct({ id: TrackId, assetId: AssetId, title: Schema.String, artist: Schema.String, cue: CuePoints })
)
const heardRows = rows(
  Schema.Struct({
    itemId: ItemId,
    seq: Schema.Int,
    first: Sample,
    last: Sample,
    complete: Schema.Boolean,
    spokenMs: Schema.NullOr(Schema.Number),
    cutBy: Schema.NullOr(Schema.String)
  })
)

const msOf = (sample: number): number => epochMs + Math.floor(sample / (sampleRateHz / 1_000))
const mayAir = new Set(["queued", "scheduled", "airing", "aired"])
const empty = { topic: null, genre: null, validFromMs: null, validUntilMs: null }

/** Approved and airing plans for the scheduler, with their sounds and their rows of the as-run log. */
export class PlansForAir extends Context.Service<PlansForAir>()("longwave/engine/store/PlansForAir", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tracks = yield* Tracks
    /** All media of these plans, in three queries. */
    const soundsOf = Effect.fnUntraced(function* (items: ReadonlyArray<PlanItem>) {
      const spokenIds = [...new Set(items.flatMap(({ segmentId }) => segmentId ?? []))]
      const trackIds = (kind: PlanItem["kind"]) => [
        ...new Set(items.flatMap((item) => (item.kind === kind && item.trackId !== null ? [item.trackId] : [])))
      ]
      const under = trackIds("bed")
      const spoken =
        spokenIds.length === 0
          ? []
          : yield* spokenRows(sql`
        SELECT s.id, s.agent_id, s.display_name, s.title, ${sql.literal(segmentStatusNow)} AS status, CASE WHEN s.audio_status = 'ready' THEN s.asset_id END AS asset_id, s.bed_asset_id, a.body->'cue' AS cue, s.rerun_hold
        FROM ${sql.literal(segmentsAndAirings)} LEFT JOIN assets a ON a.id = s.asset_id WHERE s.id IN ${sql.in(spokenIds)}`)
      const beds =
        under.length === 0
          ? []
          : yield* bedRows(sql`
        SELECT t.id, t.asset_id, t.title, t.artist, a.body->'cue' AS cue FROM tracks t JOIN assets a ON a.id = t.asset_id WHERE t.id IN ${sql.in(under)} AND t.approval_status = 'approved'`)
      return { spoken, beds, music: yield* tracks.airables(trackIds("track")) }
    })

    const soundOf = (item: PlanItem, found: Effect.Success<ReturnType<typeof soundsOf>>): Airable | string | null => {
      if (item.kind === "track")
        return found.music.find(({ trackId }) => trackId === item.trackId) ?? "its track isn't approved any more"
      if (item.kind === "bed") {
        const bed = found.beds.find(({ id }) => id === item.trackId)
        return bed !== undefined
          ? new Airable({
              ...empty,
              role: "bed",
              assetId: bed.assetId,
              cue: bed.cue,
              title: bed.title,
              artist: bed.artist,
              speech: false,
              bedAssetId: null,
              segmentId: null,
              trackId: bed.id,
              agentId: null
            })
          : item.trackId === null
            ? null
            : "its bed isn't approved any more"
      }
      if (item.kind === "pause" || item.kind === "station_id") return null
      const row = found.spoken.find(({ id }) => id === item.segmentId)
      if (row === undefined) return "there is no such segment"
      if (!mayAir.has(row.status) || row.rerunHold) return `its segment is ${row.rerunHold ? "held" : row.status}`
      return row.assetId === null || row.cue === null
        ? "it has no sound"
        : new Airable({
            ...empty,
            role: "segment",
            assetId: row.assetId,
            cue: row.cue,
            title: row.title,
            artist: row.displayName,
            speech: true,
            bedAssetId: row.bedAssetId,
            segmentId: row.id,
            trackId: null,
            agentId: row.agentId
          })
    }

    return {
      /** Approved or airing plans that begin before `untilMs`, in order. A plan that is over stays listed until it is finished. */
      listUpcoming: Effect.fnUntraced(function* (untilMs: number) {
        const found = yield* plans(sql`
          SELECT id, agent_id, title, status, block_id, items, ${ms("occurrence_start")} AS start_ms, ${ms("occurrence_end")} AS end_ms
          FROM plans WHERE status IN ('approved', 'airing') AND occurrence_start < ${at(untilMs)} ORDER BY occurrence_start, id`)
        const known = yield* soundsOf(found.flatMap(({ items }) => items))
        return found.map((plan): PlanForAir => {
          const sounds = plan.items.map((item) => [item.id, soundOf(item, known)] as const)
          const heard = new Set(
            known.spoken.flatMap(({ id, status }) => (status === "airing" || status === "aired" ? [id] : []))
          )
          return {
            ...plan,
            spent: new Set(
              plan.items.flatMap(({ id, segmentId }) => (segmentId !== null && heard.has(segmentId) ? [id] : []))
            ),
            sounds: new Map(sounds.flatMap(([id, sound]) => (sound instanceof Airable ? [[id, sound]] : []))),
            faults: new Map(sounds.flatMap(([id, sound]) => (typeof sound === "string" ? [[id, sound]] : [])))
          }
        })
      }),
      /** Log entries of these item ids. */
      listHeard: (airIds: ReadonlyArray<ItemId>): Effect.Effect<ReadonlyArray<PartHeard>> =>
        airIds.length === 0
          ? Effect.succeed([])
          : Effect.map(
              heardRows(sql`
        SELECT item_id, max(seq)::float8 AS seq, min(first_sample)::float8 AS first, max(last_sample)::float8 AS last, bool_or(outcome = 'complete') AS complete,
          max(1000 * (SELECT duration_sec FROM segments WHERE segments.id = as_run.segment_id))::float8 AS spoken_ms,
          max(substring(text::jsonb->'trace'->>-1 from '^cut: (.*)')) AS cut_by
        FROM as_run WHERE item_id IN ${sql.in(airIds)} GROUP BY item_id ORDER BY min(first_sample)`),
              (found) =>
                found.map(({ complete, cutBy, first, itemId, last, seq, spokenMs }) => ({
                  itemId,
                  asRunSeq: seq,
                  startedAtMs: msOf(first),
                  endedAtMs: msOf(last + 1),
                  complete,
                  spokenMs,
                  cutBy
                }))
            )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(Tracks.layer))
}
