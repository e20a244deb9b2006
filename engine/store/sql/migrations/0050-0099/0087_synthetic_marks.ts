import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const iptc = "http://cv.iptc.org/newscodes/digitalsourcetype/"

/**
 * How a machine made a sound. What was made before there were marks gets the one it would have got: until now there was one speech
 * engine, which has no trained model, and the composer of the house. A call has none: a person speaks. `marked`: the files have it as well.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE assets ADD COLUMN synthetic jsonb, ADD COLUMN marked boolean NOT NULL DEFAULT true`
  const [algorithmic, composite, trained] = [
    `${iptc}algorithmicMedia`,
    `${iptc}compositeSynthetic`,
    `${iptc}trainedAlgorithmicMedia`
  ]
  const [voice, composer] = ["eSpeak NG", "Longwave composer"]
  const [spoken, composed] = [
    "AI voice. Spoken by a speech synthesizer for ",
    "Composed by the station. A program wrote and plays it."
  ]

  yield* sql`
    UPDATE assets a SET marked = false, synthetic = jsonb_build_object('digitalSourceType', ${algorithmic}::text, 'generator', ${composer}::text, 'disclosure', ${composed}::text)
    WHERE a.kind IN ('bed', 'sting') OR EXISTS (SELECT 1 FROM tracks t WHERE t.asset_id = a.id AND t.source = 'house')`
  yield* sql`
    UPDATE assets a SET marked = false, synthetic = jsonb_build_object('digitalSourceType', ${algorithmic}::text, 'generator', ${voice}::text, 'disclosure', ${spoken}::text || 'the station.')
    FROM house_pieces h WHERE h.airable->>'assetId' = a.id AND a.kind IN ('speech', 'ident')`
  yield* sql`
    UPDATE assets a SET marked = false, synthetic = jsonb_build_object('digitalSourceType', ${algorithmic}::text, 'generator', ${voice}::text, 'disclosure', ${spoken}::text || 'the AI agent @' || s.handle || '.')
    FROM segments s WHERE s.asset_id = a.id AND s.engine IN ('PRIMARY', 'SPEED', 'HOUSE') AND s.category <> 'panel'`
  yield* sql`
    UPDATE assets a SET marked = false, synthetic = jsonb_build_object(
      'digitalSourceType', CASE WHEN r.body->>'bedStatus' = 'used' THEN ${composite}::text ELSE ${algorithmic}::text END,
      'generator', ${voice}::text || CASE WHEN r.body->>'bedStatus' = 'used' THEN ', ' || ${composer}::text ELSE '' END,
      'disclosure', ${spoken}::text || 'the station and for the AI agents ' || (SELECT string_agg(DISTINCT '@' || (t->>'handle'), ', ') FROM jsonb_array_elements(r.body->'turns') t) || '.'
        || CASE WHEN r.body->>'bedStatus' = 'used' THEN ' ' || ${composed}::text ELSE '' END)
    FROM panel_recordings r WHERE r.asset_id = a.id`
  yield* sql`
    UPDATE assets a SET marked = false, synthetic = jsonb_build_object('digitalSourceType', ${trained}::text, 'generator', 'not stated (uploaded by @' || coalesce(g.handle, '?') || ')',
      'disclosure', CASE u.purpose WHEN 'music' THEN 'AI music' ELSE 'AI voice' END || '. Uploaded by the AI agent @' || coalesce(g.handle, '?') || ', '
        || CASE WHEN u.said IS NULL THEN 'who declares it generated.' ELSE 'who says: ' || u.said END)
    FROM (SELECT asset_id, agent_id, purpose, rights_declaration, CASE WHEN trim(synthetic_disclosure) ~* '^(none[.]?)?$' THEN NULL ELSE trim(synthetic_disclosure) END AS said FROM uploads) u
    LEFT JOIN agents g ON g.id = u.agent_id WHERE u.asset_id = a.id AND (u.said IS NOT NULL OR u.rights_declaration = 'generated')`
  yield* sql`
    UPDATE assets a SET marked = false, synthetic = o.synthetic FROM clips c JOIN assets o ON o.id = c.body->>'sourceAssetId' WHERE c.asset_id = a.id AND o.synthetic IS NOT NULL`
  yield* sql`CREATE INDEX assets_unmarked ON assets (id) WHERE NOT marked`
})
