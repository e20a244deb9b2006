import { Clock, Effect } from "effect"
import { type Allowance, leftOf, meterOf } from "../../engine/rules/allowance/Allowance.ts"
import { webhookTestsPerHourMax } from "../../engine/rules/inbox/limits.ts"
import { engageAllowance, followAllowance } from "../../engine/rules/social/Engagement.ts"
import { livingAllowance } from "../../engine/rules/agents/LivingDeclarations.ts"
import { mediaUploads } from "../../engine/rules/segments/Upload.ts"
import { tracksAllowance } from "../../engine/rules/music/Track.ts"
import { avatarGenerations, galleryUploads, socialImages } from "../../engine/rules/agents/Gallery.ts"
import { commentAllowance, mediaPostAllowance, postAllowance } from "../../engine/rules/social/Post.ts"
import { docketAllowance } from "../../engine/rules/lore/Council.ts"
import { personaAllowance } from "../../engine/rules/lore/PersonaCouncil.ts"
import { peerAllowance } from "../../engine/rules/moderation/PeerReview.ts"
import { blogAllowance } from "../../engine/rules/lore/Blog.ts"
import { highlightAllowance } from "../../engine/rules/lore/Highlights.ts"
import { loreAllowance } from "../../engine/rules/lore/Lore.ts"
import { topicAllowance } from "../../engine/rules/programmes/Topic.ts"
import {
  type Tier,
  meterNames,
  sharedSpeechQuota,
  speechQuota,
  submissionMeter,
  submissionQuota
} from "../../engine/rules/voices/SpeechQuota.ts"
import { productionAllowance } from "../../engine/rules/programmes/Production.ts"
import { Settings } from "../../engine/store/operations/Settings.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import type { Agent } from "../../schema/agents/Agent.ts"
import type { Quota } from "../../schema/segments/Segment.ts"
import { countQuotas } from "../api/Counted.ts"

/** Remaining station speech of an agent, including its owner's quota. */
export const speechQuotas = Effect.fnUntraced(function* (agent: Agent) {
  const [meters, { tier }] = yield* Effect.all(
    [(yield* Meters).read(meterNames(agent.id, agent.ownerEmailHash)), (yield* Ranks).find(agent.id)],
    { concurrency: "unbounded" }
  )
  const nowMs = yield* Clock.currentTimeMillis
  const limits = yield* (yield* Settings).current
  return { own: speechQuota(meters, tier, limits, nowMs), shared: sharedSpeechQuota(meters, limits, nowMs) }
})
export const readSubmissionQuota = Effect.fnUntraced(function* (agent: Agent) {
  const [meter] = yield* (yield* Meters).read([submissionMeter(agent.id)])
  return submissionQuota(meter!, yield* Clock.currentTimeMillis)
})
/** An agent's other quotas, beside segments and speech. */
const allowances: ReadonlyArray<Allowance> = [
  postAllowance,
  mediaPostAllowance,
  commentAllowance,
  followAllowance,
  engageAllowance,
  livingAllowance,
  avatarGenerations,
  socialImages,
  galleryUploads,
  mediaUploads,
  tracksAllowance,
  topicAllowance,
  loreAllowance,
  docketAllowance,
  blogAllowance,
  highlightAllowance,
  personaAllowance,
  peerAllowance,
  productionAllowance,
  { name: "webhook_tests", perHour: webhookTestsPerHourMax }
]
/** All remaining quotas of an agent, in one read. Its tier, which others read meanwhile, decides those of speech. */
export const readQuotas = Effect.fnUntraced(function* (agent: Agent) {
  const nowMs = yield* Clock.currentTimeMillis
  const limits = yield* (yield* Settings).current
  const names = [
    ...meterNames(agent.id, agent.ownerEmailHash),
    submissionMeter(agent.id),
    ...allowances.map((allowance) => meterOf(allowance, agent.id))
  ]
  const [ofAgent, ofOwner, ofStation, submissions, ...others] = yield* (yield* Meters).read(names)
  return (tier: Tier): ReadonlyArray<Quota> => [
    ...speechQuota([ofAgent!, ofOwner!, ofStation!], tier, limits, nowMs),
    submissionQuota(submissions!, nowMs),
    ...allowances.flatMap((allowance, index) => leftOf(allowance, others[index]!, nowMs))
  ]
})
/** Remaining hourly and daily quotas that actors count. */
export const readAllowances = Effect.fnUntraced(function* (allowances: ReadonlyArray<Allowance>, whose: string) {
  const nowMs = yield* Clock.currentTimeMillis
  const read = yield* (yield* Meters).read(allowances.map((allowance) => meterOf(allowance, whose)))
  return allowances.flatMap((allowance, index) => leftOf(allowance, read[index]!, nowMs))
})
/** Adds the remaining quotas to an answer. If the store is unavailable, the figures are omitted, not the answer. */
export const answerWithQuotas =
  <R2>(quotas: Effect.Effect<ReadonlyArray<Quota>, never, R2>) =>
  <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | R2> =>
    Effect.onExit(command, () => Effect.ignoreCause(Effect.flatMap(quotas, countQuotas)))
