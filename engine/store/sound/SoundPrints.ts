import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { fingerprintLengthShare, fingerprintsAlikeMax } from "../../rules/segments/limits.ts"
import { AssetId } from "../../../schema/Ids.ts"
import type { UploadPurpose } from "../../../schema/segments/Upload.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { rows, run } from "../sql/rows.ts"

const fingerprints = rows(Schema.Struct({ fingerprint: Schema.Uint8Array }))
const assets = rows(Schema.Struct({ id: AssetId }))

/** Fingerprints by which a copy of a recording is found: of uploads, generated pieces, listeners' recordings and the house's music. */
export class SoundPrints extends Context.Service<SoundPrints>()("longwave/engine/store/SoundPrints", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /**
       * Of recordings about as long, the nearest in length. Speech and samples are compared with their own kind, music with everything that is music.
       * `except` is the upload, submission or request for music that is being examined.
       */
      findAlike: Effect.fnUntraced(function* (
        { except, purpose }: { readonly purpose: UploadPurpose; readonly except: string },
        durationSec: number
      ) {
        // A trimmed copy differs by a second at least.
        const reach = Math.max(1, durationSec * fingerprintLengthShare)
        const isNear = (column: string, unit = 1) =>
          sql`${sql.literal(column)} BETWEEN ${(durationSec - reach) * unit}::float8 AND ${(durationSec + reach) * unit}::float8`
        const ofMusic =
          purpose === "music"
            ? sql`
              UNION ALL SELECT fingerprint, duration_sec FROM music_variants WHERE fingerprint IS NOT NULL AND request_id <> ${except} AND ${isNear("duration_sec")}
              UNION ALL SELECT fingerprint, duration_sec FROM music_submissions WHERE fingerprint IS NOT NULL AND id <> ${except} AND status NOT IN ('rejected', 'withdrawn') AND ${isNear("duration_sec")}
              UNION ALL SELECT fingerprint, length_samples::float8 / ${sampleRateHz}::float8 FROM assets WHERE fingerprint IS NOT NULL AND fingerprint <> ''::bytea AND ${isNear("length_samples", sampleRateHz)}`
            : sql``
        const found = yield* fingerprints(sql`
          SELECT fingerprint FROM (
            SELECT fingerprint, duration_sec FROM uploads WHERE purpose = ${purpose} AND fingerprint IS NOT NULL AND removed_at IS NULL AND id <> ${except} AND status <> 'qc_failed' AND ${isNear("duration_sec")}
            ${ofMusic}
          ) prints ORDER BY abs(duration_sec - ${durationSec}::float8) LIMIT ${fingerprintsAlikeMax}`)
        return found.map(({ fingerprint }) => fingerprint)
      }),
      /** Music that the station made and whose fingerprint isn't taken yet. */
      listMissing: (limit: number) =>
        Effect.map(
          assets(sql`
            SELECT a.id FROM assets a JOIN (
              SELECT asset_id FROM tracks WHERE source = 'house' AND category <> 'bed'
              UNION SELECT asset_id FROM music_variants WHERE fingerprint IS NULL
            ) made ON made.asset_id = a.id WHERE a.fingerprint IS NULL ORDER BY a.id LIMIT ${limit}`),
          (found) => found.map(({ id }) => id)
        ),
      /** Null: the sound can't be read, now or later. */
      keep: (id: AssetId, fingerprint: Uint8Array | null) =>
        run(sql`UPDATE assets SET fingerprint = ${fingerprint ?? new Uint8Array(0)} WHERE id = ${id}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
