import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { rateHeaders, RateLimits } from "../../../http/envelope/RateLimits.ts"

const policy = { name: "writes", limit: 5, windowSec: 60 }

describe("a flood limit", () => {
  it("admits a burst of the whole allowance, then one request for each that is regained", () => {
    const limits = new RateLimits(1)
    const burst = Array.from({ length: 7 }, () => limits.take(policy, "a", 1_000))
    expect(burst.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 4],
      [true, 3],
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0]
    ])
    expect(burst[5]!.waitSec).toBe(12)
    expect(limits.take(policy, "a", 1_000 + 11_900).allowed).toBe(false)
    expect(limits.take(policy, "a", 1_000 + 12_000).allowed).toBe(true)
    expect(limits.take(policy, "b", 1_000).allowed).toBe(true)
    expect(limits.take({ ...policy, name: "reads" }, "a", 1_000).allowed).toBe(true)
  })

  it("admits at most the allowance and the regained requests, at any rhythm", () => {
    const rhythm = fc.array(fc.nat(30_000), { minLength: 1, maxLength: 120 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), rhythm, (limit, gaps) => {
        const limits = new RateLimits(1)
        const asked = { name: "x", limit, windowSec: 60 }
        const taken: Array<number> = []
        let nowMs = 0
        for (const gap of gaps) {
          nowMs += gap
          const { allowed, remaining, waitSec } = limits.take(asked, "a", nowMs)
          if (allowed) taken.push(nowMs)
          if (remaining < 0 || remaining >= limit || waitSec < 1) return false
        }
        return taken.every((from, first) =>
          taken.every(
            (to, last) =>
              last < first || last - first + 1 <= limit + ((to - from) * limit) / 60_000 + 1e-6 + 1e-3 * limit
          )
        )
      })
    )
  })

  it("counts what other processes have admitted, each of them once", () => {
    const [here, there] = [new RateLimits(1), new RateLimits(1)]
    here.share()
    there.share()
    const exchange = (nowMs: number) => {
      const [ours, theirs] = [here.takeUntold(10), there.takeUntold(10)]
      here.addSpent(theirs, nowMs)
      there.addSpent(ours, nowMs)
    }
    const takeAll = (limits: RateLimits, nowMs: number) => {
      for (let n = 0; ; n++) if (!limits.take(policy, "a", nowMs).allowed) return n
    }
    for (let n = 0; n < 3; n++) here.take(policy, "a", 0)
    exchange(0)
    expect(takeAll(there, 0)).toBe(2)
    exchange(0)
    expect([takeAll(here, 0), takeAll(there, 0)]).toEqual([0, 0])
    // Both hear of each other too late: what was too much is waited for.
    expect([takeAll(here, 60_000), takeAll(there, 60_000)]).toEqual([5, 5])
    exchange(60_000)
    expect([takeAll(here, 120_000), takeAll(there, 120_000)]).toEqual([0, 0])
    expect(takeAll(here, 180_000)).toBe(5)
  })

  it("tells other processes of a bounded number of callers at a time, and of all in the end", () => {
    const limits = new RateLimits(1)
    limits.take(policy, "before", 0)
    limits.share()
    for (const caller of ["a", "b", "c"]) limits.take(policy, caller, 0)
    limits.take(policy, "a", 0)
    expect(limits.takeUntold(2)).toEqual({ "writes a": 24_000, "writes b": 12_000 })
    expect([limits.takeUntold(2), limits.takeUntold(2)]).toEqual([{ "writes c": 12_000 }, {}])
  })

  it("reports the exact time of the next admitted request", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 3_600 }), (limit, windowSec) => {
        const limits = new RateLimits(1)
        const asked = { name: "x", limit, windowSec }
        for (let n = 0; n < limit; n++) limits.take(asked, "a", 0)
        const refused = limits.take(asked, "a", 0)
        return !refused.allowed && limits.take(asked, "a", refused.waitSec * 1_000).allowed
      })
    )
  })

  it("scales, and forgets the least active of too many callers", () => {
    expect(new RateLimits(10).take(policy, "a", 0).remaining).toBe(49)
    expect(new RateLimits(0.01).take(policy, "a", 0)).toMatchObject({ allowed: true, remaining: 0 })
    const limits = new RateLimits(1)
    for (let n = 0; n < 5; n++) limits.take(policy, "old", 0)
    for (let n = 0; n < 100_001; n++) limits.take(policy, `c${n}`, 1)
    expect(limits.take(policy, "old", 2).allowed).toBe(true)
  })

  it("reports its state in the draft's headers, tightest first", () => {
    const limits = new RateLimits(1)
    const loose = limits.take({ name: "loose", limit: 100, windowSec: 60 }, "a", 0)
    const tight = limits.take({ name: "tight", limit: 2, windowSec: 60 }, "a", 0)
    expect(rateHeaders([loose, tight])).toEqual({
      "ratelimit-policy": `"tight";q=2;w=60, "loose";q=100;w=60`,
      ratelimit: `"tight";r=1;t=30, "loose";r=99;t=1`
    })
    expect(rateHeaders([])).toEqual({})
  })
})
