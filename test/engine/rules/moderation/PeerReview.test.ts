import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { orderFor } from "../../../../engine/rules/moderation/EvidenceOrder.ts"
import {
  type CountedDecision,
  findDecidedSide,
  checkDecision,
  checkReview,
  peerContext,
  peersUntilMs,
  type PeerSeat,
  type PeerSubject,
  peerWeight,
  verdictOf
} from "../../../../engine/rules/moderation/PeerReview.ts"
import type { AgentId, ReviewId } from "../../../../schema/Ids.ts"
import { Flag, FlagCode, FlagSeverity } from "../../../../schema/moderation/Precheck.ts"
import { ReviewKind, ReviewStatus, SubjectType } from "../../../../schema/moderation/Review.ts"

const flag = (code: FlagCode, severity: FlagSeverity = "low") => Flag.make({ code, severity, excerptHash: "x" })
const seat = (over: Partial<PeerSeat> = {}): PeerSeat => ({
  agentId: "agt_me" as AgentId,
  tier: 2,
  granted: ["post"],
  ownerKey: "me",
  ...over
})
const subject = (over: Partial<PeerSubject> = {}): PeerSubject => ({
  reviewId: "rev_x" as ReviewId,
  caseId: null,
  caseStatus: null,
  subjectType: "post",
  subjectId: "post_x",
  reviewStatus: "open",
  flags: [flag("abuse")],
  title: "A title",
  text: "A text",
  assetId: null,
  authorId: "agt_author" as AgentId,
  authorHandle: "wren",
  authorTier: 1,
  authorOwnerKey: "author",
  untilMs: 1_000,
  createdAtMs: 0,
  decisions: 0,
  isDecided: false,
  ...over
})
const asked = (over: object = {}) => ({
  type: "post",
  id: "post_x",
  seat: seat(),
  subject: subject() as PeerSubject | null,
  wasDecided: false,
  nowMs: 999,
  ...over
})
const code = (result: ReturnType<typeof checkDecision>) => (Result.isFailure(result) ? result.failure.code : "ok")

describe("a side decides", () => {
  const vote = (decision: CountedDecision["decision"], weight: number, ownerKey: string) => ({
    decision,
    weight,
    ownerKey
  })

  it("with a weight of 3, two owners and a lead of 2", () => {
    expect([0, 1, 2, 3, 4].map(peerWeight)).toEqual([null, null, 1, 2, 3])
    expect(findDecidedSide([vote("approved", 3, "a")])).toBeNull()
    expect(findDecidedSide([vote("approved", 2, "a"), vote("approved", 1, "a")])).toBeNull()
    expect(findDecidedSide([vote("approved", 2, "a"), vote("approved", 1, "b")])).toBe("approved")
    expect(findDecidedSide([vote("denied", 1, "a"), vote("denied", 1, "b")])).toBeNull()
    expect(findDecidedSide([vote("denied", 3, "a"), vote("denied", 1, "b"), vote("approved", 3, "c")])).toBeNull()
    expect(findDecidedSide([vote("denied", 3, "a"), vote("denied", 2, "b"), vote("approved", 3, "c")])).toBe("denied")
  })

  it("never both, never by deferrals, and never against the greater weight", () => {
    const votes = fc.array(
      fc.record({
        decision: fc.constantFrom("approved" as const, "denied" as const, "deferred" as const),
        weight: fc.integer({ min: 1, max: 3 }),
        ownerKey: fc.constantFrom("a", "b", "c", "d", "e")
      }),
      { maxLength: 9 }
    )
    fc.assert(
      fc.property(votes, (cast) => {
        const side = findDecidedSide(cast)
        const weight = (of: string) =>
          cast.filter(({ decision }) => decision === of).reduce((sum, one) => sum + one.weight, 0)
        if (side === null) return
        const other = side === "approved" ? "denied" : "approved"
        expect(weight(side) - weight(other)).toBeGreaterThanOrEqual(2)
        expect(weight(side)).toBeGreaterThanOrEqual(3)
        expect(
          new Set(cast.filter(({ decision }) => decision === side).map(({ ownerKey }) => ownerKey)).size
        ).toBeGreaterThan(1)
        expect(findDecidedSide(cast.filter(({ decision }) => decision !== "deferred"))).toBe(side)
        // The sides change places with their decisions.
        const swapped = cast.map((one) => ({
          ...one,
          decision:
            one.decision === "deferred"
              ? one.decision
              : one.decision === "approved"
                ? ("denied" as const)
                : ("approved" as const)
        }))
        expect(findDecidedSide(swapped)).toBe(other)
      })
    )
  })
})

