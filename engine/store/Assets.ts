import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AssetId } from "../../schema/Ids.ts"
import { Asset } from "../../schema/Sound.ts"

const encode = Schema.encodeEffect(Asset)
const decode = Schema.decodeUnknownEffect(Asset)

/** Prepared sounds: what they are, not what they sound like. The files lie in the media store under the same id. */
export class Assets extends Context.Service<Assets, {
  /** Saving the same asset again changes nothing. */
  readonly save: (asset: Asset) => Effect.Effect<void>
  readonly find: (id: AssetId) => Effect.Effect<Asset | null>
  readonly findMany: (ids: ReadonlyArray<AssetId>) => Effect.Effect<ReadonlyArray<Asset>>
  /** How loud each of them is, in LUFS. */
  readonly loudness: (ids: ReadonlyArray<AssetId>) => Effect.Effect<ReadonlyMap<AssetId, number>>
}>()("longwave/engine/store/Assets") {
  static readonly layer = Layer.effect(Assets, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const findMany = Effect.fn("Assets.findMany")(function*(ids: ReadonlyArray<AssetId>) {
      if (ids.length === 0) return []
      const rows = yield* sql<{ body: unknown }>`SELECT body FROM assets WHERE id IN ${sql.in(ids)}`
      return yield* Effect.forEach(rows, (row) => decode(row.body))
    }, Effect.orDie)
    return Assets.of({
      save: Effect.fn("Assets.save")(function*(asset) {
        const body = JSON.stringify(yield* encode(asset))
        yield* sql`
          INSERT INTO assets (id, kind, length_samples, pcm_sha256, body)
          VALUES (${asset.id}, ${asset.kind}, ${asset.lengthSamples}, ${asset.pcmSha256}, ${body}::jsonb) ON CONFLICT (id) DO NOTHING`
      }, Effect.orDie),
      find: (id) => Effect.map(findMany([id]), (found) => found[0] ?? null),
      findMany,
      loudness: (ids) => Effect.orDie(Effect.map(
        sql<{ id: AssetId; lufs: number }>`
          SELECT id, (body->'loudness'->>'integratedLufs')::float8 AS lufs FROM assets
          WHERE body->'loudness' IS NOT NULL AND id IN (SELECT jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb))`,
        (rows) => new Map(rows.map(({ id, lufs }) => [id, lufs]))
      ))
    })
  }))
}
