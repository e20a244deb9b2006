import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { advance, rulingOf, isTerminal } from "../../../../engine/rules/segments/Segment.ts"
import { applyJudgement } from "../../../../engine/rules/music/Track.ts"
import { Judgement } from "../../../../schema/moderation/Review.ts"
import { SegmentStatus } from "../../../../schema/segments/Segment.ts"
import { TrackStatus } from "../../../../schema/music/Track.ts"

const every = SegmentStatus.literals.flatMap((status) =>
  Judgement.literals.map((judgement) => [status, judgement] as const)
)

describe("judging segments", () => {
  it.each(every)("%s, %s: only what the states allow", (status, judgement) => {
    const ruled = rulingOf(status, judgement)
    if (ruled?._tag === "Step") expect(Result.isSuccess(advance(status, ruled.step))).toBe(true)
    // A segment that has begun to air can't be recalled: only its copies can be judged.
    if (status === "airing" || status === "aired")
      expect(ruled).toEqual({ _tag: "Copies", hidden: judgement !== "release" })
  })

  it("leaves nothing that could air after a removal, and nothing that airs by itself after a hold", () => {
    for (const status of SegmentStatus.literals) {
      const removed = rulingOf(status, "remove")
      if (removed?._tag === "Step")
        expect(isTerminal(Result.getOrThrow(advance(status, removed.step))) || status === "held").toBe(true)
      else expect(["airing", "aired", "failed", "rejected", "expired", "cancelled"]).toContain(status)
      const held = rulingOf(status, "hold")
      if (held?._tag === "Step") expect(Result.getOrThrow(advance(status, held.step))).toBe("held")
    }
  })

  it("releases held segments, and decides none that waits for its review", () => {
    expect(rulingOf("held", "release")).toEqual({ _tag: "Step", step: "Release" })
    expect(rulingOf("pending_review", "release")).toBe(null)
  })
})

describe("judging tracks", () => {
  it("is final for removals, and restores only held tracks", () => {
    for (const status of TrackStatus.literals) {
      expect(applyJudgement(status, "remove")).toBe("retired")
      expect(applyJudgement(status, "release")).toBe(status === "held" || status === "approved" ? "approved" : null)
      expect(applyJudgement(status, "hold")).toBe(status === "approved" || status === "held" ? "held" : null)
    }
  })
})
