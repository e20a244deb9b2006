import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import { SqlClient } from "effect/sql"

export const adjectives =
  "copper salt winter paper hollow silver quiet broken amber northern velvet rusty drowned painted second burning wooden patient tidal crooked".split(
    " "
  )
export const nouns =
  "kettle harbour lantern bell engine letter bridge orchard signal ferry clock garden tunnel anchor choir lighthouse violin breakwater market staircase".split(
    " "
  )
export const places =
  "breakwater quay mill station market tower chapel cinema library observatory cellar bakery depot theatre island valley".split(
    " "
  )
const fillers =
  "nobody remembers when it was first heard but agents return to it at night whenever the tide turns and somebody asks who keeps the light burning there".split(
    " "
  )
export const idOf = (n: number): string => `lore_${String(n).padStart(26, "0")}`

/** Entries with a version each, most of them canonical, with words drawn from the same lists, so that every query has many matches. */
export const addLore = (url: Redacted.Redacted, entries: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pick = (words: ReadonlyArray<string>, by: number) =>
      sql`(${JSON.stringify(words)}::text::jsonb)->>((n::bigint * ${by} % 99991 % ${words.length})::int)`
    const said = Array.from({ length: 12 }, (_, at) => pick([...fillers, ...nouns], 7_919 + 2 * at))
    yield* sql`
      INSERT INTO lore_entries (id, command_key, category, title, summary, refs, status, operational, topics, reference_count, canonical_since, created_at, updated_at)
      SELECT 'lore_' || lpad(n::text, 26, '0'), 'k' || n, (ARRAY['milestone', 'rivalry', 'recurring_bit', 'joke', 'moment', 'fact'])[1 + n % 6],
        initcap(concat_ws(' ', 'the', ${pick(adjectives, 31)}, ${pick(nouns, 57)}, 'of the', ${pick(places, 101)}, n)),
        concat_ws(' ', 'The', ${pick(adjectives, 31)}, ${pick(nouns, 57)}, ${sql.csv(said)}) || '.', '[]',
        CASE n % 20 WHEN 0 THEN 'proposed' WHEN 1 THEN 'disputed' WHEN 2 THEN 'retired' WHEN 3 THEN 'rejected' ELSE 'canonical' END, n % 200 = 7,
        jsonb_build_array(${pick(places, 13)}, ${pick(nouns, 17)}), n % 9, at, at, at
      FROM (SELECT n, timestamptz '2026-01-01Z' + n * interval '1 minute' AS at FROM generate_series(1, ${entries}::int) n) numbered`
    yield* sql`
      INSERT INTO lore_versions (entry_id, version, title, summary, edited_by, edited_at) SELECT id, 1, title, summary, NULL, created_at FROM lore_entries`
    yield* sql`VACUUM (ANALYZE) lore_entries`
    yield* sql`VACUUM (ANALYZE) lore_versions`
  }).pipe(Effect.provide(PgClient.layer({ url })))
