import { describe, expect, it } from "vitest"
import { musicLufs, speechLufs } from "../../../../engine/rules/sound/limits.ts"
import { simulate } from "../../../../engine/rules/simulation/Simulation.ts"
import { drawDemand, drawFaults, smallStation } from "../../../../engine/rules/simulation/SimulatedStation.ts"
import { figuresOf, gini } from "../../../../engine/rules/simulation/SimulationFigures.ts"
import type { Happening, Stage } from "../../../../engine/rules/simulation/SimulationInput.ts"
import { msOf, sampleOf } from "../../../../schema/time/Samples.ts"
import { Rundown, RundownItem } from "../../../../schema/air/Rundown.ts"
import { airable, testId } from "../../../support/air/Airables.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
// Saturday noon in Berlin, before the night in which summer time begins.
const noon = Date.UTC(2026, 2, 28, 11)
const stageOf = (hours: number, happenings: ReadonlyArray<Happening> = [], more: Partial<Stage> = {}): Stage => ({
  ...smallStation(3),
  fromMs: noon,
  toMs: noon + hours * hourMs,
  zone: "Europe/Berlin",
  happenings,
  ...more
})
const played = (stage: Stage) => {
  const rehearsed = simulate(stage)
  return { rehearsed, figures: figuresOf(stage, rehearsed) }
}
describe("a simulation", () => {
  it("simulates a day with all contributions and all faults, and with the night of a clock change, and keeps every promise", () => {
    const bare = stageOf(15)
    const busy = { ...bare, happenings: drawDemand(bare, 5, true) }
    const stage = { ...busy, happenings: [...busy.happenings, ...drawFaults(busy, 5)] }
    const { figures, rehearsed } = played(stage)
    expect(figures.broken).toEqual([])
    expect(figures.items).toBeGreaterThan(270)
    expect(rehearsed.aired.every((one, i) => i === 0 || one.firstSample > rehearsed.aired[i - 1]!.firstSample)).toBe(
      true
    )
    // Every item that is too close to an earlier one says why.
    for (const { near, rule, said } of figures.separation) expect([rule, said]).toEqual([rule, near])
    expect(
      figures.requests.heard + figures.requests.expired + figures.requests.cancelled + figures.requests.waiting
    ).toBe(figures.requests.asked)
    expect(figures.requests.heard).toBeGreaterThan(figures.requests.asked / 2)
    expect(figures.days.map(({ day }) => day)).toEqual(["2026-03-28", "2026-03-29"])
    expect(figures.days.reduce((sum, day) => sum + day.items, 0)).toBe(figures.items)
    // A repeat has the same result.
    const { aired } = simulate({ ...stage, toMs: noon + 4 * hourMs })
    const first = rehearsed.aired.slice(0, aired.length - 1)
    expect(aired.slice(0, -1).map(({ firstSample, item }) => [firstSample, item.id])).toEqual(
      first.map(({ firstSample, item }) => [firstSample, item.id])
    )
  }, 300_000)

  it("reports silence, and placed items that would start late", () => {
    const silent = played(stageOf(1, [], { tracks: [], house: { idents: [], beds: [], hourCalls: [] } })).figures
    expect(silent.gaps).toHaveLength(1)
    expect(silent.broken[0]).toContain("nothing to hear")
    // The sound of the placed item is lost for good: it doesn't air, and no external cause excuses that.
    const gone = airable("segment", 1, 30)
    const item = new RundownItem({
      id: testId("itm", 1),
      airable: gone,
      placement: { _tag: "Hard", atMs: noon + 40 * minuteMs },
      startSample: 0,
      locked: true,
      trace: []
    })
    const missed = played(
      stageOf(1, [
        { _tag: "Missing", atMs: noon, assetId: gone.assetId, untilMs: noon + 2 * hourMs },
        { _tag: "Placed", atMs: noon + minuteMs, item }
      ])
    ).figures
    expect(missed.broken).toEqual([expect.stringContaining("did not air")])
    expect(missed.skipped).toBeGreaterThan(0)
    expect(missed.gaps).toEqual([])
  })

  it("starts placed items and plans to the sample, and names obstacles", () => {
    const atMs = noon + 40 * minuteMs
    const item = new RundownItem({
      id: testId("itm", 1),
      airable: airable("segment", 1, 30),
      placement: { _tag: "Hard", atMs },
      startSample: 0,
      locked: true,
      trace: []
    })
    const { rehearsed, figures } = played(stageOf(1, [{ _tag: "Placed", atMs: noon + minuteMs, item }]))
    expect(rehearsed.aired.find((one) => one.item.id === item.id)!.firstSample).toBe(sampleOf(atMs))
    expect(figures.hard).toMatchObject([{ lateMs: 0, why: "on time" }])
    const parts = [airable("segment", 2, 40), airable("music", 3, 200), airable("music", 4, 180)].map((each, n) => ({
      itemId: testId("itm", 10 + n),
      airable: each,
      transition: "cut" as const
    }))
    const programme = {
      planId: testId("plan", 1),
      title: "An hour",
      startMs: atMs,
      endMs: atMs + 10 * minuteMs,
      overrunPolicy: "trim" as const,
      parts
    }
    const planned = played(stageOf(1, [{ _tag: "Programme", atMs: noon, programme }])).figures.programmes
    expect(planned.starts).toMatchObject([{ lateMs: 0, why: "on time", parts: 3, aired: 3, left: [] }])
    const inEmergency = played(
      stageOf(1, [
        { _tag: "Programme", atMs: noon, programme },
        { _tag: "Emergency", atMs: atMs - minuteMs, on: true },
        { _tag: "Emergency", atMs: atMs + minuteMs, on: false }
      ])
    ).figures
    expect(inEmergency.programmes.starts).toMatchObject([{ why: "an emergency was on" }])
    expect(inEmergency.broken).toEqual([])
  })

  it("continues right after an emergency with the first available sound", () => {
    // The hour's call would come first; it was too far ahead to be planned when the emergency began.
    const missing = smallStation(3).house.hourCalls.map(({ airable: { assetId } }): Happening => ({
      _tag: "Missing",
      atMs: noon,
      assetId,
      untilMs: noon + 2 * hourMs
    }))
    const { figures, rehearsed } = played(
      stageOf(1.5, [
        ...missing,
        { _tag: "Emergency", atMs: noon + 50 * minuteMs, on: true },
        { _tag: "Emergency", atMs: noon + 61 * minuteMs, on: false }
      ])
    )
    expect(rehearsed.skipped).toBe(1)
    expect(figures.broken).toEqual([])
  })

  it("ignores items placed after its end", () => {
    const item = new RundownItem({
      id: testId("itm", 1),
      airable: airable("segment", 1, 30),
      placement: { _tag: "Hard", atMs: noon + 65 * minuteMs },
      startSample: 0,
      locked: true,
      trace: []
    })
    const { broken, hard } = played(stageOf(1, [{ _tag: "Placed", atMs: noon + 50 * minuteMs, item }])).figures
    expect([broken, hard]).toEqual([[], []])
  })

  const lufsOf = (speech: boolean) => (speech ? speechLufs : musicLufs)
  it("reports each sound with a wrong loudness once, and each step between sounds", () => {
    const bare = stageOf(1)
    const heard = simulate(bare).aired.map(({ item: { airable } }) => airable)
    expect(played(bare).figures.loudness).toEqual({ measured: 0, off: [], steps: [] })
    const loudness = new Map(
      heard.map(({ assetId, speech }, i) => [assetId, lufsOf(speech) + (i % 2 === 0 ? -0.5 : 0.5)])
    )
    expect(played({ ...bare, loudness }).figures.loudness).toEqual({ measured: heard.length, off: [], steps: [] })
    const song = heard.findIndex(({ role }, i) => i > 0 && role === "music")
    const figures = played({
      ...bare,
      loudness: new Map([
        ...loudness,
        [heard[song - 1]!.assetId, lufsOf(heard[song - 1]!.speech)],
        [heard[song]!.assetId, -17.5]
      ])
    }).figures
    expect(figures.loudness.off).toMatchObject([{ title: heard[song]!.title, lufs: -17.5 }])
    expect(figures.loudness.steps[0]).toMatchObject({ title: heard[song]!.title, stepLu: -1.5 })
    expect(figures.loudness.steps).toHaveLength(2)
    expect(figures.broken).toEqual([`${heard[song]!.title} has -17.5 LUFS, not -16`])
    // Speech that was mastered at the loudness of music is aired at its own.
    const old = new Map(heard.map(({ assetId }) => [assetId, musicLufs]))
    expect(played({ ...bare, loudness: old }).figures.loudness).toMatchObject({ off: [], steps: [] })
  })

  it("continues from a station's present plan", () => {
    const before = stageOf(1)
    const { aired } = simulate(before)
    const items = aired.slice(2).map(({ item }) => item)
    const rundown = new Rundown({
      stationId: "stn",
      revision: 9,
      turn: 40,
      held: false,
      emergency: false,
      onAir: aired[1]!.item,
      items
    })
    // The queue has no new item and is deep enough, yet it begins at once.
    const { figures, rehearsed } = played({
      ...before,
      rundown,
      tracks: [],
      fromMs: msOf(aired[1]!.firstSample) + 1_000
    })
    expect(figures.broken).toEqual([])
    const kept = new Set(rehearsed.aired.map(({ item }) => item.id))
    expect(
      items
        .filter(({ airable: { role } }) => role === "music")
        .slice(0, 3)
        .map(({ id }) => kept.has(id))
    ).toEqual([true, true, true])
  })

  it("moves no sound when the machine's clock is set", () => {
    const heard = (happenings: ReadonlyArray<Happening>) =>
      simulate(stageOf(6, happenings)).aired.map(({ firstSample, item }) => `${firstSample} ${item.airable.assetId}`)
    const jumps = [1, -1, -1].map((hours, n): Happening => ({
      _tag: "ClockJump",
      atMs: noon + (n + 1) * hourMs,
      byMs: hours * hourMs
    }))
    expect(heard(jumps)).toEqual(heard([]))
  })

  it("airs each segment once, despite holds, withdrawals and cuts", () => {
    const segments = Array.from({ length: 30 }, (_, n): Happening => ({
      _tag: "Segment",
      atMs: noon + n * 7 * minuteMs,
      airable: airable("segment", 100 + n, 20 + n * 5)
    }))
    const withdrawn = testId("seg", 103)
    const { rehearsed } = played(
      stageOf(8, [
        ...segments,
        { _tag: "Withdrawn", atMs: noon + 21 * minuteMs, id: withdrawn },
        { _tag: "Hold", atMs: noon + hourMs, on: true },
        { _tag: "Hold", atMs: noon + 2 * hourMs, on: false }
      ])
    )
    const ids = rehearsed.aired.flatMap(({ item }) => item.airable.segmentId ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(29)
    expect(ids).not.toContain(withdrawn)
    const during = rehearsed.aired.filter(
      ({ firstSample, item }) =>
        item.airable.segmentId !== null &&
        msOf(firstSample) > noon + hourMs + 4_000 &&
        msOf(firstSample) < noon + 2 * hourMs
    )
    expect(during).toEqual([])
    expect(rehearsed.waiting).toEqual([])
  })

  it("measures fairness", () => {
    expect([gini([]), gini([5, 5, 5]), gini([0, 0, 0, 8])]).toEqual([0, 0, 0.75])
  })
})
