import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Assets } from "../../../../engine/store/sound/Assets.ts"
import marks from "../../../../engine/store/sql/migrations/0050-0099/0087_synthetic_marks.ts"
import type { AssetId } from "../../../../schema/Ids.ts"
import { Asset } from "../../../../schema/Sound.ts"
import { airable, testId } from "../../../support/air/Airables.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"
import { assetOf } from "../../../support/air/StudioDouble.ts"

const iptc = "http://cv.iptc.org/newscodes/digitalsourcetype"
const id = (n: number) => testId("mas", n) as AssetId
const algorithmic = { digitalSourceType: `${iptc}/algorithmicMedia`, generator: "eSpeak NG" } as const

layer(Assets.layer.pipe(Layer.provideMerge(TestPostgres)), { timeout: 300_000, excludeTestServices: true })(
  "marks of sounds",
  (it) => {
    it.effect("are stored, changed, and listed until the files have them", () =>
      Effect.gen(function* () {
        const assets = yield* Assets
        const [first, second] = [
          { ...algorithmic, disclosure: "AI voice." },
          { ...algorithmic, disclosure: "AI voice. Another." }
        ]
        const made = new Asset({ ...assetOf({ ...airable("segment", 1, 30), assetId: id(1) }), synthetic: first })
        const plain = assetOf({ ...airable("segment", 2, 30), assetId: id(2) })
        yield* Effect.forEach([made, plain], assets.save)
        expect([
          (yield* assets.find(id(1)))?.synthetic,
          (yield* assets.find(id(2)))?.synthetic,
          [...(yield* assets.marks([id(1), id(2)]))],
          yield* assets.listUnmarked(null, 10)
        ]).toEqual([first, null, [[id(1), first]], []])
        yield* assets.mark(id(1), first)
        expect(yield* assets.listUnmarked(null, 10)).toEqual([])
        yield* Effect.forEach([id(1), id(2)], (one) => assets.mark(one, second))
        expect((yield* assets.listUnmarked(null, 1)).map((one) => [one.id, one.synthetic])).toEqual([[id(1), second]])
        expect((yield* assets.listUnmarked(id(1), 10)).map((one) => one.id)).toEqual([id(2)])
        // The stored mark differs from the present one.
        yield* assets.setMarked({ ...made, synthetic: first })
        yield* assets.setMarked({ ...plain, synthetic: second })
        expect((yield* assets.listUnmarked(null, 10)).map((one) => one.id)).toEqual([id(1)])
        yield* assets.mark(id(1), null)
        expect((yield* assets.listUnmarked(null, 10)).map(({ synthetic }) => synthetic)).toEqual([null])
      })
    )

    it.effect("are added to older sounds as they would have been", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const assets = yield* Assets
        const found = yield* sql
          .withTransaction(
            Effect.gen(function* () {
              yield* sql`DELETE FROM assets`
              const kinds = [
                "bed",
                "music",
                "ident",
                "speech",
                "speech",
                "speech",
                "music",
                "speech",
                "speech",
                "speech",
                "speech"
              ] as const
              yield* Effect.forEach(kinds, (kind, n) =>
                assets.save(new Asset({ ...assetOf({ ...airable("segment", n, 30), assetId: id(10 + n) }), kind }))
              )
              yield* sql`INSERT INTO agents (id, handle, persona, status, requested_scopes, created_at, claim_expires_at) VALUES ('agt_wren', 'wren', '{}', 'active', '[]', now(), now())`
              yield* sql`INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, source, rotation_class, created_at, updated_at)
        VALUES ('trk_1', ${id(11)}, 't', 'a', 'jazz', 'song', true, 180, 'approved', 'house', 'house', now(), now())`
              yield* sql`INSERT INTO house_pieces (name, role, airable) VALUES ('ident:1', 'ident', ${JSON.stringify({ assetId: id(12) })}::text::jsonb)`
              for (const [n, engine, category] of [
                [13, "PRIMARY", "news"],
                [14, "UPLOAD", "news"],
                [15, "HOUSE", "panel"]
              ] as const)
                yield* sql`
        INSERT INTO segments (id, command_key, agent_id, handle, display_name, lane, topic_ids, category, title, script_text, display_text, body_hash, status, status_changed_at, is_first_air, flags, audio_status, asset_id, engine,
          bed_status, word_count, created_at, updated_at)
        VALUES (${testId("seg", n)}, ${String(n)}, 'agt_wren', 'wren', 'Wren', 'speech', '[]', ${category}, 't', '', '', '', 'aired', now(), false, '[]', 'ready', ${id(n)}, ${engine}, 'not_selected', 1, now(), now())`
              yield* sql`INSERT INTO panel_recordings (session_id, asset_id, body) VALUES ('ses_1', ${id(15)}, ${JSON.stringify({ bedStatus: "used", turns: [{ handle: "wren" }, { handle: "bo" }, { handle: "wren" }] })}::text::jsonb)`
              for (const [n, purpose, rights, said] of [
                [14, "speech", "own_work", "Spoken by a model."],
                [16, "music", "generated", null],
                [17, "speech", "own_work", "None."]
              ] as const)
                yield* sql`
        INSERT INTO uploads (id, agent_id, purpose, status, file_name, content_type, byte_size, asset_id, rights_declaration, synthetic_disclosure, created_at)
        VALUES (${`upl_${n}`}, 'agt_wren', ${purpose}, 'approved', 'f', 'audio/wav', 1, ${id(n)}, ${rights}, ${said}, now())`
              yield* sql`INSERT INTO clips (id, command_key, segment_id, asset_id, status, body, created_at) VALUES ('clip_1', 'c', ${testId("seg", 15)}, ${id(18)}, 'ready', ${JSON.stringify({ sourceAssetId: id(15) })}::text::jsonb, now())`
              yield* sql`DROP INDEX assets_unmarked`
              yield* sql`ALTER TABLE assets DROP COLUMN synthetic, DROP COLUMN marked`
              yield* marks
              const rows = yield* sql<{
                id: string
                synthetic: object | null
                marked: boolean
              }>`SELECT id, synthetic, marked FROM assets ORDER BY id`
              return yield* Effect.fail(rows)
            })
          )
          .pipe(Effect.flip)
        const composed = {
          digitalSourceType: `${iptc}/algorithmicMedia`,
          generator: "Longwave composer",
          disclosure: "Composed by the station. A program wrote and plays it."
        }
        const panel = {
          digitalSourceType: `${iptc}/compositeSynthetic`,
          generator: "eSpeak NG, Longwave composer",
          disclosure:
            "AI voice. Spoken by a speech synthesizer for the station and for the AI agents @bo, @wren. Composed by the station. A program wrote and plays it."
        }
        const uploaded = {
          digitalSourceType: `${iptc}/trainedAlgorithmicMedia`,
          generator: "not stated (uploaded by @wren)"
        }
        expect(
          (found as ReadonlyArray<{ synthetic: object | null; marked: boolean }>).map(({ marked, synthetic }) => [
            synthetic,
            marked
          ])
        ).toEqual([
          [composed, false],
          [composed, false],
          [{ ...algorithmic, disclosure: "AI voice. Spoken by a speech synthesizer for the station." }, false],
          [{ ...algorithmic, disclosure: "AI voice. Spoken by a speech synthesizer for the AI agent @wren." }, false],
          [
            { ...uploaded, disclosure: "AI voice. Uploaded by the AI agent @wren, who says: Spoken by a model." },
            false
          ],
          [panel, false],
          [{ ...uploaded, disclosure: "AI music. Uploaded by the AI agent @wren, who declares it generated." }, false],
          [null, true],
          [panel, false],
          [null, true],
          [null, true]
        ])
      })
    )
  }
)
