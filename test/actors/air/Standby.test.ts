import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { standbyLive } from "../../../actors/air/Standby.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { AirStandby } from "../../../engine/ports/AirStandby.ts"
import { CurrentAirOwnership, LeasedAir } from "../../../engine/ports/AirOwnership.ts"
import { stageAheadSec } from "../../../engine/rules/air/limits.ts"
import { AirStepsWriter } from "../../../engine/store/air/AirSteps.ts"
import { ItemLabel } from "../../../schema/air/Air.ts"
import { ScriptItem, ScriptLine, ScriptPlan, ScriptState } from "../../../schema/air/AirScript.ts"
import { airable, testId } from "../../support/air/Airables.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { pass } from "../../support/air/Playout.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

const second = 48_000
const songSec = 30
const songs = [1, 2, 3, 4, 5].map((n) => airable("music", n, songSec))
const item = (n: number) =>
  new ScriptItem({
    itemId: testId("itm", n),
    label: new ItemLabel({ title: `song ${n}`, artist: null, kind: "music" }),
    assetId: songs[n - 1]!.assetId,
    bedAssetId: null,
    startSample: (n - 1) * songSec * second,
    speech: false,
    trace: []
  })
/** The owner's plan of these songs, one after the other, from the first sample of the broadcast on. */
const line = (number: number, planned: ReadonlyArray<number>, owner = "owner") => {
  const plan = new ScriptPlan({ fence: 1, revision: number, entry: "boundary", items: planned.map(item) })
  const discontinuities = { aac128: 0, aac64: 0 }
  const state = new ScriptState({ plan, library: [], emergency: null, live: null, current: null, discontinuities })
  return new ScriptLine({ owner, number, step: { _tag: "Planned", plan, atSample: 0 }, state })
}

/** A follower on this disk, whose chain would begin in the middle of the second song. Staging a song takes three seconds. */
const enter = Effect.fnUntraced(function* (planned: ReadonlyArray<number>) {
  const store = makeMemoryStore()
  const studio = makeStudioDouble(1)
  for (const song of songs) store.assets.set(song.assetId, assetOf(song))
  const lines = [line(1, planned)]
  const chain = { begun: 0, follows: false, lacksSound: false, applied: 0 }
  const ownership = new LeasedAir(60_000, () => 0)
  const standby = Layer.succeed(
    AirStandby,
    AirStandby.of({
      steps: Stream.never,
      state: Effect.never,
      isFollowing: Effect.sync(() => chain.follows),
      lacksSound: Effect.sync(() => chain.lacksSound),
      figures: Effect.succeed({ lagMs: 500, isReady: true }),
      nextSample: Effect.succeed(45 * second),
      begin: () =>
        Effect.sync(() => Object.assign(chain, { begun: chain.begun + 1, follows: true, lacksSound: false })),
      follow: (steps) => Effect.sync(() => (chain.applied += steps.length) >= 0)
    })
  )
  const steps = Layer.mock(AirStepsWriter, {
    listAfter: (seq) => Effect.sync(() => lines.map((line, n) => ({ seq: n + 1, line })).filter((one) => one.seq > seq))
  })
  yield* Layer.build(
    standbyLive({ name: "standby" } as Parameters<typeof standbyLive>[0]).pipe(
      Layer.provide([standby, steps, store.layer, studio.layer, EventBus.layer])
    )
  ).pipe(Effect.provideService(CurrentAirOwnership, ownership))
  return { chain, lines, ownership, studio, store }
})

describe("a standby", () => {
  it.effect("begins once the sounds of the next minute are on its disk, and not before", () =>
    Effect.gen(function* () {
      const { chain } = yield* enter([1, 2, 3, 4, 5])
      // Of the second song, the third and the fourth. The first is over, and the fifth has time.
      yield* pass(8, 0.1)
      expect(chain.begun).toBe(0)
      yield* pass(2, 0.1)
      expect(chain.begun).toBe(1)
      yield* pass(20, 0.1)
      expect(chain.begun).toBe(1)
    })
  )

  it.effect("begins without a sound that can't be decoded, and with one that is unknown", () =>
    Effect.gen(function* () {
      const { chain, store, studio } = yield* enter([2, 3])
      studio.broken.set(songs[1]!.assetId, "truncated")
      store.assets.delete(songs[2]!.assetId)
      yield* pass(1, 0.1)
      expect(chain.begun).toBe(1)
    })
  )

  it.effect("doesn't follow what it did itself before it lost the air", () =>
    Effect.gen(function* () {
      const { chain, lines } = yield* enter([2])
      lines[0] = line(1, [2], "standby")
      yield* pass(5, 0.1)
      expect(chain.begun).toBe(0)
      lines.push(line(2, [2]))
      yield* pass(5, 0.1)
      expect(chain.begun).toBe(1)
    })
  )

  it.effect("begins anew once a sound that came after its item's start is there, but not again and again", () =>
    Effect.gen(function* () {
      const { chain, lines } = yield* enter([2])
      yield* pass(4, 0.1)
      expect(chain.begun).toBe(1)
      lines.push(line(2, [2, 3]))
      chain.lacksSound = true
      yield* pass(2, 0.1)
      expect([chain.begun, chain.applied]).toEqual([1, 1])
      yield* pass(2, 0.1)
      expect([chain.begun, chain.lacksSound]).toEqual([2, false])
      // The owner lacks it too.
      chain.lacksSound = true
      yield* pass(stageAheadSec - 5, 0.5)
      expect(chain.begun).toBe(2)
    })
  )

  it.effect("stages the sounds of a step that comes while it stages another", () =>
    Effect.gen(function* () {
      const { chain, lines, studio } = yield* enter([2, 3])
      const kept: Array<ReadonlySet<string>> = []
      studio.onPurge.push((keep) => kept.push(keep))
      yield* pass(4.5, 0.1)
      lines.push(line(2, [2, 3, 4]))
      // It follows once the second is there; then it stages the third.
      yield* pass(6, 0.1)
      expect(chain.begun).toBe(1)
      lines.push(line(3, [2, 3, 4, 5]))
      yield* pass(6, 0.1)
      expect([...kept.at(-1)!].toSorted()).toEqual([2, 3, 4, 5].map((n) => songs[n - 1]!.assetId))
      expect(kept).toHaveLength(4)
    })
  )

  it.effect("leaves staged sounds alone while it has the air, and looks again at each of them afterwards", () =>
    Effect.gen(function* () {
      const { chain, ownership, studio } = yield* enter([2])
      yield* pass(4, 0.1)
      expect(chain.begun).toBe(1)
      let purges = 0
      studio.onPurge.push(() => purges++)
      ownership.note(true, 2)
      yield* pass(10, 0.5)
      expect(purges).toBe(0)
      ownership.note(false, 3)
      chain.follows = false
      yield* pass(2, 0.1)
      // Its station may have removed the sound.
      expect(chain.begun).toBe(1)
      yield* pass(2, 0.1)
      expect(chain.begun).toBe(2)
    })
  )
})
