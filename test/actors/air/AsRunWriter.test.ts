import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { sealOf } from "../../../actors/air/AsRunAudit.ts"
import { type Fact, makeAsRunWriter } from "../../../actors/air/AsRunWriter.ts"
import { asRunQueuedMax, factRetryMs, factTriesMax } from "../../../engine/rules/air/limits.ts"
import { AsRunKey } from "../../../engine/runtime/AsRunKey.ts"
import { AsRunWriter } from "../../../engine/store/air/AsRun.ts"
import { AsRunBody } from "../../../schema/air/AsRun.ts"
import { checkAccounted } from "../../support/air/Accounted.ts"
import { testId } from "../../support/air/Airables.ts"
import { makeMemoryStore, type MemoryStore } from "../../support/air/MemoryStore.ts"
import { filesIn, noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { makeStudioDouble } from "../../support/air/StudioDouble.ts"

const second = 48_000
/** An event: second n of the air was heard. */
const heard = (n: number): Fact => ({
  _tag: "Heard",
  body: new AsRunBody({
    seq: 0,
    stationId: "stn_test",
    fence: 1,
    itemId: testId("itm", n),
    kind: "music",
    role: "music",
    title: `song ${n}`,
    artist: null,
    segmentId: null,
    trackId: null,
    agentId: null,
    assetId: null,
    firstSample: n * second,
    lastSample: (n + 1) * second - 1,
    outcome: "complete",
    layers: [],
    trace: [],
    pcmSha256: null
  }),
  item: null,
  sinceSample: n * second,
  goesOn: false
})
/** The writer of one process; it runs until its scope closes. */
const startWriter = Effect.fnUntraced(function* (
  store: MemoryStore,
  alert: (detail: string) => Effect.Effect<void> = () => Effect.void,
  refuse: Effect.Effect<void> = Effect.void
) {
  const base = yield* Layer.build(Layer.mergeAll(store.layer, AsRunKey.ephemeral, filesIn(store.files)))
  const asRun = Context.get(base, AsRunWriter)
  const context = Context.add(base, AsRunWriter, {
    ...asRun,
    append: (...asked) => Effect.andThen(refuse, asRun.append(...asked))
  })
  const writer = yield* makeAsRunWriter({
    stationId: "stn_test",
    journalPath: "/var/as-run.ndjson",
    seal: sealOf(Context.get(context, AsRunKey), 1),
    alert
  }).pipe(Effect.provideContext(context))
  yield* Effect.orDie(writer.recover([], null))
  yield* Effect.forkScoped(writer.serve)
  return writer
})
const titles = (store: MemoryStore) => store.asRun.map(({ title }) => title)
const songs = (count: number) => Array.from({ length: count }, (_, n) => `song ${n}`)

describe("the writer of the as-run log", () => {
  it.effect(
    "keeps an hour without the store on disk, over a kill, then stores it once and in order",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const store = makeMemoryStore()
        const start = startPlayout({ store, studio: makeStudioDouble() })
        const first = yield* Scope.make()
        const { air } = yield* Scope.provide(start, first)
        yield* pass(60)
        const known = store.asRun.length
        store.down = true
        yield* pass(3_600)
        expect(store.asRun.length).toBe(known)
        yield* Scope.close(first, Exit.void)
        // While the store is unavailable, a start fails and leaves the waiting entries unchanged.
        const waiting = new Map(store.files)
        expect((yield* Effect.exit(Effect.scoped(start)))._tag).toBe("Failure")
        expect(store.files).toEqual(waiting)
        store.down = false
        yield* start
        yield* pass(20)
        const spans = air.spans.filter((span) => span.itemId !== null)
        expect(spans.length).toBeGreaterThan(15)
        const rows = spans.map((span) => store.asRun.filter((row) => row.itemId === span.itemId))
        expect(rows.map(({ length }) => length)).toEqual(spans.map(() => 1))
        expect(rows.map(([row]) => [row!.firstSample, row!.lastSample])).toEqual(
          spans.map((span) => [span.firstSample, span.lastSample])
        )
        checkAccounted(store.asRun)
      }),
    300_000
  )

  it.effect("keeps more facts than fit in memory, over a kill, once and in order", () =>
    Effect.gen(function* () {
      const store = makeMemoryStore()
      const count = asRunQueuedMax + 40
      store.down = false
      const killed = yield* Scope.make()
      const writer = yield* Scope.provide(startWriter(store), killed)
      store.down = true
      for (let n = 0; n < count - 20; n++) yield* writer.note(heard(n))
      expect(yield* writer.isWritten).toBe(false)
      yield* Scope.close(killed, Exit.void)
      store.down = false
      const next = yield* startWriter(store)
      expect(titles(store)).toEqual(songs(count - 20))
      for (let n = count - 20; n < count; n++) yield* next.note(heard(n))
      while (!(yield* next.isWritten)) yield* pass(1)
      yield* pass(1)
      expect(titles(store)).toEqual(songs(count))
      expect([...store.files.values()].join("")).toBe("")
    })
  )

  it.effect("continues with the journal after its memory was full, and with later facts", () =>
    Effect.gen(function* () {
      const store = makeMemoryStore()
      const writer = yield* startWriter(store)
      store.down = true
      const count = asRunQueuedMax + 20
      for (let n = 0; n < count; n++) yield* writer.note(heard(n))
      store.down = false
      yield* pass(5)
      for (let n = count; n < count + 5; n++) yield* writer.note(heard(n))
      while (!(yield* writer.isWritten)) yield* pass(1)
      yield* pass(1)
      expect(titles(store)).toEqual(songs(count + 5))
      expect([...store.files.values()].join("")).toBe("")
    })
  )

  it.effect("keeps facts that the store refuses for long, and alerts operators once", () =>
    Effect.gen(function* () {
      const store = makeMemoryStore()
      const alerts: Array<string> = []
      let refusals = 3 * factTriesMax
      const writer = yield* startWriter(
        store,
        (detail) => Effect.sync(() => void alerts.push(detail)),
        Effect.suspend(() => (refusals-- > 0 ? Effect.die(new Error("statement timeout")) : Effect.void))
      )
      for (let n = 0; n < 3; n++) yield* writer.note(heard(n))
      yield* pass((2 * factTriesMax * factRetryMs) / 1_000)
      expect(titles(store)).toEqual([])
      expect(alerts).toHaveLength(1)
      yield* pass((2 * factTriesMax * factRetryMs) / 1_000)
      expect(titles(store)).toEqual(songs(3))
      expect(alerts).toHaveLength(1)
    })
  )
})
