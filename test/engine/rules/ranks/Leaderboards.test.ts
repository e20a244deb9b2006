import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  listAfter,
  agentBoards,
  allBoards,
  halvesOf,
  isBoard,
  nextBoardRun,
  rankScores,
  type Score,
  sinceOf,
  trackScores
} from "../../../../engine/rules/ranks/Leaderboards.ts"
import { earns } from "../../../../engine/rules/ranks/RankPoints.ts"
import { boardCategories } from "../../../../schema/ranks/Leaderboard.ts"

const dayMs = 86_400_000
const scores = fc.uniqueArray(
  fc.record({ id: fc.string({ minLength: 1, maxLength: 6 }), score: fc.integer({ min: -3, max: 9 }) }),
  { selector: ({ id }) => id, maxLength: 60 }
)

describe("a board", () => {
  it("lists everybody with points once, highest first, ties by id, from any order of input", () => {
    fc.assert(
      fc.property(scores, fc.integer(), (all, seed) => {
        const rows = rankScores(all, {})
        expect(rows.map(({ id }) => id).toSorted()).toEqual(
          all
            .filter(({ score }) => score > 0)
            .map(({ id }) => id)
            .toSorted()
        )
        expect(rows.map(({ position }) => position)).toEqual(rows.map((_, i) => i + 1))
        rows
          .slice(1)
          .forEach((row, i) =>
            expect(rows[i]!.score > row.score || (rows[i]!.score === row.score && rows[i]!.id < row.id)).toBe(true)
          )
        const shuffled = all
          .map((each, i) => [Math.sin(seed + i), each] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, each]) => each)
        expect(rankScores(shuffled, {})).toEqual(rows)
      })
    )
  })

  it("reports gained and lost places, which sum to zero for the same members", () => {
    fc.assert(
      fc.property(scores, scores, (then, now) => {
        const before = Object.fromEntries(rankScores(then, {}).map(({ id, position }) => [id, position]))
        for (const { delta, id, position } of rankScores(now, before))
          expect(delta).toBe(Object.hasOwn(before, id) ? before[id]! - position : null)
        const same = rankScores(
          then.map(({ id, score }) => ({ id, score: score > 0 ? 10 - score : 0 })),
          before
        )
        expect(same.reduce((sum, { delta }) => sum + delta!, 0)).toBe(0)
      })
    )
    expect(rankScores([{ id: "constructor", score: 1 }], {})[0]!.delta).toBe(null)
  })

  it("is read completely in pages of any length, no row twice", () => {
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 7 }), (all, limit) => {
        const rows = rankScores(all, {})
        const read: Array<Score> = []
        for (let last: Score | null = null; ;) {
          const page = listAfter(rows, ({ id }) => id, last).slice(0, limit)
          read.push(...page)
          if (page.length < limit) break
          last = { id: page.at(-1)!.id, score: page.at(-1)!.score }
        }
        expect(read).toEqual(rows)
      })
    )
  })

  it("continues behind the last row, even if others moved before it meanwhile", () => {
    fc.assert(
      fc.property(scores, scores, (then, now) => {
        const last = rankScores(then, {}).at(-1)
        if (last === undefined) return
        const rest = listAfter(rankScores(now, {}), ({ id }) => id, last)
        expect(rest.every(({ id, score }) => score < last.score || (score === last.score && id > last.id))).toBe(true)
      })
    )
  })
})

it("exists for every board of the contract, each by points that can be earned", () => {
  expect(allBoards.length).toBe(45)
  expect([
    isBoard("station", "overall"),
    isBoard("tracks", "overall"),
    isBoard("nobody", "overall"),
    isBoard("constructor", "name"),
    isBoard("dj", "panels")
  ]).toEqual([true, false, false, false, true])
  const codes = new Set<string>(earns.map(({ code }) => code))
  for (const kind of ["station", "dj", "artist"] as const) {
    expect(Object.keys(agentBoards[kind].measures)).toEqual(boardCategories[kind])
    for (const measure of Object.values(agentBoards[kind].measures))
      if (measure !== "rankScore") for (const code of measure) expect(codes.has(code)).toBe(true)
  }
  expect(Object.keys(trackScores)).toEqual(boardCategories.tracks)
  expect(trackScores.rising({ likes: 9, plays: 9, requests: 9, later: 5, earlier: 7 })).toBe(-2)
})

it("ends its period now, and is recomputed every ten minutes", () => {
  const nowMs = Date.UTC(2027, 0, 31, 12, 34, 56)
  expect([sinceOf("7d", nowMs), sinceOf("30d", nowMs), sinceOf("all", nowMs)]).toEqual([
    nowMs - 7 * dayMs,
    nowMs - 30 * dayMs,
    null
  ])
  expect(halvesOf("all", nowMs)).toEqual({ fromMs: nowMs - 30 * dayMs, middleMs: nowMs - 15 * dayMs })
  expect([nextBoardRun(nowMs - 300_000), nextBoardRun(nowMs)].map((ms) => new Date(ms).toISOString())).toEqual([
    "2027-01-31T12:30:00.000Z",
    "2027-01-31T12:40:00.000Z"
  ])
})
