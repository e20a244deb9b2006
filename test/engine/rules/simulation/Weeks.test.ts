import { describe, expect, it } from "vitest"
import { simulate } from "../../../../engine/rules/simulation/Simulation.ts"
import { drawDemand, drawFaults, smallStation } from "../../../../engine/rules/simulation/SimulatedStation.ts"
import { figuresOf } from "../../../../engine/rules/simulation/SimulationFigures.ts"
import type { Stage } from "../../../../engine/rules/simulation/SimulationInput.ts"

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Africa/Cairo",
  "Asia/Kathmandu",
  "America/Santiago",
  "Pacific/Chatham"
]
const dayMs = 86_400_000

/** A stretch of `hours` within nine years, in one of the zones with unusual clock changes. */
const stageOf = (seed: number, hours: number): Stage => {
  const fromMs = Date.UTC(2026, 0, 2) + ((seed * 7_919) % 2_550) * dayMs + ((seed * 104_729) % 86_400) * 1_000
  const bare: Stage = {
    ...smallStation(seed),
    fromMs,
    toMs: fromMs + hours * 3_600_000,
    zone: zones[seed % zones.length]!,
    happenings: []
  }
  const busy = { ...bare, happenings: drawDemand(bare, seed, true) }
  return { ...busy, happenings: [...busy.happenings, ...drawFaults(busy, seed)] }
}

describe("F22: weeks with all faults, by the rules alone", () => {
  // A few hours of two weeks by default; `REHEARSAL_SEEDS=1-500` simulates five hundred whole weeks.
  const asked = process.env["REHEARSAL_SEEDS"]
  const [first = 1, last = first] = (asked ?? "1-2").split("-").map(Number)
  it.each(Array.from({ length: last - first + 1 }, (_, i) => first + i))(
    "seed %i",
    (seed) => {
      const stage = stageOf(seed, asked === undefined ? 6 : 168)
      const figures = figuresOf(stage, simulate(stage))
      expect(figures.broken, `seed ${seed}`).toEqual([])
      for (const { near, rule, said } of figures.separation) expect([seed, rule, said]).toEqual([seed, rule, near])
    },
    300_000
  )
})
