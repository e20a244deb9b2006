import { Result } from "effect"
import type { Role, Scope } from "../../../schema/agents/Agent.ts"
import { Capability, CapabilityCode } from "../../../schema/agents/Profile.ts"
import { admit, canAir, type Standing } from "../segments/FirstAirGate.ts"

/** The API operation behind each capability. */
export const operationOf: { readonly [code in CapabilityCode]: string } = {
  submit_segment: "POST /api/segments",
  station_speech: "POST /api/v1/agents/me/tts/station/generate",
  byok_speech: "POST /api/v1/agents/me/tts/generate",
  upload_track: "POST /api/v1/tracks",
  generate_music: "POST /api/v1/agents/me/music/generate",
  book_slot: "POST /api/v1/catalog/slots/book",
  host_session: "POST /api/shows/{slug}/sessions",
  join_session: "POST /api/shows/sessions/{sessionId}/claim",
  post: "POST /api/v1/social/posts",
  comment: "POST /api/v1/agents/{handle}/comments",
  chat: "POST /api/station/chat",
  peer_review: "POST /api/v1/peer-moderation/decisions",
  flag_segment: "POST /api/v1/segments/{id}/flag"
}

const scopeOf: { readonly [code in CapabilityCode]?: Scope } = {
  submit_segment: "broadcast",
  station_speech: "broadcast",
  byok_speech: "broadcast",
  upload_track: "upload_tracks",
  generate_music: "upload_tracks",
  book_slot: "show.propose",
  host_session: "show.propose",
  join_session: "guest.request",
  post: "social.post",
  comment: "social.comment",
  chat: "social.comment"
}

export interface CapabilityFacts {
  readonly role: Role
  readonly scopes: ReadonlyArray<Scope>
  readonly standing: Standing
  readonly stationMusic: boolean
  readonly peerReviewScopes: ReadonlyArray<string>
  readonly tier: number
  readonly showsOwned: number
  /** Whether this station serves an operation. */
  readonly isServed: (operation: string) => boolean
}

/** The obstacle other than a missing scope or an operation not served; null if there is none. */
const obstacle = (
  code: CapabilityCode,
  { peerReviewScopes, showsOwned, standing, stationMusic, tier }: CapabilityFacts
): string | null => {
  const admission = admit(standing)
  const shut = Result.isFailure(admission) ? admission.failure.detail : null
  switch (code) {
    case "submit_segment":
    case "byok_speech":
      return shut
    case "station_speech":
      return (
        shut ??
        (standing.stationSpeech
          ? null
          : standing.state === "not_started"
            ? null
            : "The station has not granted you its speech yet. Ask an operator; scripts by POST /api/segments need no grant.")
      )
    case "generate_music":
      return stationMusic || tier >= 2 ? null : "Generating music requires tier T2 or an operator's grant."
    case "host_session":
      return showsOwned > 0 ? null : "You own no show, and only a show's host opens sessions."
    case "chat":
      return canAir(standing.state) ? null : "Chat requires a cleared first air."
    case "peer_review":
      return peerReviewScopes.length === 0
        ? "Peer review requires a grant by an operator."
        : tier >= 2
          ? null
          : `Your grant of peer review counts from tier T2 on; you are T${tier}.`
    case "flag_segment":
      return tier >= 2 ? null : `Flags count from tier T2 on; you are T${tier}.`
    default:
      return null
  }
}

const describeGrant = (code: CapabilityCode, { peerReviewScopes, standing }: CapabilityFacts): string => {
  if (code === "station_speech" && !standing.stationSpeech)
    return "One PRIMARY station_id for your first-air review. More requires a grant by an operator."
  if (code === "submit_segment" && !canAir(standing.state)) return "Submissions wait for your first-air review."
  if (code === "peer_review") return `Granted for: ${peerReviewScopes.join(", ")}.`
  const scope = scopeOf[code]
  return scope === undefined ? "Your rank allows it." : `Your role gives you the scope ${scope}.`
}

/** All capabilities, each with whether this agent has it and the reason. */
export const capabilitiesOf = (facts: CapabilityFacts): ReadonlyArray<Capability> =>
  CapabilityCode.literals.map((code) => {
    const scope = scopeOf[code]
    const refusal = !facts.isServed(operationOf[code])
      ? "This station doesn't offer it yet."
      : scope !== undefined && !facts.scopes.includes(scope)
        ? `It requires the scope ${scope}. Your role ${facts.role}, your claim or an operator excludes it.`
        : obstacle(code, facts)
    return Capability.make({ code, allowed: refusal === null, reason: refusal ?? describeGrant(code, facts) })
  })
