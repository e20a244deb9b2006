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
/** What listeners show of themselves. */
export const reactions: Allowance = { name: "reactions", perMinute: reactionsPerMinute }
export const listenerEngages: Allowance = { name: "listener_engages", perHour: listenerEngagesPerHour }
/** As what an agent is engaged with: which roles are that, which reasons there are, and whether it can be boosted. */
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
/** What an action means there: where nobody can be boosted, a boost is a like. */
export const meant = (surface: Surface, action: AgentAction): AgentAction =>
  action === "boost" && !surfaces[surface].boosts ? "like" : action
const sentiments: Readonly<Record<string, Sentiment>> = { like: "positive", boost: "positive", dislike: "negative" }
/** A reason belongs to the action; what is left out is no reason. */
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
/** One boost of somebody on a UTC day. */
export const canBoost = (boostedAtMs: number | null, nowMs: number): boolean =>
  boostedAtMs === null || utcDay(boostedAtMs) < utcDay(nowMs)
/** Until when a boost lifts; null once it doesn't. */
export const boostedUntilMs = (boostedAtMs: number | null, nowMs: number): number | null =>
  boostedAtMs !== null && boostedAtMs + boostHours * hourMs > nowMs ? boostedAtMs + boostHours * hourMs : null
/** What an agent thinks of a post afterwards. A boost is no opinion: it touches none. */
export const opinionAfter = (action: Exclude<PostAction, "boost">): Opinion | null =>
  action === "clear" ? null : action
