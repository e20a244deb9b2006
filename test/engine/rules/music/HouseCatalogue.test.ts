import { describe, expect, it } from "vitest"
import { houseSong, houseWorks, songAhead } from "../../../../engine/rules/music/HouseCatalogue.ts"
import { houseSongsMax } from "../../../../engine/rules/music/limits.ts"

const made = (count: number) => new Set(Array.from({ length: count }, (_, i) => `song:${i}`))
const own = houseWorks(7, "Longwave", 12).filter(({ name }) => name.startsWith("song:"))

describe("songs that the station composes ahead", () => {
  it("follow its own, each once, up to the limit", () => {
    const missing = { gapSec: 3_000, genres: [] }
    expect(songAhead(7, made(own.length - 1), missing)).toBe("wait")
    expect(songAhead(7, made(own.length), missing)).toEqual(houseSong(7, own.length))
    expect(songAhead(7, made(houseSongsMax), missing)).toBe(null)
    expect(own.map(({ name }, i) => [name, houseSong(7, i).name])).toEqual(own.map(({ name }) => [name, name]))
  })

  it("have the block's genres where possible, and the last fills the remaining time", () => {
    const next = (gapSec: number, genres: ReadonlyArray<string>) =>
      songAhead(7, made(own.length), { gapSec, genres }) as ReturnType<typeof houseSong>
    expect(["jazz", "folk"]).toContain(next(900, ["jazz", "folk", "polka"]).genre)
    expect(next(900, ["polka"])).toEqual(houseSong(7, own.length))
    expect([next(161.4, []).durationSec, next(20, []).durationSec >= 100, next(900, []).durationSec < 180]).toEqual([
      161,
      true,
      true
    ])
  })
})
