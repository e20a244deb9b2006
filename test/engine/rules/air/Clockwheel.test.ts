import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Block, GridRevision, type HourClock } from "../../../../schema/programmes/Block.ts"
import { findDueHourCall, isIdentDue, isSpeechOpen, wheelOf } from "../../../../engine/rules/air/Clockwheel.ts"
import { defaultGrid } from "../../../../engine/rules/time/WeekSchedule.ts"
import { compose } from "../../../../engine/rules/air/Planner.ts"
import { defaultRotation } from "../../../../engine/rules/air/Rotation.ts"
import { msOf, sampleOf } from "../../../../schema/time/Samples.ts"
import { airable, candidate } from "../../../support/air/Airables.ts"

const now = Date.UTC(2026, 5, 3, 9, 41)
const minute = 60_000
const decode = Schema.decodeUnknownExit(Block)
const encode = Schema.encodeSync(Block)
const night = defaultGrid[0]!
/** Four hours of a station whose blocks all have this clock. */
const hours = (clock: Block["clock"]) =>
  compose({
    nowMs: now,
    zone: "UTC",
    week: [new GridRevision({ validFromMs: 0, blocks: defaultGrid.map((block) => new Block({ ...block, clock })) })],
    rules: defaultRotation(5),
    turn: 0,
    held: false,
    plays: [],
    kept: [],
    cursor: { atSample: sampleOf(now), previous: null, voiceFreeSample: 0 },
    queued: [airable("segment", 1, 60), airable("segment", 2, 60)],
    pool: {
      music: Array.from({ length: 20 }, (_, i) => candidate(i, 150 + i)),
      beds: [airable("bed", 400, 45)],
      idents: [100, 101].map((n) => airable("ident", n, 4)),
      hourCalls: Array.from({ length: 24 }, (_, hour) => ({ hour, airable: airable("hour_call", 200 + hour, 5) }))
    },
    untilSample: sampleOf(now + 4 * 60 * minute),
    itemsMin: 0
  }).items.map((item) => ({ role: item.airable.role, startMs: msOf(item.startSample) }))
describe("the clock of an hour", () => {
  it("is the block's own, or that of its kind", () => {
    const clock: HourClock = { anchors: [{ minute: 30, role: "ident" }], speechRunMax: 1, musicBetweenFillers: 7 }
    expect(wheelOf(new Block({ ...night, clock }))).toEqual(clock)
    expect(wheelOf(night)).toEqual(wheelOf(new Block({ ...night, clock: null })))
    expect(wheelOf(night).musicBetweenFillers).toBeGreaterThan(wheelOf(defaultGrid[2]!).musicBetweenFillers)
    // A week from before blocks had clocks.
    const { clock: _, ...before } = encode(night)
    expect(decode(before)).toEqual(decode(encode(night)))
  })

  it("is refused if it can't be kept", () => {
    const faulty = (clock: unknown) => decode({ ...encode(night), clock })._tag
    const good = {
      anchors: [
        { minute: 0, role: "hour_call" },
        { minute: 0, role: "ident" }
      ],
      speechRunMax: 0,
      musicBetweenFillers: 1
    }
    expect(faulty(good)).toBe("Success")
    for (const wrong of [
      { ...good, anchors: [{ minute: 60, role: "ident" }] },
      { ...good, anchors: [{ minute: 20, role: "hour_call" }] },
      {
        ...good,
        anchors: [
          { minute: 5, role: "ident" },
          { minute: 5, role: "ident" }
        ]
      },
      { ...good, speechRunMax: -1 },
      { ...good, musicBetweenFillers: 0 },
      { ...good, anchors: [{ minute: 5, role: "jingle" }] }
    ])
      expect(faulty(wrong), JSON.stringify(wrong)).toBe("Failure")
  })

  it("holds exactly its declared entries", () => {
    const music = hours({ anchors: [], speechRunMax: 0, musicBetweenFillers: 1 })
    expect(new Set(music.map(({ role }) => role))).toEqual(new Set(["music"]))
    const usual = hours(null)
    expect(usual.filter(({ role }) => role === "hour_call")).toHaveLength(4)
    expect(usual.filter(({ role }) => role === "segment")).toHaveLength(2)
    const sparse = hours({ anchors: [{ minute: 30, role: "ident" }], speechRunMax: 2, musicBetweenFillers: 3 })
    expect(sparse.filter(({ role }) => role === "hour_call")).toEqual([])
    // The station identifies itself at the start, then once an hour at the first boundary after the anchor.
    const idents = sparse.filter(({ role }) => role === "ident").slice(1)
    expect(idents.length).toBe(4)
    for (const { startMs } of idents) expect((startMs % (60 * minute)) / minute).toBeLessThan(36)
    for (const { startMs } of idents) expect((startMs % (60 * minute)) / minute).toBeGreaterThanOrEqual(29)
  })

  it("counts its anchors around the hour", () => {
    const wheel = {
      ...wheelOf(night),
      anchors: [
        { minute: 50, role: "ident" },
        { minute: 20, role: "ident" }
      ]
    } as const
    const top = Date.UTC(2026, 5, 3, 10)
    const due = (atMin: number, lastMin: number) =>
      isIdentDue(wheel, "UTC", top + atMin * minute, [
        { role: "ident", startMs: top + lastMin * minute },
        { role: "music", startMs: top + atMin * minute - 1 }
      ])
    expect([due(10, -15), due(10, -9), due(21, -9), due(40, 22), due(51, 22)]).toEqual([true, false, true, false, true])
    expect(findDueHourCall(wheel, "UTC", top + minute, [])).toBeNull()
    expect(isSpeechOpen({ ...wheel, speechRunMax: 0 }, [])).toBe(false)
  })
})
