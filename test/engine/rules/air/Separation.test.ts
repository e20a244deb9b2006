import { describe, expect, it } from "vitest"
import { rundownItemsMin } from "../../../../engine/rules/air/limits.ts"
import { weekFrom } from "../../../../engine/rules/time/WeekSchedule.ts"
import { compose, playOf, type Pool } from "../../../../engine/rules/air/Planner.ts"
import { defaultRotation } from "../../../../engine/rules/air/Rotation.ts"
import { msOf, sampleOf } from "../../../../schema/time/Samples.ts"
import { cursorAfter, type Cursor } from "../../../../engine/rules/air/ItemSequence.ts"
import { Candidate, type Play, type RundownItem } from "../../../../schema/air/Rundown.ts"
import { airable, testId } from "../../../support/air/Airables.ts"

const midnight = Date.UTC(2026, 5, 3)
const genres = [
  "lofi",
  "synthwave",
  "jazz",
  "ambient",
  "house",
  "folk",
  "techno",
  "funk",
  "soul",
  "rock",
  "drum_and_bass",
  "pop",
  "latin",
  "reggae"
]
const rules = defaultRotation(11)
const song = (n: number, artists: number, agents: number | null) =>
  new Candidate({
    airable: airable("music", n, 100 + ((n * 37) % 80), {
      artist: `artist ${n % artists}`,
      agentId: agents === null ? null : testId("agt", n % agents),
      genre: genres[n % genres.length]!
    }),
    rotationClass: agents === null ? "house" : "contributed",
    weight: 1,
    lastPlayedMs: null
  })
/** A whole day, planned half an hour at a time as on the station. Returns its music. */
const day = (music: ReadonlyArray<Candidate>): ReadonlyArray<RundownItem> => {
  const pool: Pool = {
    music,
    idents: [100, 101, 102].map((n) => airable("ident", n, 4)),
    beds: [airable("bed", 400, 45)],
    hourCalls: Array.from({ length: 24 }, (_, hour) => ({ hour, airable: airable("hour_call", 200 + hour, 5) }))
  }
  let cursor: Cursor = { atSample: sampleOf(midnight), previous: null, voiceFreeSample: 0 }
  let turn = 0
  let plays: ReadonlyArray<Play> = []
  const heard: Array<RundownItem> = []
  while (msOf(cursor.atSample) < midnight + 86_400_000) {
    const plan = compose({
      nowMs: msOf(cursor.atSample),
      zone: "UTC",
      week: weekFrom([], 0),
      rules,
      turn,
      cursor,
      kept: [],
      queued: [],
      pool,
      plays,
      held: false,
      untilSample: cursor.atSample + 1_800 * 48_000,
      itemsMin: rundownItemsMin
    })
    for (const item of plan.items) cursor = cursorAfter(cursor, item)
    turn = plan.turn
    plays = [...plays, ...plan.items.map(playOf)].slice(-256)
    heard.push(...plan.items)
  }
  return heard.filter(({ airable }) => airable.role === "music")
}
/** Pairs of airings nearer than the distance whose later item doesn't list the rule as relaxed. */
const unexplained = (
  music: ReadonlyArray<RundownItem>,
  what: string,
  distanceMs: number,
  of: (item: RundownItem) => string | null
) =>
  music.flatMap((item, i) => {
    const before = music.slice(0, i).findLast((one) => of(one) !== null && of(one) === of(item))
    const near = before !== undefined && msOf(item.startSample) - msOf(before.startSample) < distanceMs
    return near && !item.trace.includes(`relaxed: ${what} separation`)
      ? [`${item.airable.title} after ${Math.round((item.startSample - before.startSample) / 48_000)} s`]
      : []
  })
describe("a day of music", () => {
  it("with fourteen songs plays all of them in turn, in any block, and reports relaxed distances", () => {
    const music = day(Array.from({ length: 14 }, (_, n) => song(n, 14, null)))
    expect(music.length).toBeGreaterThan(500)
    const between = music.flatMap((item, i) => {
      const before = music.slice(0, i).findLastIndex(({ airable }) => airable.assetId === item.airable.assetId)
      return before < 0 ? [] : [i - before]
    })
    // The planner looks for songs that lead to the next hour's call, so one or two may change places.
    expect(Math.min(...between)).toBeGreaterThanOrEqual(10)
    expect(unexplained(music, "track", rules.separation.trackMs, ({ airable }) => airable.assetId)).toEqual([])
    expect(unexplained(music, "artist", rules.separation.artistMs, ({ airable }) => airable.artist)).toEqual([])
  })

  it("with a large library keeps every distance by track, artist and agent", () => {
    const music = day(Array.from({ length: 90 }, (_, n) => song(n, 45, 30)))
    const relaxed = music.filter(({ trace }) => trace.some((line) => /^relaxed: (track|artist|agent)/.test(line)))
    expect(relaxed.map(({ airable, trace }) => `${airable.title}: ${trace.join("; ")}`)).toEqual([])
    expect(unexplained(music, "track", rules.separation.trackMs, ({ airable }) => airable.assetId)).toEqual([])
    expect(unexplained(music, "artist", rules.separation.artistMs, ({ airable }) => airable.artist)).toEqual([])
    expect(unexplained(music, "agent", rules.separation.agentMs, ({ airable }) => airable.agentId)).toEqual([])
    // With enough candidates, a block follows its genres.
    const night = music.filter(({ startSample }) => msOf(startSample) < midnight + 3_600_000)
    expect(
      night.filter(({ airable }) => ["ambient", "lofi", "jazz"].includes(airable.genre!)).length / night.length
    ).toBeGreaterThan(0.3)
  })
})
