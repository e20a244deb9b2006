import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AssetId } from "../../../schema/Ids.ts"
import { Asset } from "../../../schema/Sound.ts"
import { Synthetic, SyntheticMark } from "../../../schema/Synthetic.ts"
import { rows, run } from "../sql/rows.ts"

/** An asset whose files don't carry its mark yet. */
const Unmarked = Schema.Struct({ id: AssetId, pcmSha256: Schema.String, synthetic: Synthetic })
export type Unmarked = typeof Unmarked.Type

const encode = Schema.encodeEffect(Asset)
const bodies = rows(Schema.Struct({ body: Asset }))
const lufsOf = rows(Schema.Struct({ id: AssetId, lufs: Schema.Finite }))
const marksOf = rows(Schema.Struct({ id: AssetId, synthetic: SyntheticMark }))
const unmarked = rows(Unmarked)

/** Metadata of prepared sounds. The files are in the media store under the same id. */
export class Assets extends Context.Service<Assets>()("longwave/engine/store/Assets", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const jsonOf = (synthetic: Synthetic) => sql`${synthetic === null ? null : JSON.stringify(synthetic)}::text::jsonb`
    const findMany = Effect.fnUntraced(function* (ids: ReadonlyArray<AssetId>) {
      if (ids.length === 0) return []
      const found = yield* bodies(
        sql`SELECT body || jsonb_build_object('synthetic', synthetic) AS body FROM assets WHERE id IN ${sql.in(ids)}`
      )
      return found.map(({ body }) => body)
    })
    return {
      /** Idempotent. */
      save: Effect.fnUntraced(function* (asset: Asset) {
        const { synthetic, ...body } = yield* encode(asset)
        yield* sql`
          INSERT INTO assets (id, kind, length_samples, pcm_sha256, body, synthetic)
          VALUES (${asset.id}, ${asset.kind}, ${asset.lengthSamples}, ${asset.pcmSha256}, ${JSON.stringify(body)}::jsonb, ${jsonOf(synthetic ?? null)}) ON CONFLICT (id) DO NOTHING`
      }, Effect.orDie),
      find: (id: AssetId) => Effect.map(findMany([id]), (found) => found[0] ?? null),
      findMany,
      /** Loudness of each asset in LUFS. */
      loudness: (ids: ReadonlyArray<AssetId>) =>
        Effect.map(
          lufsOf(sql`
          SELECT id, (body->'loudness'->>'integratedLufs')::float8 AS lufs FROM assets
          WHERE body->'loudness' IS NOT NULL AND id IN (SELECT jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb))`),
          (found) => new Map(found.map(({ id, lufs }) => [id, lufs]))
        ),
      /** Marks of those assets that a machine made. */
      marks: (ids: ReadonlyArray<AssetId>) =>
        ids.length === 0
          ? Effect.succeed(new Map())
          : Effect.map(
              marksOf(sql`SELECT id, synthetic FROM assets WHERE synthetic IS NOT NULL AND id IN ${sql.in(ids)}`),
              (found) => new Map(found.map(({ id, synthetic }) => [id, synthetic]))
            ),
      /** Deletes the row of a sound without files, unless an upload still refers to it. */
      remove: (id: AssetId) =>
        run(sql`DELETE FROM assets WHERE id = ${id} AND NOT EXISTS (SELECT FROM uploads WHERE asset_id = ${id})`),
      /** Keeps of an asset without files only what its mark needs: what aired stays marked. */
      shrink: (id: AssetId) =>
        run(sql`
        UPDATE assets SET body = body || '{"envelope": "", "peaks": [], "words": []}' WHERE id = ${id}`),
      /** Changes an asset's mark: its files have to be marked again. */
      mark: (id: AssetId, synthetic: Synthetic) =>
        run(sql`
        UPDATE assets SET synthetic = ${jsonOf(synthetic)}, marked = false WHERE id = ${id} AND synthetic IS DISTINCT FROM ${jsonOf(synthetic)}`),
      /** In order of id, after `after`. */
      listUnmarked: (after: AssetId | null, limit: number) =>
        unmarked(sql`
        SELECT id, pcm_sha256, synthetic FROM assets WHERE NOT marked AND id > ${after ?? ""} ORDER BY id LIMIT ${limit}`),
      /** Stores that the files have this mark. Does nothing if the asset's mark has changed since. */
      setMarked: ({ id, synthetic }: Unmarked) =>
        run(
          sql`UPDATE assets SET marked = true WHERE id = ${id} AND synthetic IS NOT DISTINCT FROM ${jsonOf(synthetic)}`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
