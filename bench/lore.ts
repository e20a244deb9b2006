import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { loreShown } from "../engine/rules/lore/Lore.ts"
import { databaseAt } from "../engine/store/sql/Database.ts"
import { embeddedPostgres } from "../engine/store/sql/EmbeddedPostgres.ts"
import { Lore, type LoreFilter } from "../engine/store/lore/Lore.ts"
import { addLore, adjectives, idOf, nouns, places } from "./instruments/data/LargeLore.ts"
import { hash, quantile, type Report, type Row } from "./instruments/Report.ts"
import { runInFolder } from "./instruments/servers/Station.ts"

const plans = { whole: { entries: 100_000, rounds: 500 }, small: { entries: 1_000, rounds: 20 } } as const

/** Reads before those that count. */
const warmRounds = 5
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
          yield* addLore(own, plans[size].entries)
          return yield* Effect.provide(measure(plans[size]), layer)
        })
      ).pipe(Effect.provide(NodeServices.layer))
    )
  )
