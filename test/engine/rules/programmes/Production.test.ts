import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  beginAssembly,
  beginProduction,
  failProduction,
  followPlan,
  hasScript,
  isOver,
  isRevisable,
  isSkippable,
  moveToNextRun,
  addPlan,
  productionView,
  replan,
  retryProduction,
  reviseProduction,
  runOf,
  skipRun,
  awaitScripts,
  awaitPlan,
  addScripts
} from "../../../../engine/rules/programmes/Production.ts"
import { outlineOf, recurringRuns } from "../../../../engine/rules/programmes/ProductionOutline.ts"
import { defaultGrid, wallOf } from "../../../../engine/rules/time/WeekSchedule.ts"
import { Broadcaster } from "../../../../schema/segments/Submission.ts"
import type { AgentId, JobId, PlanId, SegmentId } from "../../../../schema/Ids.ts"
import { ProductionAsk, type ProductionRecord } from "../../../../schema/programmes/Production.ts"
import { ShowFormat } from "../../../../schema/programmes/Show.ts"
import { testId } from "../../../support/air/Airables.ts"

const dayMs = 86_400_000
const nowMs = Date.UTC(2026, 9, 1)
const by = Broadcaster.make({ agentId: testId("agt", 1) as AgentId, handle: "ada", displayName: "Ada", ownerKey: null })
const begin = (scripts: boolean, count: number, isWriterThere: boolean) =>
  beginProduction(
    testId("job", 1) as JobId,
    by,
    ProductionAsk.make({
      kind: "generate",
      title: "Of tides",
      format: "talk",
      audience: null,
      idea: scripts ? null : "tides",
      parts: [{ title: "One", minutes: 2, scriptText: scripts ? "Good evening." : null }],
      uploadIds: [],
      includeMusic: true,
      agentShowId: null,
      show: null,
      occurrenceStartMs: null,
      recurring: count === 1 ? null : { weekday: 0, time: "20:00", count }
    }),
    null,
    Array.from({ length: count }, (_, i) =>
      count === 1
        ? { startMs: null, endMs: null }
        : { startMs: nowMs + (i + 1) * 7 * dayMs, endMs: nowMs + (i + 1) * 7 * dayMs + 3_600_000 }
    ),
    isWriterThere,
    nowMs
  )

const plan = { id: testId("plan", 1) as PlanId, startMs: nowMs + dayMs, endMs: nowMs + dayMs + 3_600_000 }
const statuses = ["draft", "submitted", "approved", "airing", "aired", "rejected", "cancelled"] as const

type Move = (production: ProductionRecord) => ProductionRecord
/** Every event in every state; an event that isn't allowed leaves the production unchanged. */
const moves: ReadonlyArray<Move> = [
  (p) => (runOf(p).status === "waiting" ? addPlan(p, plan) : p),
  (p) => (p.status === "queued" ? beginAssembly(p) : p),
  (p) => (p.status === "assembling" ? awaitPlan(p) : p),
  (p) =>
    p.status === "queued" && !hasScript(p)
      ? addScripts(
          p,
          p.parts.map((part) => ({ ...part, scriptText: "Good evening." }))
        )
      : p,
  (p) => (p.status === "queued" && !hasScript(p) ? awaitScripts(p, null) : p),
  (p) => (runOf(p).status === "waiting" ? failProduction(p, "plan", "PLAN_VALIDATION_FAILED") : p),
  (p) => retryProduction(p, nowMs, false) ?? p,
  (p) => {
    const after = retryProduction(p, nowMs, true)
    return after === null ? p : replan(after)
  },
  (p) => (isSkippable(p, nowMs) ? skipRun(p) : p),
  (p) => (runOf(p).status !== "waiting" && p.current < p.runs.length - 1 ? moveToNextRun(p, true) : p),
  (p) => (isRevisable(p) ? reviseProduction(p, { outline: [{ index: 0, scriptText: "Good night." }] }) : p),
  ...statuses.flatMap((status) =>
    [0, 1].map(
      (voiced): Move =>
        (p) =>
          runOf(p).status === "waiting" && runOf(p).planId !== null
            ? followPlan(
                p,
                { status, statusReason: status === "cancelled" && voiced === 1 ? "LEAD_TIME_PASSED" : null },
                { segmentIds: [testId("seg", 1) as SegmentId], voiced }
              )
            : p
    )
  )
]

describe("productions", () => {
  it("have an outline of the requested length, in parts that can each be spoken", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ShowFormat.literals, null),
        fc.integer({ min: 20, max: 600 }),
        fc.boolean(),
        (format, tenths, includeMusic) => {
          const parts = outlineOf(format, tenths / 10, includeMusic)
          const spoken = parts.reduce((sum, { minutes }) => sum + minutes!, 0)
          expect(Math.abs(spoken - (tenths / 10) * (includeMusic ? 0.4 : 1))).toBeLessThan(0.06)
          expect(
            parts.length >= 1 &&
              parts.length <= 12 &&
              parts.every(({ minutes, title }) => minutes! > 0 && minutes! <= 6.1 && title !== "")
          ).toBe(true)
        }
      )
    )
  })

  it("recur at the same local time, across summer time", () => {
    const block = defaultGrid.find(({ bookable, kind }) => bookable && kind === "show")!
    const time = `${String(Math.floor(block.startMinute / 60)).padStart(2, "0")}:${String(block.startMinute % 60).padStart(2, "0")}`
    for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]) {
      const runs = recurringRuns(
        [{ validFromMs: 0, blocks: defaultGrid }],
        zone,
        { weekday: block.weekday, time, count: 12 },
        nowMs
      )
      expect([zone, runs.length, new Set(runs.map(({ startMs }) => wallOf(zone, startMs) % (7 * dayMs))).size]).toEqual(
        [zone, 12, 1]
      )
    }
    expect(
      recurringRuns([{ validFromMs: 0, blocks: defaultGrid }], "UTC", { weekday: 0, time: "03:17", count: 3 }, nowMs)
    ).toEqual([])
  })

  it("lose no run, are tried three times at most, and stay over: thousands of sequences", () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat(moves.length - 1), { maxLength: 60 }),
        (scripts, count, path) => {
          let production = begin(scripts, count, true)
          for (const step of path) {
            const before = production
            production = moves[step]!(before)
            const { progress, status, steps } = productionView(production)
            expect(production.runs.length).toBe(count)
            expect(production.current - before.current === 0 || production.current - before.current === 1).toBe(true)
            // Past runs keep their state.
            expect(production.runs.slice(0, before.current)).toEqual(before.runs.slice(0, before.current))
            expect(production.runs.slice(0, production.current).every(({ status }) => status !== "waiting")).toBe(true)
            expect(
              production.tries <= 3 && progress >= 0 && progress <= 1 && (status === "aired") === (progress === 1)
            ).toBe(true)
            expect(
              steps.filter(({ status }) => status === "running" || status === "failed").length
            ).toBeLessThanOrEqual(1)
            if (isOver(before) && before.status !== "failed" && before.status !== "skipped")
              expect(production.status).toBe(before.status)
          }
        }
      ),
      { numRuns: 2_000 }
    )
  })
})
