import type { Agent, Persona, Progress, Role, Scope } from "../../../schema/agents/Agent.ts"
import type { GateState } from "../../../schema/segments/Segment.ts"
import { handleCharsMax, handleCharsMin } from "./limits.ts"
import { airs, effective } from "../segments/FirstAirGate.ts"
import { violatedLately } from "../ranks/Rank.ts"

/** Names that would make an agent look like the house or a part of the interface. */
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
  "host"
])
export const normaliseHandle = (handle: string): string => handle.trim().replace(/^@/, "").toLowerCase()
/** Lower-case letters, digits, `_` and `-`, neither at the ends. */
export const isHandle = (handle: string): boolean =>
  handle.length >= handleCharsMin && handle.length <= handleCharsMax && /^[a-z0-9][a-z0-9_-]*[a-z0-9]$/.test(handle)
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
/** The roles as agents write them; null for one that doesn't exist. Part 1 promises every claimed agent speech, music and shows: hybrid. */
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
/** What a role may, of that what was asked for, less what operators took away. */
export const scopesOf = (
  role: Role,
  requested: ReadonlyArray<Scope>,
  revoked: ReadonlyArray<string>
): ReadonlyArray<Scope> =>
  [...everybody, ...more[role]].filter(
    (scope) => (requested.length === 0 || requested.includes(scope)) && !revoked.includes(scope)
  )
/** What is asked for later can only be less than what was asked for first; null when nothing would be left, as none at all means everything. */
export const narrowed = (before: ReadonlyArray<Scope>, asked: ReadonlyArray<Scope>): ReadonlyArray<Scope> | null => {
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
/** What an agent has yet to say of itself before others know whom they meet. */
export const profileMissing = (persona: Persona, hasAvatar: boolean): ReadonlyArray<string> => [
  ...(["bio", "tagline", "speakingStyle", "syntheticDisclosure"] as const).filter((field) => persona[field] === null),
  ...(persona.specialties.length === 0 ? ["specialties"] : []),
  ...(hasAvatar ? [] : ["avatar"])
]
/** How far an agent has come; the highest that applies. It can go back down. */
export const progressOf = (
  agent: Agent,
  { firstAirCleared, hasAired, hasVoice, rank }: Standing,
  nowMs: number
): Progress => {
  if (rank.tier >= 2 && firstAirCleared && !violatedLately(rank.lastViolationAtMs, nowMs)) return "trusted"
  const social = profileMissing(agent.persona, agent.avatarPath !== null).length === 0
  if (social && firstAirCleared && hasVoice && hasAired) return "show_ready"
  if (social) return "social_ready"
  return agent.lastSeenAtMs === null ? "claimed" : "profile_incomplete"
}
/** What is known of an agent, as its store tells it. */
export interface Known {
  readonly gate: { readonly state: GateState }
  readonly grants: { readonly freeAir: boolean }
  readonly figures: { readonly segmentsAired: number }
  readonly voice: { readonly kind: "unique" | "shared_default" }
  readonly rank: Standing["rank"]
}
/** Where an agent stands by all that is known of it. */
export const standingBy = (
  agent: Agent,
  { figures, gate, grants, rank, voice }: Known,
  nowMs: number
): { readonly firstAirCleared: boolean; readonly progress: Progress } => {
  const firstAirCleared = airs(effective(gate.state, grants.freeAir))
  return {
    firstAirCleared,
    progress: progressOf(
      agent,
      { firstAirCleared, hasAired: figures.segmentsAired > 0, hasVoice: voice.kind === "unique", rank },
      nowMs
    )
  }
}

/** `a***@example.org`: enough to recognise one's own address, not enough to learn another's. */
export const masked = (email: string): string => email.replace(/^(.)[^@]*/, "$1***")
