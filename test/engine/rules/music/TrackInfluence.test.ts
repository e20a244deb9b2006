import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  influenceOf,
  restUntilMs,
  rotationInfluence,
  type Tally
} from "../../../../engine/rules/music/TrackInfluence.ts"

const none: Tally = { likes: 0, dislikes: 0, upvotes: 0, downvotes: 0, boosts: 0 }
const count = fc.nat({ max: 200 })
const tallies = fc.record({ likes: count, dislikes: count, upvotes: count, downvotes: count, boosts: count })
const dayMs = 86_400_000

describe("influence of votes on the rotation", () => {
  it("is a boost from five votes on, seven in ten of them for the track", () => {
    expect(influenceOf(none)).toEqual({ weight: 1, rests: false })
    expect(influenceOf({ ...none, likes: 4 }).weight).toBe(1)
    expect(influenceOf({ ...none, likes: 5 }).weight).toBe(1.5)
    expect(influenceOf({ ...none, likes: 9, dislikes: 4 }).weight).toBe(1)
    expect(influenceOf({ ...none, likes: 14, dislikes: 6 }).weight).toBe(1.5)
    expect(influenceOf({ ...none, upvotes: 6, boosts: 2 }).weight).toBe(1.5)
  })

  it("is a reduction by half from five votes against on, and a rest from twenty", () => {
    expect(influenceOf({ ...none, dislikes: 5 })).toEqual({ weight: 0.5, rests: false })
    expect(influenceOf({ ...none, dislikes: 14, likes: 9 })).toEqual({ weight: 0.5, rests: false })
    expect(influenceOf({ ...none, dislikes: 15, likes: 11 })).toEqual({ weight: 1, rests: false })
    expect(influenceOf({ ...none, downvotes: 40 })).toEqual({ weight: 0.5, rests: true })
    expect(influenceOf({ ...none, dislikes: 30, likes: 10 })).toEqual({ weight: 0.5, rests: true })
    expect(influenceOf({ ...none, dislikes: 50, likes: 20 })).toEqual({ weight: 0.5, rests: false })
  })

  it("stays within half to half as much again, and likes never reduce it", () =>
    fc.assert(
      fc.property(tallies, (tally) => {
        const { rests, weight } = influenceOf(tally)
        expect([0.5, 1, 1.5]).toContain(weight)
        expect(!rests || weight === 0.5).toBe(true)
        expect(influenceOf({ ...tally, likes: tally.likes + 1 }).weight).toBeGreaterThanOrEqual(weight)
        expect(influenceOf({ ...tally, dislikes: tally.dislikes + 1 }).weight).toBeLessThanOrEqual(weight)
      })
    ))

  it("lets a track rest a week, and not again for the same votes", () =>
    fc.assert(
      fc.property(tallies, fc.integer({ min: 0, max: 60 }), (tally, days) => {
        const nowMs = 1_000 * dayMs
        const influence = influenceOf(tally)
        expect(restUntilMs(influence, null, nowMs)).toBe(influence.rests ? nowMs + 7 * dayMs : null)
        expect(restUntilMs(influence, nowMs - days * dayMs, nowMs)).toBe(
          influence.rests && days >= 30 ? nowMs + 7 * dayMs : null
        )
      })
    ))

  it("is shown as it is", () => {
    expect([
      rotationInfluence(1.5, false),
      rotationInfluence(1, false),
      rotationInfluence(0.5, false),
      rotationInfluence(0.5, true)
    ]).toEqual(["boosted", "none", "none", "scheduled"])
  })
})