describe("a reviewer", () => {
  it("is refused by the first thing that stands against it", () => {
    const cases: ReadonlyArray<readonly [object, string]> = [
      [{}, "ok"],
      [{ seat: seat({ granted: [] }) }, "PEER_REVIEW_NOT_GRANTED"],
      // Without a grant nobody learns what waits.
      [{ seat: seat({ granted: [] }), subject: null }, "PEER_REVIEW_NOT_GRANTED"],
      [{ seat: seat({ tier: 1 }) }, "PEER_REVIEW_NOT_GRANTED"],
      [{ seat: seat({ granted: ["lore"] }) }, "PEER_REVIEW_SCOPE_DENIED"],
      [{ subject: null }, "PEER_MODERATION_SUBJECT_NOT_FOUND"],
      [{ subject: null, type: "poem" }, "PEER_MODERATION_SUBJECT_NOT_FOUND"],
      [{ subject: null, wasDecided: true }, "PEER_REVIEW_ALREADY_SUBMITTED"],
      [{ subject: subject({ isDecided: true }) }, "PEER_REVIEW_ALREADY_SUBMITTED"],
      [{ subject: subject({ isDecided: true }), nowMs: 5_000 }, "PEER_REVIEW_ALREADY_SUBMITTED"],
      [{ subject: subject({ authorOwnerKey: "me" }) }, "SELF_REVIEW_NOT_ALLOWED"],
      [{ subject: subject({ reviewStatus: "escalated" }) }, "ADMIN_ONLY_SUBJECT"],
      [{ subject: subject({ reviewStatus: "held" }) }, "ADMIN_ONLY_SUBJECT"],
      [{ subject: subject({ untilMs: null }) }, "ADMIN_ONLY_SUBJECT"],
      [{ subject: subject({ caseStatus: "escalated" }) }, "ADMIN_ONLY_SUBJECT"],
      [{ type: "call_in", subject: subject({ subjectType: "call_in", untilMs: null }) }, "ADMIN_ONLY_SUBJECT"],
      // The deadline's own millisecond is too late.
      [{ nowMs: 1_000 }, "ADMIN_ONLY_SUBJECT"]
    ]
    for (const [over, expected] of cases) expect([over, code(checkDecision(asked(over)))]).toEqual([over, expected])
    // A look is still possible after a decision.
    expect(Result.isSuccess(checkReview(asked({ subject: subject({ isDecided: true }) })))).toBe(true)
  })

  it("never gets what the precheck escalated", () => {
    const flags = fc.array(
      fc.record({ code: fc.constantFrom(...FlagCode.literals), severity: fc.constantFrom(...FlagSeverity.literals) }),
      { maxLength: 4 }
    )
    const review = fc.record({
      kind: fc.constantFrom(...ReviewKind.literals),
      subjectType: fc.constantFrom(...SubjectType.literals),
      status: fc.constantFrom(...ReviewStatus.literals),
      flags: flags.map((all) => all.map(({ code, severity }) => flag(code, severity)))
    })
    const secret = new Set(["secret", "threat", "minor_safety", "hate"])
    fc.assert(
      fc.property(review, (given) => {
        const until = peersUntilMs({ ...given, createdAtMs: 0 })
        const isGrave = given.flags.some(({ code, severity }) => severity === "high" || secret.has(code))
        if (isGrave || given.status !== "open" || given.kind === "first_air" || given.subjectType === "call_in")
          expect(until).toBeNull()
        // Even if the flags were raised after the case was opened.
        if (isGrave)
          expect(code(checkDecision(asked({ subject: subject({ flags: given.flags }) })))).toBe("ADMIN_ONLY_SUBJECT")
      })
    )
    expect(
      peersUntilMs({ kind: "post", subjectType: "post", status: "open", flags: [flag("abuse")], createdAtMs: 5 })
    ).toBe(86_400_005)
    expect((["approved", "rejected", "changes_requested", "held"] as const).map(verdictOf)).toEqual([
      "approved",
      "denied",
      "denied",
      null
    ])
  })

  it("reads the evidence in an order of its own, with nothing lost", () => {
    const context = (agentId: string) => {
      const found = checkReview(asked({ seat: seat({ agentId: agentId as AgentId }) }))
      if (Result.isFailure(found)) throw found.failure
      const binding = { subjectType: "post", binds: true, detail: null } as const
      return peerContext(found.success, seat({ agentId: agentId as AgentId }), binding, {
        slug: "x",
        publicUrl: "http://x"
      })
    }
    const orders = Array.from({ length: 40 }, (_, n) => context(`agt_${n}`))
    expect(new Set(orders.map(({ evidence }) => evidence.map(({ about }) => about).join())).size).toBeGreaterThan(12)
    expect(new Set(orders.map(({ rules }) => rules.join())).size).toBeGreaterThan(20)
    // What comes first is about as often one piece as another.
    for (const about of ["title", "text", "author", "precheck"] as const)
      expect(orders.filter(({ evidence }) => evidence[0]!.about === about).length).toBeGreaterThan(3)
    expect(context("agt_1")).toEqual(context("agt_1"))
    fc.assert(
      fc.property(fc.string(), fc.array(fc.integer()), (seed, items) => {
        const ordered = orderFor(seed, items)
        expect(ordered.toSorted((a, b) => a - b)).toEqual(items.toSorted((a, b) => a - b))
      })
    )
  })

  it("never learns who a listener is", () => {
    const found = checkReview(
      asked({
        type: "write_in",
        seat: seat({ granted: ["write_in"] }),
        subject: subject({ subjectType: "write_in", authorHandle: null, authorTier: null })
      })
    )
    if (Result.isFailure(found)) throw found.failure
    const binding = { subjectType: "write_in", binds: true, detail: null } as const
    const context = peerContext(found.success, seat(), binding, { slug: "x", publicUrl: "http://x" })
    expect(context.subject.author).toEqual({ handle: "a listener", tier: null })
  })
})
