import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AssetId, TrackId } from "../../schema/Ids.ts"

/** Music to lie under a voice. House beds are no tracks. */
export interface Bed {
  readonly assetId: AssetId
  readonly trackId: TrackId | null
}

/** Approved beds: of the mood that was asked for, else any, the least worn first. */
export class Beds extends Context.Service<Beds, {
  readonly pick: (mood: string | null) => Effect.Effect<Bed | null>
}>()("longwave/engine/store/Beds") {
  static readonly layer = Layer.effect(Beds, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return Beds.of({
      pick: Effect.fn("Beds.pick")(function*(mood) {
        const tracks = yield* sql<Bed>`
          SELECT asset_id, id AS track_id FROM tracks WHERE category = 'bed' AND approval_status = 'approved' AND (${mood}::text IS NULL OR mood = ${mood}::text)
          ORDER BY last_played_at NULLS FIRST, id LIMIT 1`
        if (tracks[0] !== undefined) return tracks[0]
        const house = yield* sql<{ assetId: AssetId }>`
          SELECT airable->>'assetId' AS asset_id FROM house_pieces h
          WHERE role = 'bed' AND (${mood}::text IS NULL OR name LIKE '%' || ${mood}::text || '%' OR NOT EXISTS (SELECT 1 FROM house_pieces o WHERE o.role = 'bed' AND o.name LIKE '%' || ${mood}::text || '%'))
          ORDER BY (SELECT count(*) FROM segments s WHERE s.bed_asset_id = h.airable->>'assetId'), name LIMIT 1`
        return house[0] === undefined ? null : { assetId: house[0].assetId, trackId: null }
      }, Effect.orDie)
    })
  }))
}
