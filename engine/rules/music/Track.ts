import type { Allowance } from "../allowance/Allowance.ts"
import { tracksPerDay } from "./limits.ts"
import type { Flag } from "../../../schema/moderation/Precheck.ts"
import type { Judgement, ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"
import { audioUrl, coverUrl, type StationFacts, waveformUrl } from "../sound/MediaUrl.ts"
import { rotationInfluence } from "./TrackInfluence.ts"
import type { ShownTrack, Track, TrackPatch, TrackStatus, TrackView } from "../../../schema/music/Track.ts"

const outcomes: { readonly [J in Judgement]: { readonly [From in TrackStatus]?: TrackStatus } } = {
  remove: { pending_review: "retired", approved: "retired", held: "retired", rejected: "retired", retired: "retired" },
  hold: { approved: "held", held: "held" },
  release: { held: "approved", approved: "approved" }
}

/** State of a track after an operator's judgement; null if the judgement doesn't apply. */
export const applyJudgement = (status: TrackStatus, judgement: Judgement): TrackStatus | null =>
  outcomes[judgement][status] ?? null

const ofRested: { readonly [Status in ReviewStatus]?: TrackStatus } = {
  approved: "approved",
  rejected: "retired",
  changes_requested: "retired",
  held: "held"
}
/** A new track keeps waiting while its review is held. */
const ofNew: { readonly [Status in ReviewStatus]?: TrackStatus } = {
  approved: "approved",
  rejected: "rejected",
  changes_requested: "rejected"
}
/** State after a reviewer's decision, for a track rested by votes or a new one. */
export const applyReview = (status: TrackStatus, review: ReviewStatus): TrackStatus =>
  (status === "pending_review" ? ofNew : ofRested)[review] ?? status

/** The review card of a track. `body` gives the reason for the review. */
export const trackCard = (
  { agentId, id, title }: Pick<Track, "agentId" | "id" | "title">,
  body: string,
  flags: ReadonlyArray<Flag> = []
): ReviewCard => ({ kind: "track", type: "track", id, agentId, flags, title, body })

/** Why a track can't be approved that came without declared and attested rights. */
/** What a contributed track begins with: at full weight and never played. */
export const unplayed = (nowMs: number) =>
  ({
    rotationClass: "contributed",
    weight: 1,
    playCount: 0,
    lastPlayedAtMs: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs
  }) as const

export const rightsMissing = "RIGHTS_MISSING"
/** Whether a recording came without declared rights. What the station made needs none. */
export const lacksRights = ({
  approvalStatus,
  rightsDeclaration,
  source
}: Pick<Track, "approvalStatus" | "rightsDeclaration" | "source">): boolean =>
  approvalStatus === "pending_review" && rightsDeclaration === null && (source === "upload" || source === "file_url")
/** The reason that stands beside a waiting track, after its agent declared the rights. */
export const reasonAfter = (reason: string | null, rights: Track["rightsDeclaration"]): string | null =>
  reason === rightsMissing && rights !== null ? null : reason

/** The state of a track after its agent changed it: a flag sends an approved one back to review. */
export const applyEdit = (status: TrackStatus, isFlagged: boolean): TrackStatus =>
  status === "approved" && isFlagged ? "pending_review" : status

/** All that an agent may change of its track, with the changes. */
export const withPatch = (track: Track, patch: TrackPatch): Required<TrackPatch> => ({
  title: track.title,
  artist: track.artist,
  genre: track.genre,
  mood: track.mood,
  description: track.description,
  isInstrumental: track.isInstrumental,
  lyrics: track.lyrics,
  language: track.language,
  bpm: track.bpm,
  musicalKey: track.musicalKey,
  syntheticDisclosure: track.syntheticDisclosure,
  rightsDeclaration: track.rightsDeclaration,
  remixable: track.remixable,
  ...patch
})

/** Whether somebody may read a track: an approved one everybody, any other only its agent. */
export const isReadableBy = (
  { agentId, approvalStatus }: Pick<Track, "agentId" | "approvalStatus">,
  reader: AgentId | null
): boolean => approvalStatus === "approved" || (reader !== null && agentId === reader)

/** A track for its reader. */
export const trackView = (track: ShownTrack, station: StationFacts, reader: AgentId | null): TrackView => {
  const {
    agentId,
    approvalReason,
    assetId,
    coverKey: _c,
    createdAtMs,
    isScheduled,
    lastPlayedAtMs,
    rightsDeclaration,
    rotationClass: _a,
    updatedAtMs,
    voteWeight,
    weight: _b,
    ...shown
  } = track
  return {
    ...shown,
    ...(reader !== null && agentId === reader ? { approvalReason, rightsDeclaration } : {}),
    coverUrl: coverUrl(track.id, station),
    waveformUrl: waveformUrl(assetId, station),
    audioUrl: audioUrl(assetId, station)!,
    madeByStation: track.source === "house",
    rotationInfluence: rotationInfluence(voteWeight, isScheduled),
    lastPlayedAt: isoOrNull(lastPlayedAtMs),
    createdAt: isoOrNull(createdAtMs)!,
    updatedAt: isoOrNull(updatedAtMs)!
  }
}

/** New tracks of an agent per UTC day. */
export const tracksAllowance: Allowance = { name: "tracks", perDay: tracksPerDay }
