import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { capabilitiesOf, type CapabilityFacts, operationOf } from "../../../../engine/rules/agents/Capabilities.ts"
import { feedbackOf, type Votes, windowStartMs } from "../../../../engine/rules/social/Feedback.ts"
import { deriveLivingState, moodOf } from "../../../../engine/rules/agents/LivingDeclarations.ts"
import {
  pickChanged,
  isSame,
  normalizeValues,
  type ProfileField,
  type ProfileValues,
  valueOf,
  findWaiting,
  withValues
} from "../../../../engine/rules/agents/Profile.ts"
import { noCulture, Persona, Role, Scope } from "../../../../schema/agents/Agent.ts"
import { Arc, moods } from "../../../../schema/agents/LivingDeclarations.ts"
import { CapabilityCode } from "../../../../schema/agents/Profile.ts"

const texts: ReadonlyArray<ProfileField> = ["bio", "tagline", "backstory", "originStory"]
const lists: ReadonlyArray<ProfileField> = ["specialties", "flaws", "ambitions"]
const persona = Persona.make({
  handle: "wren",
  displayName: "Wren",
  bio: null,
  tagline: null,
  role: "hybrid",
  speakingStyle: null,
  specialties: [],
  gender: null,
  entityForm: null,
  syntheticDisclosure: null,
  avatarEntityType: null,
  avatarArchetype: null,
  avatarSignalTraits: [],
  avatarWorldNotes: null
})
const before = { persona, culture: noCulture }
const values: fc.Arbitrary<ProfileValues> = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...texts), fc.option(fc.string())),
    fc.dictionary(fc.constantFrom(...lists), fc.uniqueArray(fc.string({ minLength: 1 })))
  )
  .map(([some, others]) => ({ ...some, ...others }))

describe("a change of the profile", () => {
  it("sets the named fields, keeps the others, and can be undone", () => {
    fc.assert(
      fc.property(values, values, (first, second) => {
        const held = withValues(before, first)
        const named = pickChanged(held, second)
        const after = withValues(held, named)
        for (const field of [...texts, ...lists])
          expect(valueOf(after, field)).toEqual(field in second ? second[field] : valueOf(held, field))
        expect(pickChanged(after, second)).toEqual({})
        const former = Object.fromEntries(
          Object.keys(named).map((field) => [field, valueOf(held, field as ProfileField)])
        )
        expect(withValues(after, former)).toEqual(held)
        expect(after.persona.handle).toBe("wren")
      })
    )
  })

  it("drops empty and repeated entries of lists, and treats null as empty", () => {
    expect(normalizeValues({ flaws: ["a", "", "b", "a"], ambitions: null, bio: null })).toEqual({
      flaws: ["a", "b"],
      ambitions: [],
      bio: null
    })
  })

  it("reverts to the last text that needed no review, after any number of changes", () => {
    const steps = fc.array(fc.record({ field: fc.constantFrom(...texts), value: fc.string(), flagged: fc.boolean() }), {
      maxLength: 20
    })
    fc.assert(
      fc.property(steps, (all) => {
        let profile: typeof before = before
        let waiting: ProfileValues = {}
        const unflagged = new Map<ProfileField, unknown>(texts.map((field) => [field, null]))
        for (const { field, flagged, value } of all) {
          if (isSame(valueOf(profile, field), value)) continue
          waiting = findWaiting(waiting, {
            former: { [field]: valueOf(profile, field) },
            flagged: new Set(flagged ? [field] : [])
          })
          profile = withValues(profile, { [field]: value })
          if (!flagged) unflagged.set(field, value)
        }
        const refused = withValues(profile, waiting)
        for (const field of texts) expect(valueOf(refused, field)).toEqual(unflagged.get(field))
      })
    )
  })
})

describe("capabilities of an agent", () => {
  const facts = fc
    .record({
      role: fc.constantFrom(...Role.literals),
      scopes: fc.subarray([...Scope.literals]),
      stationMusic: fc.boolean(),
      peerReviewScopes: fc.subarray(["post", "lore"]),
      tier: fc.integer({ min: 0, max: 4 }),
      showsOwned: fc.integer({ min: 0, max: 2 }),
      served: fc.subarray(Object.values(operationOf)),
      standing: fc.record({
        state: fc.constantFrom("not_started", "awaiting_review", "cleared", "free_air", "blocked"),
        rejections: fc.constant(0),
        waiting: fc.integer({ min: 0, max: 4 }),
        canBroadcast: fc.constantFrom(null, true, false),
        requiresSegmentReview: fc.constant(null),
        stationSpeech: fc.boolean()
      })
    })
    .map(
      ({ served, ...rest }) =>
        ({ ...rest, isServed: (operation: string) => served.includes(operation) }) as CapabilityFacts
    )

  it("are complete, each with a reason, and never granted without scope or operation", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const all = capabilitiesOf(given)
        expect(all.map(({ code }) => code)).toEqual(CapabilityCode.literals)
        const allowed = new Set(all.filter((one) => one.allowed).map(({ code }) => code))
        for (const { code, reason } of all) expect([code, reason.length > 10]).toEqual([code, true])
        for (const code of allowed) expect(given.isServed(operationOf[code])).toBe(true)
        if (!given.scopes.includes("broadcast"))
          expect(allowed.has("submit_segment") || allowed.has("station_speech")).toBe(false)
        if (given.standing.canBroadcast === false) expect(allowed.has("submit_segment")).toBe(false)
        if (given.tier < 2) expect(allowed.has("flag_segment")).toBe(false)
        if (given.peerReviewScopes.length === 0 || given.tier < 2) expect(allowed.has("peer_review")).toBe(false)
        if (given.showsOwned === 0) expect(allowed.has("host_session")).toBe(false)
      })
    )
  })
})

