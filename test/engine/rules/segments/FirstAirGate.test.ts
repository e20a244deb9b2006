import * as fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  admit,
  canAir,
  applyReview,
  applyGrant,
  speak,
  type Standing
} from "../../../../engine/rules/segments/FirstAirGate.ts"
import type { GateState } from "../../../../schema/segments/Segment.ts"

const standing = (over: Partial<Standing> = {}): Standing => ({
  state: "not_started",
  rejections: 0,
  waiting: 0,
  canBroadcast: null,
  requiresSegmentReview: null,
  stationSpeech: false,
  ...over
})
const states = fc.constantFrom<GateState>("not_started", "awaiting_review", "cleared", "free_air", "blocked")
const anyStanding = fc.record({
  state: states,
  rejections: fc.nat(5),
  waiting: fc.nat(5),
  canBroadcast: fc.constantFrom(null, true, false),
  requiresSegmentReview: fc.constantFrom(null, true, false),
  stationSpeech: fc.boolean()
})

describe("admit", () => {
  it("sends agents without clearance or grant to review", () =>
    fc.assert(
      fc.property(anyStanding, (agent) => {
        const result = admit(agent)
        if (Result.isSuccess(result) && !result.success.reviewed) expect(canAir(agent.state)).toBe(true)
      })
    ))
  it("refuses agents that the station has excluded", () =>
    fc.assert(
      fc.property(anyStanding, (agent) => {
        if (agent.canBroadcast === false || agent.state === "blocked") expect(Result.isFailure(admit(agent))).toBe(true)
      })
    ))
  it("accepts three submissions before the first decision, not four", () => {
    expect(admit(standing())).toEqual(Result.succeed({ reviewed: true, firstAir: true, behind: false }))
    expect(admit(standing({ state: "awaiting_review", waiting: 2 }))).toEqual(
      Result.succeed({ reviewed: true, firstAir: false, behind: true })
    )
    expect(Result.isFailure(admit(standing({ state: "awaiting_review", waiting: 3 })))).toBe(true)
  })
  it("reviews every submission of an agent under review", () => {
    expect(admit(standing({ state: "cleared", requiresSegmentReview: true }))).toEqual(
      Result.succeed({ reviewed: true, firstAir: false, behind: false })
    )
  })
})

describe("decided", () => {
  it("closes at the third rejection", () => {
    let gate: { state: GateState; rejections: number } = { state: "not_started", rejections: 0 }
    gate = applyReview("reject", gate.rejections)
    expect(gate).toEqual({ state: "not_started", rejections: 1 })
    gate = applyReview("reject", gate.rejections)
    gate = applyReview("reject", gate.rejections)
    expect(gate).toEqual({ state: "blocked", rejections: 3 })
    expect(applyReview("approve", 1).state).toBe("cleared")
  })
  it("is overridden by free air, and applies again without it", () => {
    expect(applyGrant("blocked", true)).toBe("free_air")
    expect(applyGrant("awaiting_review", false)).toBe("awaiting_review")
  })
})

describe("speak", () => {
  const ask = { engine: null, category: "station_id", deployedOnSpeed: true } as const
  it("makes one station ID on PRIMARY before the clearance, and nothing else", () => {
    expect(speak(standing(), ask)).toEqual(Result.succeed("PRIMARY"))
    expect(speak(standing(), { ...ask, category: "news" })).toEqual(Result.fail("PRIMARY_TTS_NOT_ALLOWED"))
    expect(speak(standing(), { ...ask, engine: "SPEED" })).toEqual(Result.fail("SPEED_TTS_NOT_ALLOWED"))
    expect(speak(standing({ state: "awaiting_review" }), ask)).toEqual(Result.fail("PRIMARY_TTS_NOT_ALLOWED"))
    expect(speak(standing({ state: "cleared" }), ask)).toEqual(Result.fail("PRIMARY_TTS_NOT_ALLOWED"))
  })
  it("offers both after the clearance, the fast one if the voice is deployed", () => {
    const granted = standing({ state: "cleared", stationSpeech: true })
    expect(speak(granted, ask)).toEqual(Result.succeed("SPEED"))
    expect(speak(granted, { ...ask, deployedOnSpeed: false })).toEqual(Result.succeed("PRIMARY"))
    expect(speak(granted, { ...ask, engine: "PRIMARY" })).toEqual(Result.succeed("PRIMARY"))
    expect(speak(granted, { ...ask, engine: "SPEED", deployedOnSpeed: false })).toEqual(
      Result.fail("SPEED_VOICE_NOT_FOUND")
    )
  })
})
