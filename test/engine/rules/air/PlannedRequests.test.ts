import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { songRequestArtistMs, songRequestTrackMs, songRequestsPerHourMax } from "../../../../engine/rules/air/limits.ts"
import { weekFrom } from "../../../../engine/rules/time/WeekSchedule.ts"
import { compose, type PlanAsk, playOf, type Pool } from "../../../../engine/rules/air/Planner.ts"
import { defaultRotation } from "../../../../engine/rules/air/Rotation.ts"
import { msOf, sampleOf } from "../../../../schema/time/Samples.ts"
import { faultsIn } from "../../../../engine/rules/air/ItemSequence.ts"
import { airable, candidate, testId } from "../../../support/air/Airables.ts"

const now = Date.UTC(2026, 5, 3, 9, 41, 17)
const hour = 3_600_000
const pool: Pool = {
  music: Array.from({ length: 30 }, (_, i) => candidate(i, 120 + ((i * 37) % 90))),
  idents: [4, 5, 6].map((sec, i) => airable("ident", 100 + i, sec)),
  hourCalls: Array.from({ length: 24 }, (_, at) => ({ hour: at, airable: airable("hour_call", 200 + at, 5) })),
  beds: [airable("bed", 400, 45)]
}
const ask = (more: Partial<PlanAsk> = {}): PlanAsk => ({
  nowMs: now,
  zone: "Europe/Berlin",
  week: weekFrom([], 0),
  rules: defaultRotation(3),
  turn: 0,
  cursor: { atSample: sampleOf(now), previous: null, voiceFreeSample: 0 },
  kept: [],
  queued: [],
  pool,
  plays: [],
  held: false,
  untilSample: sampleOf(now + 1_800_000),
  itemsMin: 14,
  ...more
})
/** Songs outside the rotation; some of their artists are in it. */
const wish = (n: number, house: boolean) => ({
  songRequestIds: [testId("sreq", n)],
  airable: airable("music", 700 + n, 150 + n, house ? {} : { agentId: testId("agt", n) })
})
const wishes = fc.record({
  seed: fc.integer(),
  held: fc.boolean(),
  hours: fc.integer({ min: 0, max: 5 }),
  segments: fc.array(fc.integer({ min: 5, max: 300 }), { maxLength: 5 }),
  // Requested in two groups: the places of the first group stay when the second arrives.
  first: fc.array(fc.boolean(), { maxLength: 6 }),
  second: fc.array(fc.boolean(), { maxLength: 6 })
})
describe("requests in the plan", () => {
  it("air in turn, apart, at most three an hour, and never displace each other", () =>
    fc.assert(
      fc.property(wishes, ({ first, held, hours, second, seed, segments }) => {
        const base = ask({
          held,
          rules: defaultRotation(seed),
          queued: segments.map((sec, i) => airable("segment", 600 + i, sec)),
          untilSample: sampleOf(now + 1_800_000 + hours * hour),
          itemsMax: 300
        })
        const early = compose({ ...base, requested: first.map((house, n) => wish(n, house)) })
        const late = compose({
          ...base,
          turn: early.turn,
          queued: [],
          kept: early.items,
          requested: second.map((house, n) => wish(20 + n, house))
        })
        for (const { items } of [early, late]) {
          expect(faultsIn(items)).toEqual([])
          const asked = items.filter((item) => item.songRequestIds !== undefined)
          if (held) expect(asked).toEqual([])
          const times = asked.map((item) => msOf(item.startSample))
          for (const at of times)
            expect(times.filter((other) => other >= at && other < at + hour).length).toBeLessThanOrEqual(
              songRequestsPerHourMax
            )
          for (const item of asked) {
            // A replan may move them a little.
            const near = (ms: number) =>
              asked.filter(
                (other) => other !== item && Math.abs(msOf(other.startSample) - msOf(item.startSample)) < ms - 300_000
              )
            expect(near(songRequestTrackMs).filter((other) => other.airable.assetId === item.airable.assetId)).toEqual(
              []
            )
            if (item.airable.agentId !== null)
              expect(
                near(songRequestArtistMs).filter(
                  (other) => other.airable.agentId !== null && other.airable.artist === item.airable.artist
                )
              ).toEqual([])
          }
        }
        for (const item of early.items.filter((one) => one.songRequestIds !== undefined))
          expect(late.items.find(({ id }) => id === item.id)?.songRequestIds).toEqual(item.songRequestIds)
      }),
      { numRuns: 40 }
    ))

  it("replace the rotation's next track instead of delaying it", () => {
    const before = compose(ask())
    const after = compose(ask({ turn: before.turn, kept: before.items, requested: [wish(1, true)] }))
    const at = after.items.findIndex((item) => item.songRequestIds !== undefined)
    expect(before.items[at]!.airable.role).toBe("music")
    expect(after.items.slice(0, at).some(({ airable }) => airable.role === "music")).toBe(false)
    const next = (items: typeof before.items) => items.slice(at + 1).find(({ airable }) => airable.role === "music")!
    expect(next(after.items).id).toBe(next(before.items).id)
    expect(Math.abs(next(after.items).startSample - next(before.items).startSample)).toBeLessThan(90 * 48_000)
  })

  it("are predicted hours ahead", () => {
    const { items, turn } = compose(ask())
    const requested = Array.from({ length: 64 }, (_, n) => wish(n, false))
    const plays = Array.from({ length: 256 }, (_, n) =>
      playOf({ ...items[n % items.length]!, startSample: sampleOf(now - n * 180_000) })
    )
    const plan = compose(
      ask({ turn, kept: items, requested, plays, untilSample: sampleOf(now + 6 * hour), itemsMin: 0, itemsMax: 256 })
    )
    // Of the rotation's five artists, one waits for at most 45 minutes.
    expect(plan.items.filter((item) => item.songRequestIds !== undefined).length).toBeGreaterThanOrEqual(
      songRequestsPerHourMax * 4
    )
  })
})
