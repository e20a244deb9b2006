import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Airable, type ItemRole } from "../../../schema/air/Rundown.ts"
import { AssetId } from "../../../schema/Ids.ts"
import { at } from "../sql/instants.ts"
import { rows, run } from "../sql/rows.ts"

const HousePiece = Schema.Struct({
  /** Its name among the house works: saving it again under the same name changes nothing. */
  name: Schema.String,
  hour: Schema.NullOr(Schema.Int),
  airable: Airable
})
export type HousePiece = typeof HousePiece.Type

const encode = Schema.encodeEffect(Airable)
const pieces = rows(HousePiece)
const retiredPieces = rows(Schema.Struct({ name: Schema.String, assetId: AssetId }))
const nameRows = rows(Schema.Struct({ name: Schema.String }))

/** Sounds made by the station: idents, hour calls, fillers and beds. */
export class HousePiecesWriter extends Context.Service<HousePiecesWriter>()("longwave/engine/store/HousePiecesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      save: Effect.fnUntraced(function* (piece: HousePiece) {
        const airable = JSON.stringify(yield* encode(piece.airable))
        yield* run(sql`
          INSERT INTO house_pieces (name, role, hour, airable) VALUES (${piece.name}, ${piece.airable.role}, ${piece.hour}, ${airable}::jsonb)
          ON CONFLICT (name) DO NOTHING`)
      }, Effect.orDie),
      names: Effect.map(
        nameRows(sql`SELECT name FROM house_pieces`),
        (found) => new Set(found.map(({ name }) => name))
      ),
      /** Retired pieces of this prefix whose sound nothing needs any more: retired before an instant. */
      listRetired: (prefix: string, beforeMs: number, limit: number) =>
        retiredPieces(sql`
          SELECT p.name, t.asset_id FROM house_pieces p JOIN tracks t ON t.id = p.airable->>'trackId'
          WHERE p.name LIKE ${`${prefix}%`} AND t.source = 'house' AND t.approval_status = 'retired' AND t.updated_at < ${at(beforeMs)}
            AND NOT EXISTS (SELECT 1 FROM song_requests r WHERE r.track_id = t.id AND r.status = 'pending')
          ORDER BY p.name LIMIT ${limit}`),
      forget: (name: string) => run(sql`DELETE FROM house_pieces WHERE name = ${name}`),
      listByRole: (role: ItemRole) =>
        pieces(sql`
          SELECT name, hour, airable FROM house_pieces WHERE role = ${role} ORDER BY created_at, name`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class HousePieces extends Context.Service<
  HousePieces,
  Pick<HousePiecesWriter["Service"], "names" | "listByRole">
>()("longwave/engine/store/HousePieces") {
  static readonly layer = Layer.effect(this, HousePiecesWriter).pipe(Layer.provideMerge(HousePiecesWriter.layer))
}
