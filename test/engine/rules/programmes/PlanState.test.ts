import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { planSubmissionsMax } from "../../../../engine/rules/programmes/limits.ts"
import {
  statesAllowing,
  decideUntilMs,
  dueAtMs,
  isRunHeld,
  isCancellable,
  isEditable,
  overdueStep,
  type PlanStep,
  applyStep,
  submitUntilMs
} from "../../../../engine/rules/programmes/PlanState.ts"
import { PlanStatus } from "../../../../schema/programmes/Plan.ts"

const steps: ReadonlyArray<PlanStep> = [
  "Submit",
  "Approve",
  "Reject",
  "Miss",
  "Revise",
  "Reopen",
  "Cancel",
  "Lapse",
  "Start",
  "Finish",
  "Fail"
]
const leadMin = 120
const startMs = 1_780_000_000_000
const minute = 60_000

describe("a plan", () => {
  it("is over once aired or cancelled, and airs only after approval", () => {
    for (const over of ["aired", "cancelled"] as const)
      expect(steps.filter((step) => applyStep(over, step) !== null)).toEqual([])
    expect(statesAllowing("Start")).toEqual(["approved"])
    expect(
      steps.flatMap((step) =>
        PlanStatus.literals.filter((from) => applyStep(from, step) === "approved").map((from) => [from, step])
      )
    ).toEqual([["submitted", "Approve"]])
    expect(PlanStatus.literals.filter((status) => !isRunHeld(status))).toEqual(["rejected", "cancelled"])
  })

  it("keeps its rules under any events, in any order, at any time", () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            command: fc.constantFrom(
              "edit",
              "submit",
              "approve",
              "reject",
              "cancel",
              "undo",
              "settle",
              "start",
              "finish",
              "fail"
            ),
            waitMin: fc.integer({ min: 0, max: 90 })
          }),
          { maxLength: 60 }
        ),
        (commands) => {
          let plan = { status: "draft" as PlanStatus, startMs, submissions: 0 }
          let nowMs = startMs - 10 * 60 * minute
          let wasApproved = false
          const take = (step: PlanStep, allowed = true) => {
            const to = applyStep(plan.status, step)
            if (to === null || !allowed) return false
            plan = { ...plan, status: to }
            return true
          }
          for (const { command, waitMin } of commands) {
            nowMs += waitMin * minute
            const before = plan.status
            switch (command) {
              case "edit":
                if (isEditable(plan, leadMin, nowMs)) take("Revise")
                break
              case "submit":
                if (take("Submit", nowMs <= submitUntilMs(startMs, leadMin)))
                  plan = { ...plan, submissions: plan.submissions + 1 }
                break
              case "approve":
                wasApproved = take("Approve", overdueStep(plan, leadMin, nowMs) === null) || wasApproved
                break
              case "reject":
                take("Reject")
                break
              case "undo":
                take("Reopen")
                break
              case "cancel":
                if (take("Cancel", isCancellable(plan, leadMin, nowMs)))
                  expect(nowMs).toBeLessThanOrEqual(decideUntilMs(startMs, leadMin))
                break
              case "settle": {
                const due = overdueStep(plan, leadMin, nowMs)
                if (due !== null) take(due)
                // All deadlines have been applied: no waiting plan is late.
                expect(overdueStep(plan, leadMin, nowMs)).toBe(null)
                break
              }
              case "start":
                take("Start", nowMs >= startMs)
                break
              case "finish":
                take("Finish", nowMs >= startMs)
                break
              case "fail":
                take("Fail", nowMs >= startMs)
                break
            }
            if (before === "aired" || before === "cancelled") expect(plan.status).toBe(before)
            if (plan.status === "airing" || plan.status === "aired") expect(wasApproved).toBe(true)
            expect(plan.submissions).toBeLessThanOrEqual(planSubmissionsMax)
            const due = dueAtMs(plan, leadMin, nowMs)
            if (due !== null)
              expect([nowMs <= due, plan.status === "draft" || plan.status === "rejected"]).toEqual([true, true])
          }
        }
      ),
      { numRuns: 500 }
    ))

  it("is decided before the last quarter of its lead time, and submitted before the lead time", () => {
    expect([submitUntilMs(startMs, leadMin), decideUntilMs(startMs, leadMin)]).toEqual([
      startMs - 120 * minute,
      startMs - 30 * minute
    ])
    expect(
      [0, 1].map((late) => overdueStep({ status: "draft", startMs }, leadMin, startMs - 120 * minute + late))
    ).toEqual([null, "Lapse"])
    expect(
      [0, 1].map((late) => overdueStep({ status: "submitted", startMs }, leadMin, startMs - 30 * minute + late))
    ).toEqual([null, "Miss"])
  })
})
