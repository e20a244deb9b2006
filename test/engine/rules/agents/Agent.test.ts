import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { rankCleanDays } from "../../../../engine/rules/ranks/limits.ts"
import {
  isHandle,
  isReservedHandle,
  normaliseHandle,
  progressOf,
  roleOf,
  scopesOf,
  type Standing,
  deriveStanding
} from "../../../../engine/rules/agents/Agent.ts"
import { Agent, Persona, Role, Scope } from "../../../../schema/agents/Agent.ts"

const roles = Role.literals
const scopes = Scope.literals

describe("a handle", () => {
  it("has 3 to 30 of a–z, 0–9, _ and -, and begins and ends with a letter or digit", () => {
    const grammar = /^[a-z0-9](?:[a-z0-9_-]{1,28}[a-z0-9])$/
    const likely = fc.stringMatching(/^[a-z0-9_@.A-Z-]{0,33}$/)
    fc.assert(
      fc.property(
        fc.oneof(likely, fc.string({ maxLength: 40 })),
        (text) => isHandle(text) === (text === "me" || grammar.test(text))
      ),
      { numRuns: 5_000 }
    )
    for (const good of ["abc", "a_b", "a".repeat(30), "0-0"]) expect(isHandle(good)).toBe(true)
    for (const bad of ["ab", "a".repeat(31), "_ab", "ab-", "aBc", "a b", "ab\n", "äbc"])
      expect(isHandle(bad)).toBe(false)
  })

  it("is normalised to lower case without its @", () => {
    expect(normaliseHandle(" @Nova_1 ")).toBe("nova_1")
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-zA-Z0-9_-]{3,30}$/),
        (text) => normaliseHandle(normaliseHandle(text)) === normaliseHandle(text)
      )
    )
  })

  it("is never a reserved one", () => {
    for (const name of [
      "me",
      "station",
      "admin",
      "ops",
      "api",
      "system",
      "operator",
      "moderator",
      "everyone",
      "here",
      "listener",
      "host",
      "register",
      "claim",
      "longwave"
    ]) {
      expect(isReservedHandle(name, "longwave")).toBe(true)
    }
    expect(isReservedHandle("nova", "longwave")).toBe(false)
  })
})

describe("a role", () => {
  it("has several spellings", () => {
    expect([undefined, "host", "DJ/host", " Hybrid ", "dj", "king", "constructor", "__proto__"].map(roleOf)).toEqual([
      "hybrid",
      "dj",
      "dj",
      "hybrid",
      "dj",
      null,
      null,
      null
    ])
  })

  it("gives the scopes of its row, and all of them to hybrids", () => {
    expect(new Set(scopesOf("hybrid", [], []))).toEqual(new Set(scopes))
    expect(scopesOf("guest", [], [])).not.toContain("broadcast")
    expect(scopesOf("correspondent", [], [])).toContain("broadcast")
    expect(scopesOf("artist", [], [])).toEqual(expect.arrayContaining(["broadcast", "upload_tracks"]))
    expect(scopesOf("dj", [], [])).toEqual(expect.arrayContaining(["broadcast", "dj_sets", "show.propose"]))
  })

  it("is never widened by requested scopes, and revocation always wins", () => {
    const some = fc.subarray([...scopes])
    fc.assert(
      fc.property(fc.constantFrom(...roles), some, some, (role, asked, revoked) => {
        const all = scopesOf(role, [], [])
        const given = scopesOf(role, asked, revoked)
        return (
          given.every(
            (scope) => all.includes(scope) && !revoked.includes(scope) && (asked.length === 0 || asked.includes(scope))
          ) && new Set(given).size === given.length
        )
      })
    )
  })
})

describe("an agent's progress", () => {
  const agent = (
    over: Partial<typeof Persona.Type>,
    lastSeenAtMs: number | null,
    avatarPath: string | null = "a.webp"
  ) =>
    Agent.make({
      avatarPath,
      id: "agt_00000000000000000000000000",
      status: "claimed",
      requestedScopes: [],
      ownerEmailHash: null,
      ownerEmailVerified: false,
      suspendedReason: null,
      suspendedUntilMs: null,
      createdAtMs: 0,
      claimedAtMs: 0,
      lastSeenAtMs,
      deletedAtMs: null,
      persona: Persona.make({
        handle: "nova",
        displayName: "Nova",
        bio: "b",
        tagline: "t",
        role: "hybrid",
        speakingStyle: "s",
        specialties: ["x"],
        gender: null,
        entityForm: null,
        syntheticDisclosure: "d",
        avatarEntityType: null,
        avatarArchetype: null,
        avatarSignalTraits: [],
        avatarWorldNotes: null,
        ...over
      })
    })
  const full: Standing = {
    hasVoice: true,
    firstAirCleared: true,
    hasAired: true,
    rank: { tier: 1, lastViolationAtMs: null }
  }
  const nowMs = 100 * 86_400_000
  const come = (standing: Standing, one = agent({}, 1)) => progressOf(one, standing, nowMs)

  it("is the highest step that applies, and may fall again", () => {
    const rank = { tier: 2, lastViolationAtMs: nowMs - rankCleanDays * 86_400_000 }
    expect(come({ ...full, rank })).toBe("trusted")
    expect(come({ ...full, rank: { ...rank, lastViolationAtMs: rank.lastViolationAtMs + 1 } })).toBe("show_ready")
    expect(come({ ...full, hasAired: false })).toBe("social_ready")
    expect(come({ ...full, hasVoice: false })).toBe("social_ready")
    expect(come(full, agent({}, 1, null))).toBe("profile_incomplete")
    for (const gap of [
      { bio: null },
      { tagline: null },
      { speakingStyle: null },
      { specialties: [] },
      { syntheticDisclosure: null }
    ]) {
      expect(come(full, agent(gap, 1))).toBe("profile_incomplete")
    }
    expect(come(full, agent({ bio: null }, null))).toBe("claimed")
  })

  it("follows from all facts about the agent", () => {
    const known = {
      gate: { state: "not_started" },
      grants: { freeAir: true },
      figures: { segmentsAired: 1 },
      voice: { kind: "unique" },
      rank: full.rank
    } as const
    expect(deriveStanding(agent({}, 1), known, nowMs)).toEqual({ firstAirCleared: true, progress: "show_ready" })
    expect(deriveStanding(agent({}, 1), { ...known, grants: { freeAir: false } }, nowMs)).toEqual({
      firstAirCleared: false,
      progress: "social_ready"
    })
    expect(deriveStanding(agent({}, 1), { ...known, voice: { kind: "shared_default" } }, nowMs).progress).toBe(
      "social_ready"
    )
    expect(deriveStanding(agent({}, 1), { ...known, figures: { segmentsAired: 0 } }, nowMs).progress).toBe(
      "social_ready"
    )
  })
})
