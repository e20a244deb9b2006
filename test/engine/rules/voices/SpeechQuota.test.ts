import * as fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { ownDefaults } from "../../../../engine/rules/operations/Settings.ts"
import { take, today, countUsed } from "../../../../engine/rules/allowance/Meter.ts"
import {
  agentWindow,
  type Meters,
  release,
  reserve,
  reservedSec,
  settle,
  sharedSpeechQuota,
  speechQuota,
  type Tier
} from "../../../../engine/rules/voices/SpeechQuota.ts"

const t0 = 1_780_000_000_000
const empty: Meters = {
  agent: { emptyAtMs: 0, seconds: { day: 0, sum: 0 } },
  owner: { emptyAtMs: 0, seconds: { day: 0, sum: 0 } },
  station: { emptyAtMs: 0, seconds: { day: 0, sum: 0 } }
}
const ask = ({ limits, ...over }: { tier?: Tier; seconds?: number; nowMs?: number; limits?: object } = {}) => ({
  tier: 0 as Tier,
  seconds: 60,
  nowMs: t0,
  limits: { speechMinutesPerDay: 1_200, ...ownDefaults, ...limits },
  ...over
})
const drain = (from: Meters, at: ReturnType<typeof ask>) => {
  let meters = from
  let count = 0
  for (;;) {
    const next = reserve(meters, at)
    if (Result.isFailure(next)) return { count, meters, refused: next.failure }
    meters = next.success
    count++
  }
}
describe("meters", () => {
  it.each([
    [0, 15],
    [1, 15],
    [2, 30],
    [3, 30],
    [4, 60]
  ] as const)("tier %i has %i an hour", (tier, count) => {
    const end = drain(empty, ask({ tier }))
    expect(end.count).toBe(count)
    expect(end.refused.meter).toBe("agent")
    expect(end.refused.retryAfterMs).toBeGreaterThan(0)
    expect(Result.isSuccess(reserve(end.meters, ask({ tier, nowMs: t0 + end.refused.retryAfterMs })))).toBe(true)
  })

  it("names the exhausted one: the owner's hour, the owner's day, the station's day", () => {
    const other = (meters: Meters): Meters => ({ ...meters, agent: empty.agent })
    let meters = empty
    for (let agent = 0; agent < 4; agent++) meters = other(drain(meters, ask()).meters)
    expect(drain(meters, ask()).refused.meter).toBe("owner")
    expect(drain(empty, ask({ seconds: 600, tier: 4 }))).toMatchObject({ count: 12, refused: { meter: "owner" } })
    const fresh: Meters = {
      ...empty,
      station: { emptyAtMs: 0, seconds: { day: Math.floor(t0 / 86_400_000), sum: 71_990 } }
    }
    const refused = drain(fresh, ask()).refused
    expect(refused.meter).toBe("station")
    expect((t0 + refused.retryAfterMs) % 86_400_000).toBe(0)
  })

  it.each([
    ["ownerSpeechPerHour", 7, "owner", { seconds: 1 }],
    ["ownerSpeechMinutesPerDay", 3, "owner", { seconds: 60 }],
    ["speechPerHour", 5, "station", { seconds: 1 }],
    ["speechMinutesPerDay", 4, "station", { seconds: 60 }]
  ] as const)(
    "hold by the setting %s, when it is lowered and when it is raised again",
    (name, count, meter, { seconds }) => {
      const lower = { limits: { [name]: count }, seconds }
      const end = drain(empty, ask(lower))
      expect([end.count, end.refused.meter]).toEqual([count, meter])
      const quotas = (limits: object) => {
        const at = ask({ limits })
        const meters = [end.meters.agent, end.meters.owner, end.meters.station]
        return [...speechQuota(meters, 0, at.limits, t0), sharedSpeechQuota(meters, at.limits, t0)].map(
          ({ limit, remaining }) => [limit, remaining]
        )
      }
      if (name !== "speechMinutesPerDay") expect(quotas({ [name]: count })).toContainEqual([count, 0])
      // Given back under the same setting, it can be taken again; the next setting holds from the next piece on.
      expect(drain(release(end.meters, ask(lower)), ask(lower)).count).toBe(1)
      expect(Result.isSuccess(settle(end.meters, ask(lower), seconds))).toBe(true)
      if (seconds === 60) {
        expect(Result.isFailure(settle(end.meters, ask(lower), seconds + 1))).toBe(true)
        const higher = { limits: { [name]: count + 2 }, seconds }
        expect(Result.isSuccess(settle(end.meters, ask(higher), seconds + 60))).toBe(true)
        expect(drain(end.meters, ask(higher)).count).toBe(2)
      }
    }
  )

  it("refund exactly what was taken", () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 14 }), fc.integer({ min: 1, max: 600 }), (before, seconds) => {
        let meters = empty
        for (let i = 0; i < before; i++) meters = Result.getOrThrow(reserve(meters, ask({ seconds: 1 })))
        const taken = Result.getOrThrow(reserve(meters, ask({ seconds })))
        const back = release(taken, ask({ seconds }))
        expect(countUsed(back.agent.emptyAtMs, agentWindow(0), t0)).toBe(before)
        expect(today(back.owner.seconds, t0)).toBe(before)
        expect(today(back.station.seconds, t0)).toBe(before)
        expect(drain(back, ask({ seconds: 1 })).count).toBe(15 - before)
      })
    ))

  it("charge the spoken length, not the estimate", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 600 }),
        fc.double({ min: 0.1, max: 900, noNaN: true }),
        (seconds, spoken) => {
          const meters = Result.getOrThrow(
            settle(Result.getOrThrow(reserve(empty, ask({ seconds }))), ask({ seconds }), spoken)
          )
          expect(today(meters.station.seconds, t0)).toBe(Math.ceil(spoken))
        }
      )
    ))

  it("never exceed the owner's and the station's day, however wrong the estimates", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            guess: fc.integer({ min: 1, max: 600 }),
            spoken: fc.double({ min: 0.1, max: 900, noNaN: true })
          }),
          { minLength: 1, maxLength: 60 }
        ),
        fc.integer({ min: 1, max: 90 }),
        (pieces, speechMinutesPerDay) => {
          const limits = { speechMinutesPerDay }
          // All reserve before the first is spoken, as concurrent requests do.
          let meters = empty
          const held = pieces.flatMap(({ guess, spoken }) => {
            const next = reserve({ ...meters, agent: empty.agent }, ask({ seconds: guess, limits, tier: 4 }))
            if (Result.isFailure(next)) return []
            meters = next.success
            return [{ guess, spoken }]
          })
          for (const { guess, spoken } of held) {
            const at = ask({ seconds: guess, limits, tier: 4 })
            const next = settle(meters, at, spoken)
            meters = Result.isSuccess(next) ? next.success : release(meters, at)
            expect(today(meters.owner.seconds, t0)).toBeLessThanOrEqual(120 * 60)
            expect(today(meters.station.seconds, t0)).toBeLessThanOrEqual(speechMinutesPerDay * 60)
          }
        }
      )
    ))

  it("never admit more than twice their size in a window", () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 600_000 }), { minLength: 20, maxLength: 120 }), (gaps) => {
        const window = { count: 15, windowMs: 3_600_000 }
        let now = t0
        let emptyAt = 0
        const passed: Array<number> = []
        for (const gap of gaps) {
          now += gap
          const next = take(emptyAt, window, now)
          if (Result.isSuccess(next)) {
            emptyAt = next.success
            passed.push(now)
          }
        }
        for (const at of passed) {
          const within = passed.filter((other) => other >= at && other < at + window.windowMs)
          expect(within.length).toBeLessThanOrEqual(2 * window.count)
        }
      })
    ))

  it("reserve airtime by the number of words", () => {
    expect([reservedSec(0), reservedSec(1), reservedSec(150), reservedSec(1_200)]).toEqual([1, 1, 60, 480])
  })
})
