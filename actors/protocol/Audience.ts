import { Entity } from "effect/cluster"
import { audienceMessages } from "./AudienceMessages.ts"
import { audienceRequests } from "./AudienceRequests.ts"
import { audienceSession } from "./AudienceSession.ts"
import { audienceVotes } from "./AudienceVotes.ts"

/**
 * What one of those who listen does. Keyed by the account or else by the listener for what takes a token (votes, engagement, streaks), and
 * by `CurrentAudience.audience` for what guests may do as well (requests, messages, calls): no two acts of one of them are judged at once.
 */
export const Audience = Entity.make("Audience", [...audienceMessages, ...audienceRequests, ...audienceSession, ...audienceVotes])
