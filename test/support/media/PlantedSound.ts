import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync } from "node:fs"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { mediaPaths } from "../../../media/storage/MediaStore.ts"
import type { AssetId, TrackId } from "../../../schema/Ids.ts"
import type { Asset } from "../../../schema/Sound.ts"
import { prepareIn, synthesize, temporaryFolder } from "./Media.ts"
import { inDatabaseOf } from "../sql/OwnDatabase.ts"
import { bundledFfmpeg } from "./Sound.ts"

/** Writes a tone into a running station's folder of masters, as long as the asset says. */
export const plantTone = (dataDir: string, { id, lengthSamples }: Asset): void => {
  mkdirSync(mediaPaths(dataDir).media, { recursive: true })
  execFileSync(bundledFfmpeg, [
    "-v",
    "error",
    "-f",
    "lavfi",
    "-i",
    "sine=frequency=440:sample_rate=48000",
    "-t",
    String(lengthSamples / 48_000),
    "-ac",
    "2",
    "-c:a",
    "flac",
    mediaPaths(dataDir).masterOf(id)
  ])
}

export const keepAssets = (assets: ReadonlyArray<Asset>) =>
  Effect.provide(
    Effect.flatMap(Assets, (store) => Effect.forEach(assets, store.save)),
    Assets.layer
  )

/** A song in the library whose sound is `asset`. */
export const shelve = (
  sql: SqlClient.SqlClient,
  { assetId, trackId }: { readonly assetId: AssetId; readonly trackId: TrackId },
  title: string,
  artist: string,
  durationSec: number
) => sql`
  INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, source, rotation_class, created_at, updated_at)
  VALUES (${trackId}, ${assetId}, ${title}, ${artist}, 'jazz', 'song', true, ${durationSec}, 'approved', 'house', 'house', now(), now())`

const warble = (t: number): number =>
  0.3 * Math.sin(2 * Math.PI * (220 * t + 20 * Math.sin(2 * t))) * (1 + 0.5 * Math.sin(5 * t))

/**
 * Twenty tones a second, the same for each seed and different at every moment: an encoder preserves their waveform, unlike that
 * of noise. Read sample by sample.
 */
export const tuneOf = (seed: number): ((t: number) => number) => {
  let state = Math.imul(seed, 0x9e3779b9)
  let [phase, formerT, changedT, hz] = [0, 0, -1, 0]
  return (t) => {
    if (t - changedT >= 0.05) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      ;[changedT, hz] = [t, 150 + ((state >>> 0) % 500)]
    }
    phase += 2 * Math.PI * hz * (t - formerT)
    formerT = t
    return 0.3 * Math.sin(phase)
  }
}

/** A song of this length that a running station need not make first, mastered like all aired sound. */
export const plantSong = (
  dataDir: string,
  { id, title, trackId }: { readonly id: AssetId; readonly title: string; readonly trackId: TrackId },
  durationSec: number,
  sound: (t: number) => number = warble
): Promise<unknown> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const elsewhere = yield* temporaryFolder
        const raw = synthesize(durationSec, sound)
        // Speech may end over the beginning of a song that is long enough.
        const introEndMs = durationSec > 20 ? 8_000 : null
        const asset = yield* Effect.flatMap(prepareIn(elsewhere), (store) =>
          store.prepare({ id, kind: "music", raw, role: "HOUSE", introEndMs, segueMs: null, synthetic: null })
        )
        const [from, to] = [mediaPaths(elsewhere), mediaPaths(dataDir)]
        mkdirSync(to.media, { recursive: true })
        for (const path of ["masterOf", "copyOf"] as const) cpSync(from[path](id), to[path](id))
        yield* Effect.promise(() =>
          inDatabaseOf(dataDir, (sql) =>
            Effect.andThen(keepAssets([asset]), shelve(sql, { assetId: id, trackId }, title, "somebody", durationSec))
          )
        )
      })
    )
  )
