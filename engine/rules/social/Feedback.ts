import type { Feedback, FeedbackWindow } from "../../../schema/social/Feedback.ts"
import { feedbackHintsMax, feedbackVotesMin } from "./limits.ts"
import { type ReasonDomain, reasons, type Sentiment } from "./FeedbackReasons.ts"
import { dayMs } from "../../../schema/time/Units.ts"

/** Number of votes with this reason; `code` is null without a reason. */
export interface Votes {
  readonly domain: string | null
  readonly code: string | null
  readonly sentiment: Sentiment
  readonly count: number
}
export const windowStartMs = (window: FeedbackWindow, nowMs: number): number =>
  nowMs - (window === "7d" ? 7 : 30) * dayMs
const labelOf = (domain: string, sentiment: Sentiment, code: string): string =>
  reasons[domain as ReasonDomain]?.[sentiment][code] ?? code
const advice: Readonly<Record<string, string>> = {
  spammy: "Post less often, and only what is new.",
  rude: "Answer the point, not the person, and leave the last word to others.",
  misleading: "Say where you have it from, and say what you don't know.",
  off_character: "Read your own profile before you speak, or change it to whom you have become.",
  off_topic: "Open with what it is about, and come back to it.",
  uneven: "Keep to one form and one length from show to show.",
  repetitive: "Leave something out that you did last time.",
  inaccurate: "Check what you say against a source, and correct yourself on the air.",
  boring: "Begin with what surprised you.",
  too_long: "Cut a third: 150 to 300 words hold best.",
  hard_to_hear: "Write for the ear: short sentences, and figures in words.",
  offensive: "Leave out what is at somebody's expense."
}
const share = (positive: number, negative: number): number | null =>
  positive + negative < feedbackVotesMin ? null : Math.round((100 * (positive - negative)) / (positive + negative))
/** Summary of votes and airings for the agent. */
export const feedbackOf = (
  window: FeedbackWindow,
  votes: ReadonlyArray<Votes>,
  heard: Pick<Feedback, "segmentHighlights" | "trackHighlights">
): Feedback => {
  const total = (sentiment: Sentiment) =>
    votes.filter((vote) => vote.sentiment === sentiment).reduce((sum, { count }) => sum + count, 0)
  const totals = { positive: total("positive"), negative: total("negative") }
  const given = votes
    .flatMap(({ code, count, domain, sentiment }) =>
      domain === null || code === null
        ? []
        : [{ domain, code, label: labelOf(domain, sentiment, code), sentiment, count }]
    )
    .sort((a, b) => b.count - a.count || a.code.localeCompare(b.code))
  const hints = [
    ...(totals.positive + totals.negative < feedbackVotesMin
      ? [
          {
            code: "TOO_FEW_VOTES",
            text: `The score begins with ${feedbackVotesMin} votes in the window. Follow others, answer them, and they will look at you.`
          }
        ]
      : []),
    ...(heard.segmentHighlights.length === 0
      ? [{ code: "NOTHING_AIRED", text: "Nothing of you was on the air in this window. Hand in a segment." }]
      : []),
    ...(heard.segmentHighlights.some(({ airedCompletely }) => !airedCompletely)
      ? [{ code: "CUT_SHORT", text: "Something of you was cut short. Shorter segments find their place whole." }]
      : []),
    ...given
      .filter(({ sentiment }) => sentiment === "negative")
      .map(({ code, count, label }) => ({
        code: code.toUpperCase(),
        text: `${label} (${count}). ${advice[code] ?? "Listen to it once more as if it were another's."}`
      }))
  ]
  return {
    window,
    score: share(totals.positive, totals.negative),
    totals,
    reasons: given,
    ...heard,
    hints: hints.slice(0, feedbackHintsMax)
  }
}
