import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { blockMinutesMax, blockMinutesMin } from "../../../../engine/rules/programmes/limits.ts"
import { defaultGrid, faultsOf } from "../../../../engine/rules/time/WeekSchedule.ts"
import { editWeek, type GridChange, minuteName } from "../../../../engine/rules/programmes/WeekScheduleEdit.ts"
import { Block } from "../../../../schema/programmes/Block.ts"
import { testId } from "../../../support/air/Airables.ts"

let made = 0
const pieceId = () => testId("blk", 10_000 + made++) as Block["id"]
const block = (n: number, at: Partial<Block>): Block =>
  new Block({ ...defaultGrid[4]!, id: testId("blk", n) as Block["id"], ...at })
const week = (change: GridChange, fit: "exact" | "make_room" = "exact") => editWeek(defaultGrid, change, fit, pieceId)
const named = (title: string, weekday: number) =>
  defaultGrid.find((each) => each.title === title && each.weekday === weekday)!
const clock = (blocks: ReadonlyArray<Block>, weekday: number) =>
  blocks
    .filter((each) => each.weekday === weekday)
    .map(({ durationMin, startMinute, title }) => `${startMinute / 60} ${title} ${durationMin / 60}`)

describe("a change of the week", () => {
  it("is refused if a minute would have no block or two, and names the minute", () => {
    const gone = named("Guest Hour", 2)
    expect(week({ _tag: "Remove", id: gone.id })).toEqual(
      Result.fail([{ code: "gap", minute: 2 * 1_440 + 17 * 60, blockId: null }])
    )
    expect(minuteName(2 * 1_440 + 17 * 60)).toBe("Tuesday 17:00")
    expect(
      week({ _tag: "Put", blocks: [block(1, { weekday: 3, startMinute: 600, durationMin: 30 })], replaces: [] })
    ).toEqual(Result.fail([{ code: "overlap", minute: 3 * 1_440 + 600, blockId: null }]))
    expect(week({ _tag: "Change", id: gone.id, to: { durationMin: 90 } })).toEqual(
      Result.fail([{ code: "overlap", minute: 2 * 1_440 + 18 * 60, blockId: null }])
    )
    expect(week({ _tag: "Remove", id: "blk_x" })).toEqual(
      Result.fail([{ code: "unknown", minute: 0, blockId: "blk_x" }])
    )
    const halves = [0, 30].map((minute, n) => block(n, { weekday: 2, startMinute: 17 * 60 + minute, durationMin: 30 }))
    expect(Result.isSuccess(week({ _tag: "Put", blocks: halves, replaces: [gone.id] }))).toBe(true)
  })

  it("makes room if requested: overlapped blocks are cut, and gaps go to a neighbour", () => {
    const wide = Result.getOrThrow(
      week(
        {
          _tag: "Put",
          blocks: [block(1, { title: "New", weekday: 3, startMinute: 11 * 60, durationMin: 60 })],
          replaces: []
        },
        "make_room"
      )
    )
    expect(clock(wide, 3).slice(2, 6)).toEqual(["10 Workbench 1", "11 New 1", "12 Workbench 2", "14 Open Desk 3"])
    const [first, second] = wide.filter(({ title, weekday }) => title === "Workbench" && weekday === 3)
    expect([first!.id === named("Workbench", 3).id, second!.id === first!.id]).toEqual([true, false])
    expect(
      clock(Result.getOrThrow(week({ _tag: "Remove", id: named("Guest Hour", 2).id }, "make_room")), 2).slice(3, 5)
    ).toEqual(["14 Open Desk 4", "18 Evening Frequency 2"])
    // The first block of the week extends back to the last.
    expect(
      clock(Result.getOrThrow(week({ _tag: "Remove", id: named("Night Watch", 0).id }, "make_room")), 6).at(-1)
    ).toBe("22 Late Signal 8")
    const shorter = Result.getOrThrow(
      week({ _tag: "Change", id: named("Guest Hour", 2).id, to: { durationMin: 30 } }, "make_room")
    )
    expect(clock(shorter, 2).slice(4, 6)).toEqual(["17 Guest Hour 0.5", "17.5 Evening Frequency 2.5"])
    const moved = Result.getOrThrow(
      week(
        { _tag: "Change", id: named("Guest Hour", 2).id, to: { weekday: 6, startMinute: 23 * 60, durationMin: 120 } },
        "make_room"
      )
    )
    expect([clock(moved, 6).slice(-2), clock(moved, 0)[0]]).toEqual([
      ["22 Late Signal 1", "23 Guest Hour 2"],
      "1 Night Watch 5"
    ])
    // A remainder below the minimum length is no block.
    expect(
      Result.getOrThrow(
        Result.flip(
          week(
            {
              _tag: "Put",
              blocks: [block(1, { weekday: 3, startMinute: 10 * 60 + 2, durationMin: 60 })],
              replaces: []
            },
            "make_room"
          )
        )
      )
    ).toEqual([{ code: "too_short", minute: 3 * 1_440 + 600, blockId: named("Workbench", 3).id }])
  })

  it("leaves every minute of the week with one block, after any earlier changes", () => {
    const time = fc.record({
      weekday: fc.integer({ min: 0, max: 6 }),
      startMinute: fc.integer({ min: 0, max: 287 }).map((n) => n * 5),
      durationMin: fc.integer({ min: 1, max: 288 }).map((n) => n * 5)
    })
    const step = fc.record({
      fit: fc.constantFrom("exact" as const, "make_room" as const, "make_room" as const),
      which: fc.nat(),
      others: fc.array(fc.nat(), { maxLength: 2 }),
      kind: fc.constantFrom("Put", "Change", "Remove"),
      times: fc.array(time, { minLength: 1, maxLength: 3 })
    })
    let taken = 0
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        let blocks: ReadonlyArray<Block> = defaultGrid
        let n = 0
        const fresh = () => testId("blk", ++n) as Block["id"]
        for (const { fit, kind, others, times, which } of steps) {
          const id = blocks[which % blocks.length]!.id
          const change: GridChange =
            kind === "Remove"
              ? { _tag: "Remove", id }
              : kind === "Change"
                ? { _tag: "Change", id, to: times[0]! }
                : {
                    _tag: "Put",
                    blocks: times.map((at) => block(0, { ...at, id: fresh() })),
                    replaces: [...new Set(others.map((other) => blocks[other % blocks.length]!.id))]
                  }
          const next = editWeek(blocks, change, fit, fresh)
          if (Result.isFailure(next)) {
            expect(next.failure.length).toBeGreaterThan(0)
            continue
          }
          taken++
          blocks = next.success
          const minutes = new Uint8Array(10_080)
          for (const { durationMin, startMinute, weekday } of blocks)
            for (let at = 0; at < durationMin; at++) minutes[(weekday * 1_440 + startMinute + at) % 10_080]!++
          expect([
            faultsOf(blocks),
            minutes.every((count) => count === 1),
            new Set(blocks.map((each) => each.id)).size
          ]).toEqual([[], true, blocks.length])
          for (const { durationMin } of blocks)
            expect(durationMin >= blockMinutesMin && durationMin <= blockMinutesMax).toBe(true)
        }
      }),
      { numRuns: 150 }
    )
    expect(taken).toBeGreaterThan(200)
  })
})
