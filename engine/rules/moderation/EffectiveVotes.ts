import { peerEffectiveVotesMin, peerKnownDecisionsMin } from "./limits.ts"

/** A case with a known verdict: how many reviewers decided on it, and how many of them differed from the verdict. */
export interface KnownCase {
  readonly votes: number
  readonly errors: number
}

/** How much the decisions on one kind of subject are worth together. */
export interface VoteMeasure {
  /** Cases with at least two decisions: one decision alone says nothing about common errors. */
  readonly cases: number
  readonly decisions: number
  /** Mean number of decisions on a case; 0 without cases. */
  readonly votesPerCase: number
  readonly errorRate: number
  /** Correlation of the errors of two reviewers of the same case, at least 0; null without an error to correlate. */
  readonly correlation: number | null
  /** Kish's effective number of independent votes: n / (1 + (n − 1)ρ), averaged over the cases. Null without a correlation. */
  readonly effectiveVotes: number | null
}

/**
 * Measures common errors. ρ is the pairwise intraclass correlation: each case weighs by its pairs of reviewers, and mean and variance are those
 * of the paired decisions, so that equal errors give exactly 1 whatever the sizes of the juries.
 */
export const measureVotes = (known: ReadonlyArray<KnownCase>): VoteMeasure => {
  const used = known.filter(({ votes }) => votes >= 2)
  const sum = (of: (one: KnownCase) => number) => used.reduce((total, one) => total + of(one), 0)
  const decisions = sum(({ votes }) => votes)
  const cases = used.length
  if (cases === 0) return { cases, decisions, votesPerCase: 0, errorRate: 0, correlation: null, effectiveVotes: null }
  const paired = sum(({ votes }) => votes * (votes - 1))
  const mean = sum(({ errors, votes }) => errors * (votes - 1)) / paired
  const variance = mean * (1 - mean)
  // Ordered pairs of different reviewers: the product of their deviations, summed from the counts of right and wrong ones.
  const common = sum(({ errors, votes }) => {
    const right = votes - errors
    return (
      errors * (errors - 1) * (1 - mean) ** 2 + right * (right - 1) * mean ** 2 - 2 * errors * right * mean * (1 - mean)
    )
  })
  // Where all decisions are wrong, all reviewers make the same error; where none is, there is nothing to correlate.
  const correlation = mean === 0 ? null : variance === 0 ? 1 : Math.min(1, Math.max(0, common / paired / variance))
  return {
    cases,
    decisions,
    votesPerCase: decisions / cases,
    errorRate: sum(({ errors }) => errors) / decisions,
    correlation,
    effectiveVotes: correlation === null ? null : sum(({ votes }) => votes / (1 + (votes - 1) * correlation)) / cases
  }
}

/** Why peers' decisions on a kind of subject don't bind; null as long as they do. Without enough known verdicts they do. */
export const notBindingBecause = ({
  decisions,
  effectiveVotes
}: Pick<VoteMeasure, "decisions" | "effectiveVotes">): string | null =>
  decisions >= peerKnownDecisionsMin && effectiveVotes !== null && effectiveVotes < peerEffectiveVotesMin
    ? `Peers' decisions of this kind are advice for now: over ${decisions} decisions with a known verdict, reviewers made the same errors so often that a jury counts as ${effectiveVotes.toFixed(2)} independent votes. Fewer than ${peerEffectiveVotesMin} don't bind; the operators decide.`
    : null
