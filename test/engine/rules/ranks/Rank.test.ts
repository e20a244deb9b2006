import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { earns, countPoints } from "../../../../engine/rules/ranks/RankPoints.ts"
import {
  lowestTierWeight,
  type Merits,
  nextRankRun,
  positionIn,
  raiseTier,
  scoreAt,
  settleTier,
  tiers,
  weightOf
} from "../../../../engine/rules/ranks/Rank.ts"
import { dayMs } from "../../../../schema/time/Units.ts"
import type { Tier } from "../../../../engine/rules/voices/SpeechQuota.ts"

const t0 = Date.UTC(2026, 5, 1)
const instant = fc.integer({ min: 0, max: 4 * 365 * 86_400 }).map((sec) => t0 + sec * 1_000)
const ledger = fc.array(fc.record({ points: fc.integer({ min: -100, max: 25 }), at: instant }), { maxLength: 200 })
const tier = fc.constantFrom<Tier>(0, 1, 2, 3, 4)
const merits = fc
  .record({
    score: fc.integer({ min: 0, max: 4_000 }),
    claimedDaysAgo: fc.integer({ min: 0, max: 200 }),
    firstAirCleared: fc.boolean(),
    violatedDaysAgo: fc.option(fc.integer({ min: 0, max: 60 }))
  })
  .map(
    ({
      claimedDaysAgo,
      firstAirCleared,
      score,
      violatedDaysAgo
    }): Merits & { readonly score: number; readonly days: number; readonly clean: boolean } => ({
      weight: weightOf(score, t0),
      claimedAtMs: t0 - claimedDaysAgo * dayMs,
      firstAirCleared,
      lastViolationAtMs: violatedDaysAgo === null ? null : t0 - violatedDaysAgo * dayMs,
      score,
      days: claimedDaysAgo,
      clean: violatedDaysAgo === null || violatedDaysAgo >= 30
    })
  )
/** The rules as written, tier by tier. */
const deserves = (
  of: Tier,
  {
    clean,
    days,
    firstAirCleared,
    score
  }: { readonly score: number; readonly days: number; readonly clean: boolean; readonly firstAirCleared: boolean },
  share: number
) =>
  [
    true,
    score >= 40 * share && firstAirCleared,
    score >= 200 * share && firstAirCleared && clean && days >= 7,
    score >= 800 * share && firstAirCleared && clean && days >= 30,
    score >= 2_500 * share && firstAirCleared && clean && days >= 90
  ][of]!
describe("points", () => {
  it("halve every 90 days, and are never negative", () =>
    fc.assert(
      fc.property(ledger, instant, (rows, nowMs) => {
        const sum = rows.reduce((total, { at, points }) => total + points * 0.5 ** ((nowMs - at) / (90 * dayMs)), 0)
        const weight = rows.reduce((total, { at, points }) => total + weightOf(points, at), 0)
        // A value between two whole numbers may be rounded to either.
        expect(Math.abs(scoreAt(weight, nowMs) - Math.max(0, sum))).toBeLessThanOrEqual(0.5 + 1e-6)
      })
    ))

  it("keep their order as time passes", () =>
    fc.assert(
      fc.property(ledger, ledger, instant, (one, other, nowMs) => {
        const weigh = (rows: typeof one) => rows.reduce((total, { at, points }) => total + weightOf(points, at), 0)
        const [more, less] = [weigh(one), weigh(other)].sort((a, b) => b - a)
        expect(scoreAt(more!, nowMs)).toBeGreaterThanOrEqual(scoreAt(less!, nowMs))
      })
    ))

  it("of one kind stop at their daily cap", () =>
    fc.assert(
      fc.property(fc.constantFrom(...earns), fc.integer({ min: 1, max: 100 }), (earn, times) => {
        let sum = 0
        for (let i = 0; i < times; i++) sum += countPoints(earn.code, sum)
        expect(sum).toBe(Math.min(times * earn.points, earn.dailyCap))
      })
    ))
})
describe("a tier", () => {
  it("rises at once when deserved, and never falls by day", () =>
    fc.assert(
      fc.property(tier, merits, (held, of) => {
        const deserved = tiers.filter((step) => deserves(step.tier, of, 1)).at(-1)!.tier
        expect(raiseTier(held, of, t0)).toBe(Math.max(held, deserved))
      })
    ))

  it("falls by night only below 80 % of its threshold, or without its requirements", () =>
    fc.assert(
      fc.property(tier, merits, (held, of) => {
        const after = settleTier(held, of, t0)
        expect(after).toBeGreaterThanOrEqual(tiers.filter((step) => deserves(step.tier, of, 1)).at(-1)!.tier)
        if (deserves(held, of, 0.8)) expect(after).toBeGreaterThanOrEqual(held)
        else expect(after).toBeLessThan(held)
        expect(settleTier(after, of, t0)).toBe(after)
      })
    ))

  it("is missing only for agents below the first threshold", () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 80 }), (score) => {
        expect(weightOf(score, t0) >= lowestTierWeight(t0)).toBe(score >= 40)
      })
    ))

  it.each([
    ["00:09:59", "2026-06-01T00:10:00.000Z"],
    ["00:10:00", "2026-06-02T00:10:00.000Z"],
    ["23:59:59", "2026-06-02T00:10:00.000Z"]
  ])("is settled at ten past midnight: at %s it is due %s", (time, due) => {
    expect(new Date(nextRankRun(Date.parse(`2026-06-01T${time}Z`))).toISOString()).toBe(due)
  })
})
it("a place is one more than the number of agents with more points", () =>
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 })),
      fc.integer({ min: 0, max: 20 }),
      (weights, weight) =>
        positionIn(
          [...weights].sort((a, b) => b - a),
          weight
        ) ===
        weights.filter((other) => other > weight).length + 1
    )
  ))
