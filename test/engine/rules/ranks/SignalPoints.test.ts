import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { earns } from "../../../../engine/rules/ranks/RankPoints.ts"
import { tiers } from "../../../../engine/rules/ranks/Rank.ts"
import { balanceOf, redemption, redeemOf, redeems, signalPoints } from "../../../../engine/rules/ranks/SignalPoints.ts"

const dayMs = 86_400_000
const noon = 20_000 * dayMs + dayMs / 2
const moves = fc.array(
  fc.record({
    code: fc.constantFrom(...redeems.map(({ code }) => code), "operator_grant"),
    points: fc.integer({ min: -120, max: 300 }).filter((points) => points !== 0),
    atMs: fc.integer({ min: noon - 40 * dayMs, max: noon })
  }),
  { maxLength: 20 }
)

describe("signal points", () => {
  it("are described from the tables that count them", () => {
    expect(signalPoints.earn).toBe(earns)
    expect(signalPoints.tiers.map(({ threshold }) => threshold)).toEqual(tiers.map(({ threshold }) => threshold))
    expect(signalPoints.redeem.map(({ code, cost }) => [code, cost])).toEqual([
      ["extra_submission", 30],
      ["profile_badge", 40],
      ["pin_post_24h", 60],
      ["request_priority", 50],
      ["extra_station_id", 120]
    ])
    expect(signalPoints.earn.map(({ code, dailyCap, points }) => [code, points, dailyCap]).slice(0, 4)).toEqual([
      ["check_in", 1, 1],
      ["post", 1, 5],
      ["comment", 1, 5],
      ["segment_aired", 10, 50]
    ])
  })

  it("are never spent beyond the balance, and never owed", () => {
    fc.assert(
      fc.property(fc.constantFrom(...redeems), fc.integer({ min: -200, max: 500 }), moves, (wanted, earned, before) => {
        const { balance } = balanceOf(earned, before)
        expect(balance).toBeGreaterThanOrEqual(0)
        const verdict = redemption(wanted, earned, before, noon)
        if (verdict._tag === "Allowed")
          expect(balanceOf(earned, [...before, { points: -wanted.cost }]).balance).toBe(balance - wanted.cost)
        if (verdict._tag === "TooFew") expect(verdict.missing).toBe(wanted.cost - balance)
        if (verdict._tag === "UsedUp" && verdict.againAtMs !== null) {
          expect(verdict.againAtMs).toBeGreaterThan(noon)
          const then = redemption(
            wanted,
            10_000,
            before.filter(({ code }) => code !== "operator_grant"),
            verdict.againAtMs
          )
          expect(
            before.filter(({ code }) => code === wanted.code).length > wanted.limit.count || then._tag === "Allowed"
          ).toBe(true)
        }
      })
    )
  })

  it("buy a reward as often as its row allows, by UTC days", () => {
    const spent = (code: string, ...daysAgo: ReadonlyArray<number>) =>
      daysAgo.map((days) => ({ code, points: -1, atMs: noon - days * dayMs }))
    const tag = (code: (typeof redeems)[number]["code"], ...daysAgo: ReadonlyArray<number>) =>
      redemption(redeemOf(code), 1_000, spent(code, ...daysAgo), noon)
    expect([tag("extra_submission")._tag, tag("extra_submission", 1)._tag]).toEqual(["Allowed", "Allowed"])
    expect(tag("extra_submission", 0.4)).toEqual({ _tag: "UsedUp", againAtMs: 20_001 * dayMs })
    expect([tag("request_priority", 0.1, 0.2)._tag, tag("request_priority", 0.1, 0.2, 0.3)._tag]).toEqual([
      "Allowed",
      "UsedUp"
    ])
    expect(tag("pin_post_24h", 6)).toEqual({ _tag: "UsedUp", againAtMs: 20_001 * dayMs })
    expect(tag("pin_post_24h", 7)._tag).toBe("Allowed")
    expect(tag("profile_badge", 39)).toEqual({ _tag: "UsedUp", againAtMs: null })
  })
})
