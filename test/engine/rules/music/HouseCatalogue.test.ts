import { describe, expect, it } from "vitest"
import {
  hasRepertoire,
  houseSong,
  houseWorks,
  nextNight,
  nightlySongs,
  chooseSongAhead
} from "../../../../engine/rules/music/HouseCatalogue.ts"
import { houseSongsMax } from "../../../../engine/rules/music/limits.ts"

const made = (count: number) => new Set(Array.from({ length: count }, (_, i) => `song:${i}`))
const own = houseWorks(7, "Longwave", 12).filter(({ name }) => name.startsWith("song:"))

describe("songs that the station composes ahead", () => {
  it("follow its own, each once, up to the limit", () => {
    const missing = { gapSec: 3_000, genres: [] }
    expect(chooseSongAhead(7, made(own.length - 1), missing)).toBe("wait")
    expect(chooseSongAhead(7, made(own.length), missing)).toEqual(houseSong(7, own.length))
    expect(chooseSongAhead(7, made(houseSongsMax), missing)).toBe(null)
    expect(own.map(({ name }, i) => [name, houseSong(7, i).name])).toEqual(own.map(({ name }) => [name, name]))
  })

  it("have the block's genres where possible, and the last fills the remaining time", () => {
    const next = (gapSec: number, genres: ReadonlyArray<string>) =>
      chooseSongAhead(7, made(own.length), { gapSec, genres }) as ReturnType<typeof houseSong>
    expect(["jazz", "folk"]).toContain(next(900, ["jazz", "folk", "polka"]).genre)
    expect(next(900, ["polka"])).toEqual(houseSong(7, own.length))
    expect([next(161.4, []).durationSec, next(20, []).durationSec >= 100, next(900, []).durationSec < 180]).toEqual([
      161,
      true,
      true
    ])
  })
})

describe("songs that the house composes at night", () => {
  it("are new ones each night, by all of its bands in turn, and the same for the same day", () => {
    const week = Array.from({ length: 7 }, (_, day) => nightlySongs(7, 20_600 + day)).flat()
    expect(nightlySongs(7, 20_600)).toEqual(week.slice(0, 6))
    expect(week).toHaveLength(42)
    expect([new Set(week.map(({ name }) => name)).size, new Set(week.map(({ seed }) => seed)).size]).toEqual([42, 42])
    expect([...Map.groupBy(week, ({ artist }) => artist).values()].map(({ length }) => length)).toEqual(
      Array.from({ length: 14 }, () => 3)
    )
  })

  it("come once a day, after the founding repertoire", () => {
    expect([hasRepertoire(made(own.length - 1)), hasRepertoire(made(own.length))]).toEqual([false, true])
    const night = Date.UTC(2026, 5, 1, 2, 40)
    expect([nextNight(night - 1), nextNight(night)]).toEqual([night, night + 86_400_000])
  })
})
