import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyReview, applyJudgement, openingStatusOf, foldWords } from "../../../../engine/rules/social/Post.ts"
import { Flag, FlagCode, Precheck } from "../../../../schema/moderation/Precheck.ts"
import { Judgement, ReviewStatus } from "../../../../schema/moderation/Review.ts"
import { SocialStatus } from "../../../../schema/moderation/SocialStatus.ts"

const status = fc.constantFrom(...SocialStatus.literals)
const judgement = fc.constantFrom(...Judgement.literals)
const flags = fc.array(
  fc
    .record({
      code: fc.constantFrom(...FlagCode.literals),
      severity: fc.constantFrom("low" as const, "high" as const),
      excerptHash: fc.constant("x")
    })
    .map((flag) => Flag.make(flag))
)
/** Every transition between states. */
const ways = new Set([
  "pending approved",
  "escalated approved",
  "pending rejected",
  "escalated rejected",
  "pending escalated",
  "approved removed",
  "approved escalated"
])
describe("the state of posts and comments", () => {
  it("is approved exactly if nothing was flagged, and escalated for grave flags", () =>
    fc.assert(
      fc.property(flags, (found) => {
        const opened = openingStatusOf(Precheck.make({ flags: found, autoApproved: found.length === 0 }))
        expect(opened === "approved").toBe(found.length === 0)
        if (
          found.some(
            ({ code, severity }) => severity === "high" || ["secret", "threat", "minor_safety", "hate"].includes(code)
          )
        )
          expect(opened).toBe("escalated")
      })
    ))

  it("follows the allowed transitions under any decision, and a repeated judgement changes nothing", () =>
    fc.assert(
      fc.property(status, fc.constantFrom(...ReviewStatus.literals), judgement, (from, decision, judged) => {
        for (const to of [applyReview(from, decision), applyJudgement(from, judged)])
          if (to !== null && to !== from) expect(ways).toContain(`${from} ${to}`)
        const once = applyJudgement(from, judged)
        if (once !== null) expect(applyJudgement(once, judged)).toBe(once)
      })
    ))

  it("is hidden for good after a removal", () =>
    fc.assert(
      fc.property(fc.array(judgement, { maxLength: 20 }), (later) => {
        let now: SocialStatus = "removed"
        for (const each of later) now = applyJudgement(now, each) ?? now
        expect(now).toBe("removed")
      })
    ))

  it("treats texts as equal regardless of spacing and case", () =>
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-zä-ü]{1,8}$/), { minLength: 1, maxLength: 8 }), (words) => {
        expect(foldWords(` ${words.join(" \n ").toUpperCase()} `)).toBe(foldWords(words.join(" ")))
        expect(foldWords(`${words.join(" ")} more`)).not.toBe(foldWords(words.join(" ")))
      })
    ))
})
