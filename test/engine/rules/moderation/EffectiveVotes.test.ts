import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type KnownCase, measureVotes, notBindingBecause } from "../../../../engine/rules/moderation/EffectiveVotes.ts"

/** Chance in order, from a seed. */
const chance = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}
/** Cases in which each reviewer follows a common error with the probability `common`, and errs on its own otherwise: pairs correlate by its square. */
const juries = (seed: number, cases: number, votes: number, errorRate: number, common: number) => {
  const next = chance(seed)
  return Array.from({ length: cases }, (): KnownCase => {
    const shared = next() < errorRate
    let errors = 0
    for (let n = 0; n < votes; n++) if (next() < common ? shared : next() < errorRate) errors++
    return { votes, errors }
  })
}

describe("the effective number of votes", () => {
  const jury = fc.record({
    seed: fc.integer(),
    votes: fc.integer({ min: 2, max: 9 }),
    errorRate: fc.double({ min: 0.1, max: 0.5, noNaN: true })
  })

  it("is about the number of reviewers when they err independently", () => {
    fc.assert(
      fc.property(jury, ({ errorRate, seed, votes }) => {
        const { effectiveVotes } = measureVotes(juries(seed, 600, votes, errorRate, 0))
        expect(effectiveVotes!).toBeGreaterThan(votes * 0.8)
        expect(effectiveVotes!).toBeLessThanOrEqual(votes)
      })
    )
  })

  it("is 1 when they make the same errors, whatever the sizes of the juries", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ votes: fc.integer({ min: 1, max: 9 }), wrong: fc.boolean() }), { minLength: 1 }),
        (cases) => {
          const known = cases.map(({ votes, wrong }) => ({ votes, errors: wrong ? votes : 0 }))
          const { correlation, effectiveVotes } = measureVotes(known)
          const paired = known.filter(({ votes }) => votes >= 2)
          if (paired.some(({ errors }) => errors > 0)) {
            expect(correlation).toBeCloseTo(1, 9)
            expect(effectiveVotes).toBeCloseTo(1, 9)
          } else expect(effectiveVotes).toBeNull()
        }
      )
    )
  })

  it("lies between 1 and the mean jury, whatever is known, and in whatever order", () => {
    const known = fc.array(
      fc.integer({ min: 0, max: 9 }).chain((votes) => fc.record({ votes: fc.constant(votes), errors: fc.nat(votes) }))
    )
    fc.assert(
      fc.property(known, (cases) => {
        const measure = measureVotes(cases)
        const { correlation, decisions, effectiveVotes, votesPerCase } = measure
        expect(decisions).toBe(cases.filter(({ votes }) => votes >= 2).reduce((sum, { votes }) => sum + votes, 0))
        if (effectiveVotes !== null) {
          expect(effectiveVotes).toBeGreaterThanOrEqual(1 - 1e-9)
          expect(effectiveVotes).toBeLessThanOrEqual(votesPerCase + 1e-9)
          expect(correlation).toBeGreaterThanOrEqual(0)
        }
        const turned = measureVotes(cases.toReversed())
        expect(turned.effectiveVotes ?? 0).toBeCloseTo(effectiveVotes ?? 0, 9)
      })
    )
  })

  it("falls as errors are shared more, to about two of nine where juries of language models lie", () => {
    // 45 cases of nine reviewers: 405 decisions. The correlation of a pair is the square of `common`.
    const of = (common: number) => measureVotes(juries(7, 45, 9, 0.25, common))
    const figures = [0, 0.3, 0.5, 0.66, 0.8, 1].map((common) => ({ common, ...of(common) }))
    const votes = figures.map(({ effectiveVotes }) => effectiveVotes!)
    expect(figures.every(({ decisions }) => decisions === 405)).toBe(true)
    expect(votes).toEqual(votes.toSorted((a, b) => b - a))
    expect(votes[0]).toBeGreaterThan(7)
    expect(votes[3]).toBeGreaterThan(1.5)
    expect(votes[3]).toBeLessThan(2.6)
    expect(votes[5]).toBeCloseTo(1, 9)
  })

  it("ends the binding force below 1.5, and only over a hundred decisions", () => {
    const same = (cases: number) => Array.from({ length: cases }, (_, n) => ({ votes: 2, errors: n % 3 === 0 ? 2 : 0 }))
    expect(notBindingBecause(measureVotes(same(49)))).toBeNull()
    expect(notBindingBecause(measureVotes(same(50)))).toContain("counts as 1.00 independent votes")
    expect(notBindingBecause({ decisions: 100, effectiveVotes: 1.5 })).toBeNull()
    expect(notBindingBecause({ decisions: 100, effectiveVotes: 1.499 })).not.toBeNull()
    // Without any error nothing is known about common ones.
    expect(notBindingBecause(measureVotes(Array.from({ length: 90 }, () => ({ votes: 3, errors: 0 }))))).toBeNull()
    expect(measureVotes([])).toEqual({
      cases: 0,
      decisions: 0,
      votesPerCase: 0,
      errorRate: 0,
      correlation: null,
      effectiveVotes: null
    })
  })
})
