import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { defaultRotation, pick } from "../../../../engine/rules/air/Rotation.ts"
import { Play } from "../../../../schema/air/Rundown.ts"
import { candidate } from "../../../support/air/Airables.ts"

const now = 1_800_000_000_000
const rules = defaultRotation(7)
const played = (n: number, agoMs: number): Play => {
  const { airable } = candidate(n, 100)
  return new Play({
    atMs: now - agoMs,
    role: "music",
    assetId: airable.assetId,
    artist: airable.artist,
    agentId: null,
    topic: null
  })
}

describe("rotation", () => {
  it("repeats its pick for the same seed, turn and history, in any order of the list", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.nat(10_000),
        fc.shuffledSubarray(
          Array.from({ length: 24 }, (_, i) => i),
          { minLength: 1 }
        ),
        (seed, turn, list) => {
          const ask = { rules: defaultRotation(seed), turn, atMs: now, plays: [played(list[0]!, 60_000)], genres: [] }
          const there = pick({ ...ask, candidates: list.map((n) => candidate(n, 100)) })
          const back = pick({ ...ask, candidates: list.toReversed().map((n) => candidate(n, 100)) })
          expect(there).not.toBeNull()
          expect(back!.candidate.airable.assetId).toBe(there!.candidate.airable.assetId)
        }
      )
    )
  })

  it("never relaxes a distance that some candidate keeps, and reports relaxed ones", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(11), fc.nat(7_200_000)), { maxLength: 12 }), fc.nat(99), (past, turn) => {
        const plays = past.map(([n, ago]) => played(n, ago + 1))
        const candidates = Array.from({ length: 12 }, (_, i) => candidate(i, 100))
        const { candidate: chosen, trace } = pick({ rules, turn, atMs: now, candidates, plays, genres: [] })!
        const tooNear = (one: typeof chosen) =>
          plays.some(
            (play) =>
              (play.assetId === one.airable.assetId && now - play.atMs < rules.separation.trackMs) ||
              (play.artist === one.airable.artist && now - play.atMs < rules.separation.artistMs)
          )
        if (candidates.some((one) => !tooNear(one))) expect(tooNear(chosen)).toBe(false)
        if (tooNear(chosen)) expect(trace.some((line) => line.startsWith("relaxed:"))).toBe(true)
      })
    )
  })

  it("takes the longest rested track, with bounded influence of votes", () => {
    const of = (n: number, hours: number, weight: number) => {
      const one = candidate(n, 100, now - hours * 3_600_000)
      return { ...one, rotationClass: "house", weight } as typeof one
    }
    expect(
      pick({ rules, turn: 0, atMs: now, candidates: [of(0, 10, 1), of(1, 12, 1)], plays: [], genres: [] })!.candidate
        .airable.title
    ).toBe("music 1")
    expect(
      pick({ rules, turn: 0, atMs: now, candidates: [of(0, 10, 99), of(1, 12, 1)], plays: [], genres: [] })!.candidate
        .airable.title
    ).toBe("music 0")
    expect(
      pick({ rules, turn: 0, atMs: now, candidates: [of(0, 10, 99), of(1, 16, 1)], plays: [], genres: [] })!.candidate
        .airable.title
    ).toBe("music 1")
    expect(pick({ rules, turn: 0, atMs: now, candidates: [], plays: [], genres: [] })).toBeNull()
  })

  it("picks classes by their share", () => {
    const candidates = Array.from({ length: 30 }, (_, i) => candidate(i, 100))
    let contributed = 0
    for (let turn = 0; turn < 2_000; turn++) {
      if (
        pick({ rules, turn, atMs: now, candidates, plays: [], genres: [] })!.candidate.rotationClass === "contributed"
      )
        contributed++
    }
    expect(contributed / 2_000).toBeGreaterThan(0.7)
    expect(contributed / 2_000).toBeLessThan(0.8)
  })
})
