import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { sealOf } from "../../../actors/air/AsRunAudit.ts"
import { type Fact, makeAsRunWriter } from "../../../actors/air/AsRunWriter.ts"
import { asRunQueuedMax, factRetryMs, factTriesMax } from "../../../engine/rules/air/limits.ts"
import { AsRunKey } from "../../../engine/runtime/AsRunKey.ts"
import { AsRunWriter } from "../../../engine/store/air/AsRun.ts"
import type { AirStatus } from "../../../schema/air/Air.ts"
import { AsRunBody } from "../../../schema/air/AsRun.ts"
import { RundownItem } from "../../../schema/air/Rundown.ts"
import { checkAccounted } from "../../support/air/Accounted.ts"
import { airable, testId } from "../../support/air/Airables.ts"
import { makeMemoryStore, type MemoryStore } from "../../support/air/MemoryStore.ts"
import { filesIn, noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

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
/** The writer of one process, which finds this in its mixer; it runs until its scope closes. */
const startWriter = Effect.fnUntraced(function* (
  store: MemoryStore,
  alert: (detail: string) => Effect.Effect<void> = () => Effect.void,
  refuse: Effect.Effect<void> = Effect.void,
  found: Partial<AirStatus> = {},
  held: { readonly fence: number; readonly since: number | null } = { fence: 1, since: null }
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
    seal: sealOf(Context.get(context, AsRunKey), held.fence),
    heldSince: held.since,
    alert
  }).pipe(Effect.provideContext(context))
  yield* Effect.orDie(writer.recover(found))
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

  it.effect("closes an item that ended before a takeover, while an older one goes on", () =>
    Effect.gen(function* () {
      const store = makeMemoryStore()
      const open = (n: number, fromSec: number, lengthSec: number) => {
        const item = new RundownItem({
          id: testId("itm", n),
          airable: airable("music", n, lengthSec),
          placement: { _tag: "Flow" },
          startSample: fromSec * second,
          locked: false,
          trace: []
        })
        store.open.set(item.id, { item, firstSample: item.startSample, asOfSample: item.startSample, fence: 0 })
      }
      open(1, 0, 60)
      open(2, 20, 10)
      yield* startWriter(store, undefined, undefined, {
        sounding: [testId("itm", 1)],
        sentBefore: 50 * second,
        followedFrom: 40 * second
      })
      expect(store.asRun).toMatchObject([
        {
          itemId: testId("itm", 2),
          outcome: "complete",
          firstSample: 20 * second,
          lastSample: 30 * second - 1,
          // Its row follows, and leaves nothing out.
          stillSoundingFromSample: 0
        }
      ])
      expect([...store.open.keys()]).toEqual([testId("itm", 1)])
    })
  )

  for (const { name, since, stored } of [
    { name: "had the air in between, even if it logged nothing", since: 3, stored: ["song 0"] },
    { name: "had the air only before", since: 1, stored: ["song 0", "song 1", "song 2"] }
  ])
    it.effect(`keeps what it noted without the store out of the log if another process ${name}`, () =>
      Effect.gen(function* () {
        const store = makeMemoryStore()
        const cut = yield* Scope.make()
        const writer = yield* Scope.provide(startWriter(store), cut)
        yield* writer.note(heard(0))
        while (!(yield* writer.isWritten)) yield* pass(1)
        yield* pass(1)
        // Cut off, it can't know that it has lost the air, and goes on.
        store.down = true
        const voice = airable("segment", 9, 60)
        store.submit(voice, assetOf(voice))
        store.segments.get(voice.segmentId!)!.state = "scheduled"
        const item = new RundownItem({
          id: testId("itm", 9),
          airable: voice,
          placement: { _tag: "Flow" },
          startSample: 3 * second,
          locked: false,
          trace: []
        })
        yield* writer.note(heard(1))
        yield* writer.note(heard(2))
        yield* writer.note({ _tag: "Opened", item, firstSample: 3 * second, asOfSample: 3 * second })
        yield* pass(1)
        yield* Scope.close(cut, Exit.void)
        store.down = false
        store.fence = 4
        yield* startWriter(store, undefined, undefined, {}, { fence: 4, since })
        const isOurs = since === 1
        expect(titles(store).slice(0, 3)).toEqual(stored)
        expect(store.asRun.some(({ itemId }) => itemId === item.id)).toBe(isOurs)
        expect(store.segments.get(voice.segmentId!)!.moves.length > 0).toBe(isOurs)
        expect(store.open.size).toBe(0)
        // Nothing is lost: a file beside the journal has it.
        const aside = store.files.get("/var/as-run.ndjson.superseded") ?? ""
        expect(aside.match(/"notedUnder":1/g) ?? []).toHaveLength(isOurs ? 0 : 3)
        expect(store.files.get("/var/as-run.ndjson")).toBe("")
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
