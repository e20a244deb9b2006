import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AssetId, TrackId } from "../../../schema/Ids.ts"
import { row } from "../sql/rows.ts"

/** Music to play under a voice. */
const Bed = Schema.Struct({ assetId: AssetId, trackId: TrackId })

const bed = row(Bed)

/** Approved beds, those of agents before those of the house: of the wanted mood if there are any, the least used first. */
export class Beds extends Context.Service<Beds>()("longwave/engine/store/Beds", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      pick: Effect.fnUntraced(function* (mood: string | null) {
        const contributed = yield* bed(sql`
          SELECT asset_id, id AS track_id FROM tracks WHERE category = 'bed' AND source <> 'house' AND approval_status = 'approved' AND (${mood}::text IS NULL OR mood = ${mood}::text)
          ORDER BY last_played_at NULLS FIRST, id LIMIT 1`)
        if (contributed !== null) return contributed
        return yield* bed(sql`
          SELECT t.asset_id, t.id AS track_id FROM house_pieces h JOIN tracks t ON t.asset_id = h.airable->>'assetId' AND t.category = 'bed' AND t.approval_status = 'approved'
          WHERE h.role = 'bed' AND (${mood}::text IS NULL OR h.name LIKE '%' || ${mood}::text || '%' OR NOT EXISTS (SELECT 1 FROM house_pieces o WHERE o.role = 'bed' AND o.name LIKE '%' || ${mood}::text || '%'))
          ORDER BY (SELECT count(*) FROM segments s WHERE s.bed_asset_id = t.asset_id), h.name LIMIT 1`)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
