import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Airable, type ItemRole } from "../../schema/Rundown.ts"

export interface HousePiece {
  /** What it is among all the station makes: making it again under the same name changes nothing. */
  readonly name: string
  readonly hour: number | null
  readonly airable: Airable
}

const encode = Schema.encodeEffect(Airable)
const decode = Schema.decodeUnknownEffect(Airable)

/** What the station made for itself: idents, hour calls, fillers and beds. */
export class HousePieces extends Context.Service<HousePieces, {
  readonly save: (piece: HousePiece) => Effect.Effect<void>
  readonly names: Effect.Effect<ReadonlySet<string>>
  readonly byRole: (role: ItemRole) => Effect.Effect<ReadonlyArray<HousePiece>>
}>()("longwave/engine/store/HousePieces") {
  static readonly layer = Layer.effect(HousePieces, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return HousePieces.of({
      save: Effect.fn("HousePieces.save")(function*(piece) {
        const airable = JSON.stringify(yield* encode(piece.airable))
        yield* sql`
          INSERT INTO house_pieces (name, role, hour, airable) VALUES (${piece.name}, ${piece.airable.role}, ${piece.hour}, ${airable}::jsonb)
          ON CONFLICT (name) DO NOTHING`
      }, Effect.orDie),
      names: Effect.map(sql<{ name: string }>`SELECT name FROM house_pieces`, (rows) => new Set(rows.map((row) => row.name))).pipe(Effect.orDie),
      byRole: Effect.fn("HousePieces.byRole")(function*(role) {
        const rows = yield* sql<{ name: string; hour: number | null; airable: unknown }>`
          SELECT name, hour, airable FROM house_pieces WHERE role = ${role} ORDER BY created_at, name`
        return yield* Effect.forEach(rows, (row) => Effect.map(decode(row.airable), (airable) => ({ name: row.name, hour: row.hour, airable })))
      }, Effect.orDie)
    })
  }))
}
