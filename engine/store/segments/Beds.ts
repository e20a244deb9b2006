import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AssetId, TrackId } from "../../../schema/Ids.ts"
import { row } from "../sql/rows.ts"

/** Music to play under a voice. House beds aren't tracks. */
export interface Bed {
  readonly assetId: AssetId
  readonly trackId: TrackId | null
}

const trackBed = row(Schema.Struct({ assetId: AssetId, trackId: TrackId }))
const houseBed = row(Schema.Struct({ assetId: AssetId }))

/** Approved beds: of the wanted mood if there are any, else of any mood, the least used first. */
export class Beds extends Context.Service<Beds>()("longwave/engine/store/Beds", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      pick: Effect.fn("Beds.pick")(function* (mood: string | null) {
        const track: Bed | null = yield* trackBed(sql`
          SELECT asset_id, id AS track_id FROM tracks WHERE category = 'bed' AND approval_status = 'approved' AND (${mood}::text IS NULL OR mood = ${mood}::text)
          ORDER BY last_played_at NULLS FIRST, id LIMIT 1`)
        if (track !== null) return track
        const house = yield* houseBed(sql`
          SELECT airable->>'assetId' AS asset_id FROM house_pieces h
          WHERE role = 'bed' AND (${mood}::text IS NULL OR name LIKE '%' || ${mood}::text || '%' OR NOT EXISTS (SELECT 1 FROM house_pieces o WHERE o.role = 'bed' AND o.name LIKE '%' || ${mood}::text || '%'))
          ORDER BY (SELECT count(*) FROM segments s WHERE s.bed_asset_id = h.airable->>'assetId'), name LIMIT 1`)
        return house === null ? null : { assetId: house.assetId, trackId: null }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
