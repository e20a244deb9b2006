import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { wallOf } from "../../../../engine/rules/time/WeekSchedule.ts"
import {
  audienceBand,
  feelings,
  moodOf,
  partOfDay,
  season,
  worldStateOf
} from "../../../../engine/rules/lore/WorldState.ts"
import { moods } from "../../../../schema/agents/LivingDeclarations.ts"

const zones = Intl.supportedValuesOf("timeZone")
const hourMs = 3_600_000
const nowMs = Date.UTC(2027, 5, 21, 12)
const at = (hoursAgo: number) => new Date(nowMs - hoursAgo * hourMs).toISOString()
const said = (handle: string, text: string, hoursAgo: number, kind: "mood" | "taste" = "mood") => ({
  id: `${handle}${hoursAgo}`,
  handle,
  kind,
  text,
  at: at(hoursAgo)
})
const facts = {
  nowMs,
  zone: "UTC",
  block: null,
  listeners: 0,
  agentsOnline: 0,
  declared: [],
  recentLore: [{ id: "lore_1", title: "The Copper Kettle" }],
  councilOpen: [{ id: "dkt_1", title: "An hour of silence", closesAt: "2027-06-22T12:00:00.000Z" }],
  topics: [{ id: "top_1", title: "What the tide brings" }],
  onAirSinceMs: null
}

describe("the world of the station", () => {
  it("follows the local clock, in every zone at any time", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2025, 0, 1) / 1_000, max: Date.UTC(2032, 0, 1) / 1_000 }),
        (zone, second) => {
          const hour = new Date(wallOf(zone, second * 1_000)).getUTCHours()
          expect([zone, hour, partOfDay(zone, second * 1_000)]).toEqual([
            zone,
            hour,
            hour < 6 || hour >= 22 ? "night" : hour < 12 ? "morning" : hour < 18 ? "afternoon" : "evening"
          ])
          // Half a year later it is the opposite season.
          const opposite = { winter: "summer", summer: "winter", spring: "autumn", autumn: "spring" } as const
          const month = new Date(wallOf(zone, second * 1_000))
          const halfYear = Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 6, 15)
          expect(season(zone, halfYear)).toBe(opposite[season(zone, second * 1_000)])
        }
      )
    )
    expect(["Europe/Berlin", "America/New_York", "Asia/Tokyo", "UTC"].map((zone) => season(zone, nowMs))).toEqual([
      "summer",
      "summer",
      "summer",
      "summer"
    ])
    expect(
      [
        "Australia/Sydney",
        "Africa/Johannesburg",
        "America/Sao_Paulo",
        "Pacific/Auckland",
        "America/Santiago",
        "Pacific/Chatham"
      ].map((zone) => season(zone, nowMs))
    ).toEqual(Array.from({ length: 6 }, () => "winter"))
    // Northern clocks with an inverted or nominal summer time don't count as southern.
    expect(["Africa/Casablanca", "Europe/Dublin"].map((zone) => season(zone, nowMs))).toEqual(["summer", "summer"])
  })

  it("has the mood of its agents, each counted once and recently", () => {
    for (const mood of moods)
      expect(moodOf([said("a", mood, 1)], "night", nowMs)).toEqual({
        label: mood,
        valence: feelings[mood][0],
        energy: feelings[mood][1]
      })
    expect(
      moodOf(
        [
          said("a", "dark", 30),
          said("a", "bright", 2),
          said("b", "bright", 3),
          said("c", "tired", 49),
          said("d", "fog", 1, "taste")
        ],
        "night",
        nowMs
      ).label
    ).toBe("bright")
    expect(moodOf([], "morning", nowMs)).toEqual({ label: "bright", valence: 0.8, energy: 0.4 })
    const some = fc.array(
      fc.record({
        handle: fc.constantFrom("a", "b", "c", "d"),
        text: fc.constantFrom(...moods, "constructor"),
        hours: fc.integer({ min: 0, max: 60 })
      }),
      { maxLength: 30 }
    )
    fc.assert(
      fc.property(some, (all) => {
        const { energy, label, valence } = moodOf(
          all.map(({ handle, hours, text }) => said(handle, text, hours)),
          "evening",
          nowMs
        )
        expect(moods).toContain(label)
        for (const value of [valence, energy]) expect(Math.abs(value)).toBeLessThanOrEqual(1)
      })
    )
  })

  it("describes the audience without its number", () => {
    expect([0, 9, 10, 99, 100, 999, 1_000, 50_000].map(audienceBand)).toEqual([
      "quiet",
      "quiet",
      "steady",
      "steady",
      "busy",
      "busy",
      "packed",
      "packed"
    ])
    expect(JSON.stringify(worldStateOf({ ...facts, listeners: 12_345 }))).not.toContain("12345")
  })

  it("names each agent once with its latest declaration, and counts the hours on the air", () => {
    const declared = Array.from({ length: 30 }, (_, i) => said(`agent${i % 14}`, "calm", i))
    const world = worldStateOf({ ...facts, declared, onAirSinceMs: nowMs - 90 * 60_000, agentsOnline: 3 })
    expect(world.livingAgents.map(({ handle }) => handle)).toEqual(Array.from({ length: 10 }, (_, i) => `agent${i}`))
    expect(world).toMatchObject({
      asOf: "2027-06-21T12:00:00.000Z",
      agentsOnline: 3,
      streak: { hoursOnAir: 1.5 },
      openCalls: [],
      topics: [{ id: "top_1" }],
      recentLore: [{ id: "lore_1" }],
      councilOpen: [{ id: "dkt_1" }],
      station: { localTime: "2027-06-21T12:00:00+00:00", partOfDay: "afternoon", season: "summer", block: null }
    })
    expect(worldStateOf(facts).streak).toEqual({ hoursOnAir: 0 })
  })
})
