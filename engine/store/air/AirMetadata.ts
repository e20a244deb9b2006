import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AirFact, SpokenText, TrackFact } from "../../../schema/air/AirMetadata.ts"
import { AgentId, type AssetId, SegmentId } from "../../../schema/Ids.ts"
import { markOfMix } from "../../../schema/Synthetic.ts"
import { aListener } from "../../../schema/listeners/Message.ts"
import { Assets } from "../sound/Assets.ts"
import { ListenerCredits } from "./ListenerCredits.ts"
import { Shows } from "../programmes/Shows.ts"
import { rows } from "../sql/rows.ts"
import { StationFacts } from "../sql/StationFacts.ts"
import { mediaUrl } from "../../rules/sound/MediaUrl.ts"

/** An aired item, identified by the log or the rundown. */
export interface Heard {
  readonly itemId: string
  readonly segmentId: string | null
  readonly trackId: string | null
  readonly agentId: string | null
  readonly assetIds?: ReadonlyArray<AssetId>
}
const spokenTexts = rows(SpokenText)
const trackFacts = rows(TrackFact)
const makerRows = rows(
  Schema.Struct({
    id: AgentId,
    handle: Schema.String,
    displayName: Schema.String,
    avatarPath: Schema.NullOr(Schema.String)
  })
)
const callTexts = rows(Schema.Struct({ segmentId: SegmentId, content: Schema.NullOr(Schema.String) }))

const ids = (all: ReadonlyArray<string | null>): ReadonlyArray<string> => [...new Set(all.filter((id) => id !== null))]
/** Metadata of aired items, by the same rules for the current and for past ones. */
export class AirMetadata extends Context.Service<AirMetadata>()("longwave/engine/store/AirMetadata", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { publicUrl } = yield* StationFacts
    const credits = yield* ListenerCredits
    const shows = yield* Shows
    const assets = yield* Assets
    const findKnown = <Row extends object, Key extends string>(
      wanted: ReadonlyArray<string>,
      read: (wanted: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Row & { readonly [K in Key]: string }>>,
      key: Key
    ) =>
      wanted.length === 0
        ? Effect.succeed(new Map<string, Row>())
        : Effect.map(read(wanted), (found) => new Map<string, Row>(found.map((row) => [row[key], row])))
    const findSpoken = (wanted: ReadonlyArray<string>) =>
      findKnown(
        wanted,
        (some) =>
          spokenTexts(sql`
      SELECT id, title, category, script_text, display_text, lane = 'upload' AS transcribed, rerun_hold AS hidden FROM segments WHERE id IN ${sql.in(some)}`),
        "id"
      )
    const tracks = (wanted: ReadonlyArray<string>) =>
      findKnown(
        wanted,
        (some) =>
          trackFacts(sql`
      SELECT id, title, artist, genre, mood, bpm, is_instrumental, lyrics, source FROM tracks WHERE id IN ${sql.in(some)}`),
        "id"
      )
    const makers = (wanted: ReadonlyArray<string>) =>
      findKnown(
        wanted,
        (some) =>
          makerRows(sql`
      SELECT id, handle, persona->>'displayName' AS display_name, avatar_path FROM agents WHERE id IN ${sql.in(some)}`),
        "id"
      )
    const findCalls = (wanted: ReadonlyArray<string>) =>
      findKnown(
        wanted,
        (some) =>
          callTexts(sql`
      SELECT c.segment_id, i.content FROM call_ins c JOIN interactions i ON i.id = c.interaction_id WHERE c.segment_id IN ${sql.in(some)} AND i.moderation_status IN ('approved', 'aired') AND i.visibility <> 'private'`),
        "segmentId"
      )
    return {
      /** In the order of the input. */
      find: Effect.fnUntraced(function* (heard: ReadonlyArray<Heard>) {
        const segmentIds = ids(heard.map(({ segmentId }) => segmentId))
        const facts = yield* Effect.all(
          {
            spoken: findSpoken(segmentIds),
            shows: shows.findBySegments(segmentIds),
            calls: findCalls(segmentIds),
            labels: credits.labels([...ids(heard.map(({ itemId }) => itemId)), ...segmentIds]),
            marks: assets.marks([...new Set(heard.flatMap(({ assetIds = [] }) => assetIds))]),
            tracks: tracks(ids(heard.map(({ trackId }) => trackId))),
            makers: makers(ids(heard.map(({ agentId }) => agentId)))
          },
          { concurrency: "unbounded" }
        )
        return heard.map(({ agentId, assetIds = [], itemId, segmentId, trackId }): AirFact => {
          const pick = <A>(from: ReadonlyMap<string, A>, id: string | null): A | null =>
            id === null ? null : (from.get(id) ?? null)
          const call = pick(facts.calls, segmentId)
          const label = pick(facts.labels, itemId) ?? pick(facts.labels, segmentId) ?? aListener
          const maker = pick(facts.makers, agentId)
          const said = pick(facts.spoken, segmentId)
          return {
            spoken: said === null ? null : { ...said, show: pick(facts.shows, segmentId) },
            call: call?.content ?? null,
            track: pick(facts.tracks, trackId),
            maker:
              maker === null
                ? null
                : {
                    handle: maker.handle,
                    displayName: maker.displayName,
                    avatarUrl: mediaUrl(maker.avatarPath, publicUrl)
                  },
            listenerLabel: label,
            synthetic: markOfMix(assetIds.map((id) => facts.marks.get(id) ?? null))
          }
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(
    Layer.provide([StationFacts.layer, ListenerCredits.layer, Shows.layer, Assets.layer])
  )
}
