import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AssetId } from "../../schema/Ids.ts"
import { Asset } from "../../schema/Sound.ts"
import type { Synthetic, SyntheticMark } from "../../schema/Synthetic.ts"

/** An asset whose files do not have its mark yet. */
export type Unmarked = Pick<Asset, "id" | "pcmSha256" | "synthetic">

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
  /** The marks of those of these that a machine made. */
  readonly marks: (ids: ReadonlyArray<AssetId>) => Effect.Effect<ReadonlyMap<AssetId, SyntheticMark>>
  /** What is said of it has changed: its files have to be marked again. */
  readonly mark: (id: AssetId, synthetic: Synthetic) => Effect.Effect<void>
  /** By their ids, from the one after `after` on. */
  readonly unmarked: (after: AssetId | null, limit: number) => Effect.Effect<ReadonlyArray<Unmarked>>
  /** Its files have this mark now. Nothing if it has another one by now. */
  readonly marked: (asset: Unmarked) => Effect.Effect<void>
}>()("longwave/engine/store/Assets") {
  static readonly layer = Layer.effect(Assets, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const jsonOf = (synthetic: Synthetic) => sql`${synthetic === null ? null : JSON.stringify(synthetic)}::text::jsonb`
    const findMany = Effect.fn("Assets.findMany")(function*(ids: ReadonlyArray<AssetId>) {
      if (ids.length === 0) return []
      const rows = yield* sql<{ body: unknown }>`SELECT body || jsonb_build_object('synthetic', synthetic) AS body FROM assets WHERE id IN ${sql.in(ids)}`
      return yield* Effect.forEach(rows, (row) => decode(row.body))
    }, Effect.orDie)
    return Assets.of({
      save: Effect.fn("Assets.save")(function*(asset) {
        const { synthetic, ...body } = yield* encode(asset)
        yield* sql`
          INSERT INTO assets (id, kind, length_samples, pcm_sha256, body, synthetic)
          VALUES (${asset.id}, ${asset.kind}, ${asset.lengthSamples}, ${asset.pcmSha256}, ${JSON.stringify(body)}::jsonb, ${jsonOf(synthetic ?? null)}) ON CONFLICT (id) DO NOTHING`
      }, Effect.orDie),
      find: (id) => Effect.map(findMany([id]), (found) => found[0] ?? null),
      findMany,
      loudness: (ids) => Effect.orDie(Effect.map(
        sql<{ id: AssetId; lufs: number }>`
          SELECT id, (body->'loudness'->>'integratedLufs')::float8 AS lufs FROM assets
          WHERE body->'loudness' IS NOT NULL AND id IN (SELECT jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb))`,
        (rows) => new Map(rows.map(({ id, lufs }) => [id, lufs]))
      )),
      marks: (ids) => ids.length === 0 ? Effect.succeed(new Map()) : Effect.orDie(Effect.map(
        sql<{ id: AssetId; synthetic: SyntheticMark }>`SELECT id, synthetic FROM assets WHERE synthetic IS NOT NULL AND id IN ${sql.in(ids)}`,
        (rows) => new Map(rows.map(({ id, synthetic }) => [id, synthetic]))
      )),
      mark: (id, synthetic) => Effect.orDie(Effect.asVoid(sql`
        UPDATE assets SET synthetic = ${jsonOf(synthetic)}, marked = false WHERE id = ${id} AND synthetic IS DISTINCT FROM ${jsonOf(synthetic)}`)),
      unmarked: (after, limit) => Effect.orDie(sql<Unmarked>`
        SELECT id, pcm_sha256, synthetic FROM assets WHERE NOT marked AND id > ${after ?? ""} ORDER BY id LIMIT ${limit}`),
      marked: ({ id, synthetic }) => Effect.orDie(Effect.asVoid(sql`UPDATE assets SET marked = true WHERE id = ${id} AND synthetic IS NOT DISTINCT FROM ${jsonOf(synthetic)}`))
    })
  }))
}
