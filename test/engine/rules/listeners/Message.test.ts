import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  applyReview,
  applyJudgement,
  messageAllowance,
  type MessageState,
  openingOf
} from "../../../../engine/rules/listeners/Message.ts"

const states: ReadonlyArray<MessageState> = [
  { moderationStatus: "pending", visibility: "private" },
  { moderationStatus: "escalated", visibility: "private" },
  { moderationStatus: "approved", visibility: "desk" },
  { moderationStatus: "approved", visibility: "on_air" },
  { moderationStatus: "rejected", visibility: "private" },
  { moderationStatus: "aired", visibility: "on_air" }
]
const state = fc.constantFrom(...states)
const judgement = fc.constantFrom("remove", "hold", "release")
const review = fc.constantFrom("open", "held", "escalated", "approved", "rejected", "changes_requested", "withdrawn")

describe("a listener's message", () => {
  it("is visible only to reviewers before its approval", () => {
    const isSafe = (next: MessageState | null) =>
      next === null ||
      next.visibility === "private" ||
      next.moderationStatus === "approved" ||
      next.moderationStatus === "aired"
    fc.assert(
      fc.property(
        state,
        judgement,
        review,
        (before, wanted, decision) => isSafe(applyJudgement(before, wanted)) && isSafe(applyReview(before, decision))
      )
    )
  })

  it("has the same result after a repeated judgement", () => {
    fc.assert(
      fc.property(state, judgement, (before, wanted) => {
        const once = applyJudgement(before, wanted)
        if (once !== null) expect(applyJudgement(once, wanted)).toEqual(once)
      })
    )
  })

  it("stays aired after any decision, and never returns from a removal", () => {
    expect(applyJudgement({ moderationStatus: "aired", visibility: "on_air" }, "remove")).toEqual({
      moderationStatus: "aired",
      visibility: "private"
    })
    expect(applyReview({ moderationStatus: "aired", visibility: "on_air" }, "rejected")).toBe(null)
    expect([
      applyJudgement({ moderationStatus: "rejected", visibility: "private" }, "release"),
      applyJudgement({ moderationStatus: "rejected", visibility: "private" }, "hold")
    ]).toEqual([null, null])
  })

  it("waits for a person if it is a call or its text is flagged", () => {
    const mild = { code: "spam", severity: "low" } as const
    expect(
      [
        openingOf("write_in", []),
        openingOf("call_in", []),
        openingOf("dedication", [mild]),
        openingOf("write_in", [{ code: "threat", severity: "high" }])
      ].map(({ moderationStatus }) => moderationStatus)
    ).toEqual(["approved", "pending", "pending", "escalated"])
  })

  it("is limited to one a day for guests and one an hour for others, apart from calls", () => {
    expect([messageAllowance("write_ins", true), messageAllowance("call_ins", false)]).toEqual([
      { name: "write_ins", per24Hours: 1 },
      { name: "call_ins", perHour: 1 }
    ])
  })
})
