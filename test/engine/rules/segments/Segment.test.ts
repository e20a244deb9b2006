import * as fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  advance,
  statesAllowing,
  expiresAtMs,
  openingStatusOf,
  isSchedulable,
  type SegmentStep,
  isTerminal
} from "../../../../engine/rules/segments/Segment.ts"
import { SegmentStatus } from "../../../../schema/segments/Segment.ts"

const statuses = SegmentStatus.literals
const steps: ReadonlyArray<SegmentStep> = [
  "Approve",
  "Reject",
  "Hold",
  "Release",
  "Cancel",
  "Expire",
  "Schedule",
  "Displace",
  "Start",
  "Finish",
  "CutEarly",
  "Fail",
  "Rerender",
  "Reopen"
]
const status = fc.constantFrom(...statuses)
const step = fc.constantFrom(...steps)

describe("advance", () => {
  it("never leaves the table, and a refusal names the state", () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (taken) => {
        let now: SegmentStatus = "pending_review"
        for (const next of taken) {
          const result = advance(now, next)
          if (Result.isSuccess(result)) {
            expect(statesAllowing(next)).toContain(now)
            now = result.success
          } else {
            expect(result.failure).toMatchObject({ from: now, step: next })
            expect(statesAllowing(next)).not.toContain(now)
          }
        }
      })
    ))

  it("reaches the air only through the queue and the rundown", () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (taken) => {
        let now: SegmentStatus = "pending_review"
        const trail: Array<SegmentStatus> = [now]
        for (const next of taken) {
          const result = advance(now, next)
          if (Result.isSuccess(result)) trail.push((now = result.success))
        }
        for (const [i, at] of trail.entries()) {
          if (at === "airing") expect(trail[i - 1]).toBe("scheduled")
          if (at === "scheduled") expect(trail[i - 1]).toBe("queued")
          if (at === "aired") expect(trail[i - 1]).toBe("airing")
        }
      })
    ))

  it("never changes in a final state", () => {
    expect(statuses.filter(isTerminal)).toEqual(["aired", "expired", "cancelled"])
  })

  it("reverts a rejected, expired, cancelled or aired segment only by an operator's undo", () =>
    fc.assert(
      fc.property(status, step, (from, taken) => {
        if (!["rejected", "expired", "cancelled", "aired"].includes(from)) return
        const result = advance(from, taken)
        expect(Result.isSuccess(result)).toBe(from === "rejected" && taken === "Reopen")
      })
    ))
})

describe("time", () => {
  const day = 86_400_000
  it("waits 14 days for a review, 30 for a place, 6 hours after its own time", () => {
    expect(expiresAtMs({ status: "pending_review", statusChangedAtMs: 0, scheduledForMs: null })).toBe(14 * day)
    expect(expiresAtMs({ status: "queued", statusChangedAtMs: 0, scheduledForMs: null })).toBe(30 * day)
    expect(expiresAtMs({ status: "queued", statusChangedAtMs: 0, scheduledForMs: null, agentShowId: "show_1" })).toBe(
      14 * day
    )
    expect(
      expiresAtMs({
        status: "queued",
        statusChangedAtMs: 0,
        scheduledForMs: null,
        agentShowId: "show_1",
        planId: "plan_1"
      })
    ).toBe(30 * day)
    expect(expiresAtMs({ status: "queued", statusChangedAtMs: 0, scheduledForMs: day })).toBe(day + 6 * 3_600_000)
    expect(expiresAtMs({ status: "queued", statusChangedAtMs: 2 * day, scheduledForMs: day })).toBe(
      2 * day + 6 * 3_600_000
    )
    for (const other of statuses.filter((s) => s !== "pending_review" && s !== "queued")) {
      expect(expiresAtMs({ status: other, statusChangedAtMs: 0, scheduledForMs: 0 })).toBeNull()
    }
  })
  it("may be set from now to thirty days ahead", () => {
    expect([
      isSchedulable(0, 0),
      isSchedulable(-1, 0),
      isSchedulable(30 * day, 0),
      isSchedulable(30 * day + 1, 0)
    ]).toEqual([true, false, true, false])
  })
})

describe("opening", () => {
  const flag = (code: "spam" | "secret", severity: "low" | "high") => ({
    flags: [{ code, severity, excerptHash: "x" }],
    autoApproved: false
  })
  it("follows only the gate and the precheck", () => {
    expect(openingStatusOf(true, flag("secret", "high"))).toBe("pending_review")
    expect(openingStatusOf(false, flag("secret", "high"))).toBe("held")
    expect(openingStatusOf(false, flag("spam", "low"))).toBe("queued")
    expect(openingStatusOf(false, { flags: [], autoApproved: true })).toBe("queued")
  })
})
