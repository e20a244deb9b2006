import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { loreShown } from "../engine/rules/lore/Lore.ts"
import { databaseAt } from "../engine/store/sql/Database.ts"
import { embeddedPostgres } from "../engine/store/sql/EmbeddedPostgres.ts"
import { Lore, type LoreFilter } from "../engine/store/lore/Lore.ts"
import { hash, quantile, type Report, type Row } from "./instruments/Report.ts"
import { runInFolder } from "./instruments/Station.ts"

const plans = { whole: { entries: 100_000, rounds: 500 }, small: { entries: 1_000, rounds: 20 } } as const

/** Reads before those that count. */
const warmRounds = 5
const adjectives =
  "copper salt winter paper hollow silver quiet broken amber northern velvet rusty drowned painted second burning wooden patient tidal crooked".split(
    " "
  )
const nouns =
  "kettle harbour lantern bell engine letter bridge orchard signal ferry clock garden tunnel anchor choir lighthouse violin breakwater market staircase".split(
    " "
  )
const places =
  "breakwater quay mill station market tower chapel cinema library observatory cellar bakery depot theatre island valley".split(
    " "
  )
const fillers =
  "nobody remembers when it was first heard but agents return to it at night whenever the tide turns and somebody asks who keeps the light burning there".split(
    " "
  )
const idOf = (n: number): string => `lore_${String(n).padStart(26, "0")}`

/** Entries with a version each, most of them canonical, with words drawn from the same lists, so that every query has many matches. */
const fill = (url: Redacted.Redacted, entries: number) =>
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

const all: LoreFilter = {
  category: null,
  topic: null,
  q: null,
  status: loreShown,
  operational: false,
  limit: 20,
  cursor: null
}

const measure = Effect.fnUntraced(function* ({ entries, rounds }: (typeof plans)["whole" | "small"]) {
  const lore = yield* Lore
  let turn = 0
  const next = (): number => Math.imul(++turn, 2_654_435_761) >>> 8
  const draw = <A>(of: ReadonlyArray<A>): A => of[next() % of.length]!
  const some = (): string => idOf(1 + (next() % entries))
  const reads: Readonly<Record<string, () => Effect.Effect<{ readonly length: number }, unknown>>> = {
    "query, two words": () => lore.search({ q: `${draw(adjectives)} ${draw(nouns)}`, topic: null, limit: 20 }),
    "query, one common word": () => lore.search({ q: draw(nouns), topic: null, limit: 20 }),
    "query, a title with an error": () =>
      lore.search({
        q: `the ${draw(adjectives)} ${draw(nouns).slice(1)} of the ${draw(places)}`,
        topic: null,
        limit: 20
      }),
    "query, words within a topic": () => lore.search({ q: draw(nouns), topic: draw(places), limit: 20 }),
    "query, a topic": () => lore.search({ q: null, topic: draw(places), limit: 20 }),
    "list, newest": () => listOf({}),
    "list, a page in the middle": () => listOf({ cursor: some() }),
    "list, a topic": () => listOf({ topic: draw(places) }),
    "list, a category of canonical entries": () => listOf({ category: "joke", status: ["canonical"] }),
    "list, two words": () => listOf({ q: `${draw(adjectives)} ${draw(nouns)}` }),
    "list, words that nothing has": () => listOf({ q: "quixotic zeppelin" }),
    entry: () => Effect.map(lore.find(some()), (found) => (found === null ? [] : [found]))
  }
  const listOf = (filter: Partial<LoreFilter>) =>
    Effect.map(lore.list({ ...all, ...filter }), (page) => page?.records ?? [])
  const rows: Array<Row> = []
  const worst: Record<string, number> = {}
  const counted: Array<string> = []
  for (const [what, read] of Object.entries(reads)) {
    const took: Array<number> = []
    let found = 0
    for (let round = -warmRounds; round < rounds; round++) {
      const begun = performance.now()
      const { length } = yield* read()
      if (round >= 0) took.push(performance.now() - begun)
      found += length
    }
    counted.push(`${what} ${found}`)
    const kind = what.split(",")[0]!
    worst[kind] = Math.max(worst[kind] ?? 0, quantile(took, 0.99))
    for (const q of [0.5, 0.99]) rows.push({ what: `${what}, p${q * 100}`, unit: "ms", values: [quantile(took, q)] })
    rows.push({ what: `${what}, found`, unit: "a read", values: [found / (rounds + warmRounds)] })
  }
  return {
    bench: "lore",
    rows: [{ what: "entries", unit: "", values: [entries] }, ...rows],
    goals: Object.entries(worst).map(([kind, ms]) => ({
      name: `${kind} among ${entries} entries, worst p99 (ms)`,
      limit: 100,
      direction: "at most" as const,
      value: ms
    })),
    computed: hash(counted.join("\n"))
  } satisfies Report
})

/** Reads of the lore in a database of its own, as the API makes them. */
export const run = (size: "whole" | "small"): Promise<Report> =>
  runInFolder((folder) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const own = yield* embeddedPostgres(folder)
          const layer = Lore.layer.pipe(Layer.provideMerge(databaseAt(own)))
          yield* Effect.provide(Effect.void, layer)
          yield* fill(own, plans[size].entries)
          return yield* Effect.provide(measure(plans[size]), layer)
        })
      ).pipe(Effect.provide(NodeServices.layer))
    )
  )
