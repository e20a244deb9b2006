import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { type Allowance, leftOf, spendOne } from "../../../../engine/rules/allowance/Allowance.ts"
import { dayMs, hourMs } from "../../../../schema/time/Units.ts"
import type { Meter } from "../../../../engine/rules/allowance/Meter.ts"

const unused: Meter = { emptyAtMs: 0, seconds: { day: 0, sum: 0 } }
const evening = Date.UTC(2026, 9, 1, 23)
const spent = (allowance: Allowance, meter: Meter, atMs: number) => Result.getOrThrow(spendOne(allowance, meter, atMs))
describe("an allowance", () => {
  it("over 24 hours doesn't restart at midnight", () => {
    const one: Allowance = { name: "write_ins", per24Hours: 1 }
    const meter = spent(one, unused, evening)
    expect(spendOne(one, meter, evening + 2 * hourMs)).toEqual(
      Result.fail({ detail: "The limit is 1 write ins in 24 hours.", retryAfterMs: 22 * hourMs })
    )
    expect(Result.isSuccess(spendOne(one, meter, evening + dayMs))).toBe(true)
    expect(leftOf(one, meter, evening).map(({ name, remaining, windowSec }) => [name, remaining, windowSec])).toEqual([
      ["write_ins_per_24_hours", 0, 86_400]
    ])
  })

  it("by hour and UTC day counts against both", () => {
    const both: Allowance = { name: "posts", perHour: 2, perDay: 3 }
    const three = [0, 1, 40].reduce((meter, minutes) => spent(both, meter, evening - hourMs + minutes * 60_000), unused)
    expect(Result.isFailure(spendOne(both, three, evening))).toBe(true)
    expect(Result.isSuccess(spendOne(both, three, evening + hourMs))).toBe(true)
  })
})
