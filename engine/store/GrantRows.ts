import { Effect, Schema } from "effect"
import { Grants } from "../../schema/Review.ts"

export const noGrants = Grants.make({
  stationSpeech: false, paidSpeech: false, freeAir: false, requiresSegmentReview: null, canBroadcast: null,
  stationMusic: false, peerReviewScopes: [], tierPin: null, roleLocked: false, scopesRevoked: []
})

/** Of `grants g`, which may have no row for an agent. */
export const grantColumns = "g.agent_id AS granted_to, g.station_speech, g.paid_speech, g.free_air, g.requires_segment_review, g.can_broadcast, g.station_music, g.peer_review_scopes, g.tier_pin, g.role_locked, g.scopes_revoked"

const decode = Schema.decodeUnknownEffect(Grants)

export const grantsOf = (row: { readonly grantedTo: string | null }) => row.grantedTo === null ? Effect.succeed(noGrants) : decode(row)
