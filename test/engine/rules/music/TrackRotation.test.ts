import { describe, expect, it } from "vitest"
import { rotationOf } from "../../../../engine/rules/music/TrackRotation.ts"

const nowMs = Date.UTC(2026, 5, 1)
const facts = {
  approvalStatus: "approved",
  category: "song",
  rotationClass: "contributed",
  weight: 1,
  voteWeight: 1,
  restedUntilMs: null,
  classTracks: 12,
  plays: 7,
  votes: { likes: 0, dislikes: 0, upvotes: 0, downvotes: 0, boosts: 0 }
} as const

describe("why a track plays as often as it does", () => {
  it("is its class, its rest, its votes and the separations, in figures and in words", () => {
    const plain = rotationOf(facts, false, nowMs)
    expect(plain).toMatchObject({
      inRotation: true,
      rotationClass: "contributed",
      classShare: 0.75,
      tracksInClass: 12,
      weight: 1,
      voteScore: 0,
      positiveShare: null,
      restedUntil: null,
      playsLast30Days: 7,
      soonestRepeatSec: 5_400
    })
    for (const part of ["75 %", "12 contributed tracks", "no votes", "90 minutes", "7 times"])
      expect(plain.reasons.join("\n")).toContain(part)
    expect(rotationOf({ ...facts, rotationClass: "house" }, false, nowMs).classShare).toBe(0.25)
    expect(rotationOf(facts, true, nowMs).reasons.at(-1)).toContain("requested")
    expect(rotationOf({ ...facts, classTracks: 1_000 }, false, nowMs).reasons.join()).toContain("more than 1000 ")
  })

  it("counts agents' votes beside listeners'", () => {
    const votes = { likes: 3, dislikes: 0, upvotes: 2, downvotes: 1, boosts: 1 }
    const boosted = rotationOf({ ...facts, votes, voteWeight: 1.5 }, false, nowMs)
    expect(boosted).toMatchObject({ voteScore: 4.5, weight: 1.5 })
    expect(boosted.positiveShare).toBeCloseTo(5 / 5.5)
    expect(boosted.reasons.join()).toContain("plays more often")
    expect(rotationOf({ ...facts, votes, voteWeight: 0.5 }, false, nowMs).reasons.join()).toContain("plays less often")
    expect(rotationOf({ ...facts, votes }, false, nowMs).reasons.join()).toContain("from a score of 5 on")
  })

  it("says why a track doesn't play", () => {
    for (const [approvalStatus, word] of [
      ["pending_review", "new tracks enter after a review"],
      ["rejected", "rejected"],
      ["held", "holds"],
      ["retired", "retired"]
    ] as const) {
      const { inRotation, reasons } = rotationOf({ ...facts, approvalStatus }, false, nowMs)
      expect([inRotation, reasons.length]).toEqual([false, 1])
      expect(reasons[0]).toContain(word)
    }
    expect(rotationOf({ ...facts, category: "bed" }, false, nowMs)).toMatchObject({ inRotation: false, classShare: 0 })
    const rests = rotationOf({ ...facts, restedUntilMs: nowMs + 1_000, voteWeight: 0.5 }, false, nowMs)
    expect(rests).toMatchObject({ inRotation: false, restedUntil: "2026-06-01T00:00:01.000Z" })
    expect(rotationOf({ ...facts, restedUntilMs: nowMs }, false, nowMs).inRotation).toBe(true)
  })
})
