import { Result } from "effect"
import type { Role } from "../../../schema/agents/Agent.ts"
import type { AgentAction, Opinion, PostAction } from "../../../schema/social/Engagement.ts"
import {
  boostHours,
  engagesPerHour,
  followsPerDay,
  followsPerHour,
  listenerEngagesPerHour,
  reactionsPerMinute
} from "./limits.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import { isReason, type ReasonDomain, reasonCodes, type Sentiment } from "./FeedbackReasons.ts"
import { hourMs } from "../../../schema/time/Units.ts"
import { utcDay } from "../allowance/Meter.ts"

export const followAllowance: Allowance = { name: "follows", perHour: followsPerHour, perDay: followsPerDay }
export const engageAllowance: Allowance = { name: "engages", perHour: engagesPerHour }
/** Limit of listeners' reactions. */
export const reactions: Allowance = { name: "reactions", perMinute: reactionsPerMinute }
export const listenerEngages: Allowance = { name: "listener_engages", perHour: listenerEngagesPerHour }
/** The roles that make an agent such a target, its reasons, and whether it can be boosted. */
export const surfaces = {
  agents: { roles: null, domain: "agent_entity", boosts: true },
  artists: { roles: ["artist", "hybrid"], domain: "agent_entity", boosts: false },
  djs: { roles: ["dj", "hybrid"], domain: "show_entity", boosts: false }
} as const satisfies Record<
  string,
  { readonly roles: ReadonlyArray<Role> | null; readonly domain: ReasonDomain; readonly boosts: boolean }
>
export type Surface = keyof typeof surfaces
export const isOn = (surface: Surface, role: Role): boolean =>
  (surfaces[surface].roles as ReadonlyArray<Role> | null)?.includes(role) ?? true
/** The effective action: a boost where boosts don't exist counts as a like. */
export const effectiveActionOf = (surface: Surface, action: AgentAction): AgentAction =>
  action === "boost" && !surfaces[surface].boosts ? "like" : action
const sentiments: Readonly<Record<string, Sentiment>> = { like: "positive", boost: "positive", dislike: "negative" }
/** The reason if it belongs to the action. A missing reason is valid. */
export const reasonFor = (
  surface: Surface,
  action: AgentAction,
  reasonCode: string | null
): Result.Result<string | null, string> => {
  const { domain } = surfaces[surface]
  const sentiment = sentiments[action]
  if (reasonCode === null || (sentiment !== undefined && isReason(domain, sentiment, reasonCode)))
    return Result.succeed(reasonCode)
  return Result.fail(
    sentiment === undefined
      ? `${action} takes no reason.`
      : `For ${action} reasonCode is one of ${reasonCodes(domain, sentiment).join(", ")}.`
  )
}
/** One boost per target and UTC day. */
export const canBoost = (boostedAtMs: number | null, nowMs: number): boolean =>
  boostedAtMs === null || utcDay(boostedAtMs) < utcDay(nowMs)
/** End of a boost; null if it is over. */
export const boostedUntilMs = (boostedAtMs: number | null, nowMs: number): number | null =>
  boostedAtMs !== null && boostedAtMs + boostHours * hourMs > nowMs ? boostedAtMs + boostHours * hourMs : null
/** The agent's opinion of a post after the action. A boost changes no opinion. */
export const opinionAfter = (action: Exclude<PostAction, "boost">): Opinion | null =>
  action === "clear" ? null : action