describe("a living state", () => {
  const dayMs = 86_400_000
  const at = (day: number) => new Date(day * dayMs + 1_000).toISOString()
  const nowMs = 20_000 * dayMs + 5_000

  it("has the newest mood since its first day, and the newest tastes once each", () => {
    const declared = [
      ["taste", "Rain", 20_000],
      ["mood", "calm", 19_999],
      ["taste", "rain", 19_998],
      ["mood", "calm", 19_997],
      ["mood", "dark", 19_996],
      ["mood", "calm", 19_995]
    ] as const
    const state = deriveLivingState(
      declared.map(([kind, value, day]) => ({ kind, value, at: at(day) })),
      [],
      nowMs
    )
    expect(state).toMatchObject({
      mood: "calm",
      moodSince: at(19_997),
      tastes: ["Rain"],
      lastDeclarationAt: at(20_000),
      nextDeclarationAt: new Date(20_001 * dayMs).toISOString()
    })
    const many = Array.from({ length: 30 }, (_, n) => ({
      kind: "taste" as const,
      value: `taste ${n}`,
      at: at(19_999 - n)
    }))
    expect(deriveLivingState(many, [], nowMs)).toMatchObject({
      mood: null,
      moodSince: null,
      tastes: many.slice(0, 8).map(({ value }) => value),
      nextDeclarationAt: new Date(20_000 * dayMs).toISOString()
    })
  })

  it("recognises moods in any case, and stories by their closing", () => {
    expect(moods.map((mood) => moodOf(mood.toUpperCase()))).toEqual([...moods])
    expect(["", "happy", "constructor"].map(moodOf)).toEqual([null, null, null])
    const arc = (id: string, closedAtMs: number | null, unlockedAtMs: number | null) =>
      Arc.make({ id, agentId: "agt_01k6xq3v0e8b7w2m5n9r4t6yzs", title: id, openedAtMs: 0, unlockedAtMs, closedAtMs })
    const { closedArcs, openArcs } = deriveLivingState(
      [],
      [arc("a", null, null), arc("b", null, 1), arc("c", 2, 1)],
      nowMs
    )
    expect([openArcs.map(({ id, unlocked }) => [id, unlocked]), closedArcs.map(({ id }) => id)]).toEqual([
      [
        ["a", false],
        ["b", true]
      ],
      ["c"]
    ])
  })
})

describe("feedback", () => {
  const heard = { segmentHighlights: [], trackHighlights: [] }
  const votes = fc.array(
    fc.record({
      domain: fc.constantFrom("agent_entity", "show_entity", null),
      code: fc.constantFrom("kind", "rude", "uneven", "made_up", null),
      sentiment: fc.constantFrom("positive" as const, "negative" as const),
      count: fc.integer({ min: 1, max: 50 })
    })
  )

  it("scores from −100 to 100, and not below five votes", () => {
    fc.assert(
      fc.property(votes, (given: ReadonlyArray<Votes>) => {
        const { hints, reasons, score, totals } = feedbackOf("7d", given, heard)
        expect(totals.positive + totals.negative).toBe(given.reduce((sum, { count }) => sum + count, 0))
        if (totals.positive + totals.negative < 5) expect(score).toBe(null)
        else
          expect(
            score! >= -100 &&
              score! <= 100 &&
              Math.sign(score!) ===
                Math.sign(Math.round((100 * (totals.positive - totals.negative)) / (totals.positive + totals.negative)))
          ).toBe(true)
        expect(reasons.every(({ label }) => label.length > 0)).toBe(true)
        expect(hints.length).toBeLessThanOrEqual(5)
      })
    )
    expect(
      feedbackOf("30d", [{ domain: "agent_entity", code: "rude", sentiment: "negative", count: 5 }], heard)
    ).toMatchObject({ score: -100, reasons: [{ label: "Rude", count: 5 }] })
    expect(windowStartMs("30d", 40 * 86_400_000)).toBe(10 * 86_400_000)
  })
})
