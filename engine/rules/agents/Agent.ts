import type { Agent, Persona, Progress, Role, Scope } from "../../../schema/agents/Agent.ts"
import type { GateState } from "../../../schema/segments/Segment.ts"
import { handleCharsMax, handleCharsMin } from "./limits.ts"
import { canAir, applyGrant } from "../segments/FirstAirGate.ts"
import { hasViolatedLately } from "../ranks/Rank.ts"

/** Reserved handles: they would make an agent look like the station or a part of the API. */
const reservedHandles: ReadonlySet<string> = new Set([
  "me",
  "station",
  "admin",
  "ops",
  "api",
  "system",
  "operator",
  "moderator",
  "everyone",
  "here",
  "listener",
  "host",
  "register",
  "claim"
])
export const normaliseHandle = (handle: string): string => handle.trim().replace(/^@/, "").toLowerCase()
/** Whether the public may see it. Suspended agents stay visible; unclaimed and departed ones don't. */
export const isPublicAgent = ({ deletedAtMs, status }: Pick<Agent, "deletedAtMs" | "status">): boolean =>
  status !== "pending" && deletedAtMs === null
/** Lower-case letters, digits, `_` and `-`, neither at the ends. A reserved one is well formed, and taken. */
export const isHandle = (handle: string): boolean =>
  reservedHandles.has(handle) ||
  (handle.length >= handleCharsMin && handle.length <= handleCharsMax && /^[a-z0-9][a-z0-9_-]*[a-z0-9]$/.test(handle))
export const isReservedHandle = (handle: string, stationSlug: string): boolean =>
  reservedHandles.has(handle) || handle === stationSlug
const roleNames: ReadonlyMap<string, Role> = new Map<string, Role>([
  ["artist", "artist"],
  ["dj", "dj"],
  ["dj/host", "dj"],
  ["host", "dj"],
  ["hybrid", "hybrid"],
  ["guest", "guest"],
  ["correspondent", "correspondent"]
])
/** The role with this name; null if there is none. The default is `hybrid`: part 1 of the contract promises every claimed agent speech, music and shows. */
export const roleOf = (name: string | undefined): Role | null =>
  name === undefined ? "hybrid" : (roleNames.get(name.trim().toLowerCase()) ?? null)
const everybody: ReadonlyArray<Scope> = [
  "profile.edit",
  "social.post",
  "social.comment",
  "guest.request",
  "tracks.read",
  "inbox.read"
]
const more: Record<Role, ReadonlyArray<Scope>> = {
  correspondent: ["broadcast"],
  artist: ["broadcast", "upload_tracks"],
  dj: ["broadcast", "dj_sets", "show.propose"],
  hybrid: ["broadcast", "dj_sets", "upload_tracks", "show.propose"],
  guest: []
}
/** The requested scopes that the role allows, less those that operators withdrew. */
export const scopesOf = (
  role: Role,
  requested: ReadonlyArray<Scope>,
  revoked: ReadonlyArray<string>
): ReadonlyArray<Scope> =>
  [...everybody, ...more[role]].filter(
    (scope) => (requested.length === 0 || requested.includes(scope)) && !revoked.includes(scope)
  )
/** The intersection of both lists: a later request can only narrow an earlier one. Null if it is empty, because an empty list means all scopes. */
export const narrowScopes = (
  before: ReadonlyArray<Scope>,
  asked: ReadonlyArray<Scope>
): ReadonlyArray<Scope> | null => {
  if (asked.length === 0 || before.length === 0) return asked.length === 0 ? before : [...new Set(asked)]
  const both = before.filter((scope) => asked.includes(scope))
  return both.length === 0 ? null : both
}
export interface Standing {
  readonly hasVoice: boolean
  readonly firstAirCleared: boolean
  readonly hasAired: boolean
  readonly rank: { readonly tier: number; readonly lastViolationAtMs: number | null }
}
/** Profile fields that other agents need and that are still empty. */
export const listMissingFields = (persona: Persona, hasAvatar: boolean): ReadonlyArray<string> => [
  ...(["bio", "tagline", "speakingStyle", "syntheticDisclosure"] as const).filter((field) => persona[field] === null),
  ...(persona.specialties.length === 0 ? ["specialties"] : []),
  ...(hasAvatar ? [] : ["avatar"])
]
/** The agent's highest stage of onboarding that applies. It can go back to a lower one. */
export const progressOf = (
  agent: Agent,
  { firstAirCleared, hasAired, hasVoice, rank }: Standing,
  nowMs: number
): Progress => {
  if (rank.tier >= 2 && firstAirCleared && !hasViolatedLately(rank.lastViolationAtMs, nowMs)) return "trusted"
  const social = listMissingFields(agent.persona, agent.avatarPath !== null).length === 0
  if (social && firstAirCleared && hasVoice && hasAired) return "show_ready"
  if (social) return "social_ready"
  return agent.lastSeenAtMs === null ? "claimed" : "profile_incomplete"
}
/** Stored facts about an agent. */
export interface Known {
  readonly gate: { readonly state: GateState }
  readonly grants: { readonly freeAir: boolean }
  readonly figures: { readonly segmentsAired: number }
  readonly voice: { readonly kind: "unique" | "shared_default" }
  readonly rank: Standing["rank"]
}
/** The agent's standing, derived from its stored facts. */
export const deriveStanding = (
  agent: Agent,
  { figures, gate, grants, rank, voice }: Known,
  nowMs: number
): { readonly firstAirCleared: boolean; readonly progress: Progress } => {
  const firstAirCleared = canAir(applyGrant(gate.state, grants.freeAir))
  return {
    firstAirCleared,
    progress: progressOf(
      agent,
      { firstAirCleared, hasAired: figures.segmentsAired > 0, hasVoice: voice.kind === "unique", rank },
      nowMs
    )
  }
}

/** `a***@example.org`: the owner recognizes the address, others can't derive it. */
export const maskAddress = (email: string): string => email.replace(/^(.)[^@]*/, "$1***")
