import { describe, expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { sealOf } from "../../../../actors/air/AsRunAudit.ts"
import { AsRunKey } from "../../../../engine/runtime/AsRunKey.ts"
import { emptyRundown, revise } from "../../../../engine/rules/air/Rundown.ts"
import { sampleOf } from "../../../../schema/time/Samples.ts"
import { AsRun, AsRunWriter } from "../../../../engine/store/air/AsRun.ts"
import { Rundowns, RundownsWriter } from "../../../../engine/store/air/Rundowns.ts"
import type { AsRunEntry } from "../../../../schema/air/AsRun.ts"
import { RundownItem } from "../../../../schema/air/Rundown.ts"
import { airable, testId } from "../../../support/air/Airables.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

const base = sampleOf(Date.UTC(2026, 10, 20, 12))
const item = new RundownItem({
  id: testId("itm", 1),
  airable: airable("music", 1, 60),
  placement: { _tag: "Flow" },
  startSample: base,
  locked: false,
  trace: ["rotation"]
})
const entry = (n: number): AsRunEntry => ({
  itemId: testId("itm", n),
  kind: "music",
  role: "music",
  title: "a song",
  artist: null,
  segmentId: null,
  trackId: null,
  agentId: null,
  assetId: testId("mas", n),
  firstSample: base + n * 48_000,
  lastSample: base + (n + 1) * 48_000 - 1,
  outcome: "complete",
  layers: [],
  trace: [],
  pcmSha256: "ab"
})
const tables = ["rundowns", "as_run", "as_run_open", "as_run_roots", "as_run_heads"] as const
layer(Layer.mergeAll(AsRun.layer, Rundowns.layer, AsRunKey.ephemeral).pipe(Layer.provideMerge(TestPostgres)), {
  timeout: 300_000
})("the fence", (it) => {
  describe("of a station that was taken over", () => {
    it.effect("is enforced by the database at every write, even before the new incarnation has written", () =>
      Effect.gen(function* () {
        const asRun = yield* AsRunWriter
        const rundowns = yield* RundownsWriter
        const sql = yield* SqlClient.SqlClient
        const key = yield* AsRunKey
        const everything = Effect.forEach(tables, (table) => sql`SELECT * FROM ${sql.literal(table)}`)
        yield* sql`INSERT INTO stations (id, slug, fence) VALUES ('s', 's', 4)`
        const rundown = revise(emptyRundown("s"), { onAir: item })
        yield* rundowns.save(rundown, 4)
        // An hour between the two, so that a root is due.
        yield* asRun.append("s", [entry(1), entry(3_700)], sealOf(key, 4))
        yield* asRun.open("s", { item, firstSample: base, asOfSample: base }, 4)

        // The next owner has only taken its token; the old one was frozen and resumes.
        yield* sql`UPDATE stations SET fence = 5`
        const before = yield* everything
        const late = [
          rundowns.save(revise(rundown, { onAir: null }), 4),
          asRun.append("s", [entry(3_701)], sealOf(key, 4)),
          asRun.seal("s", sealOf(key, 4)),
          asRun.open("s", { item, firstSample: base, asOfSample: base + 48_000 }, 4)
        ]
        for (const write of late)
          expect((yield* Effect.flip(write as Effect.Effect<unknown, { readonly _tag: string }>))._tag).toBe(
            "FenceLost"
          )
        expect(yield* everything).toEqual(before)

        // All of the above was refused only because of the owner.
        yield* rundowns.save(revise(rundown, { onAir: null }), 5)
        yield* asRun.append("s", [entry(3_701)], sealOf(key, 5))
        expect(yield* asRun.seal("s", sealOf(key, 5))).toBe(true)
        yield* asRun.open("s", { item, firstSample: base, asOfSample: base + 48_000 }, 5)
        expect(yield* asRun.roots("s", 10)).toHaveLength(1)
        expect((yield* asRun.end("s")).signed!.seq).toBe((yield* asRun.end("s")).last.seq)
        expect((yield* rundowns.load("s"))!.onAir).toBeNull()
      })
    )
  })
})
