import type { Flag } from "../../../schema/moderation/Precheck.ts"
import type { Judgement, ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import type {
  Adoption,
  AdoptionStatus,
  AdoptionView,
  BoardRow,
  MusicSubmission,
  SubmissionForOps,
  SubmissionRecord,
  SubmissionStatus,
  SubmissionView
} from "../../../schema/music/MusicSubmission.ts"
import { iso } from "../../../schema/time/Instant.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import { audioUrl, type StationFacts } from "../sound/MediaUrl.ts"
import type { Tier } from "../voices/SpeechQuota.ts"
import { boardTierMin, submissionsPerDay } from "./limits.ts"

/** Recordings that a person sends in, per UTC day. */
export const submissionsAllowance: Allowance = { name: "music_submissions", perDay: submissionsPerDay }

/** Statuses that still wait for somebody. */
export const openSubmissions = [
  "examining",
  "pending_review",
  "listed",
  "adopted"
] as const satisfies ReadonlyArray<SubmissionStatus>
/** Statuses in which it stands on the board. */
export const onBoard = ["listed", "adopted"] as const satisfies ReadonlyArray<SubmissionStatus>

/** Why an agent may not use the board; null if it may. */
export const boardRefusal = (tier: Tier): string | null =>
  tier >= boardTierMin ? null : `The adoption board requires tier T${boardTierMin}; you are T${tier}.`

/** How a listener's recording is credited on air. */
export const creditOf = (handle: string): string => `Listener submission, brought by @${handle}`

/** What decisions change of a submission. */
export interface SubmissionState {
  readonly status: SubmissionStatus
  readonly adoption: Adoption | null
}

const ofSafety: { readonly [Status in ReviewStatus]?: SubmissionStatus } = {
  approved: "listed",
  rejected: "rejected",
  changes_requested: "rejected"
}
/** Rejected: the music isn't for the air. Changes requested: not like this, so that another agent may bring it. */
const ofAdoption: { readonly [Status in ReviewStatus]?: SubmissionStatus } = {
  approved: "approved",
  rejected: "rejected",
  changes_requested: "listed"
}
/** State after a reviewer's decision; null if the submission waits for none. A held or escalated review changes nothing. */
export const applyReview = ({ adoption, status }: SubmissionState, review: ReviewStatus): SubmissionState | null => {
  const outcomes = status === "pending_review" ? ofSafety : status === "adopted" ? ofAdoption : null
  if (outcomes === null) return null
  const to = outcomes[review] ?? status
  return { status: to, adoption: to === "listed" ? null : adoption }
}

const judgements: { readonly [J in Judgement]: { readonly [From in SubmissionStatus]?: SubmissionStatus } } = {
  remove: { pending_review: "rejected", listed: "rejected", adopted: "rejected", rejected: "rejected" },
  hold: { listed: "pending_review", pending_review: "pending_review" },
  release: { pending_review: "listed", listed: "listed" }
}
/** State after an operator's judgement; null if it doesn't apply. An approved one is a track, which has judgements of its own. */
export const applyJudgement = ({ adoption, status }: SubmissionState, judgement: Judgement): SubmissionState | null => {
  const to = judgements[judgement][status]
  return to === undefined ? null : { status: to, adoption }
}

const lines = (facts: ReadonlyArray<readonly [name: string, value: string | null | undefined]>) =>
  facts
    .flatMap(([name, value]) => (value === null || value === undefined || value === "" ? [] : [`${name}: ${value}`]))
    .join("\n")
const said = ({ facts, genre, mood, note, rightsDeclaration, syntheticDisclosure }: MusicSubmission) =>
  [
    ["genre", genre],
    ["mood", mood],
    ["rights", rightsDeclaration],
    ["how it was made", syntheticDisclosure],
    ["note", note],
    ["its tags", facts?.title || facts?.artist ? `${facts.title ?? "untitled"} by ${facts.artist ?? "nobody"}` : null],
    ["lyrics", facts?.lyrics]
  ] as const

/** The review of a person's recording before it is on the board: is it safe? */
export const submissionCard = (submission: MusicSubmission, flags: ReadonlyArray<Flag>): ReviewCard => ({
  kind: "media",
  type: "music_submission",
  id: submission.id,
  agentId: null,
  flags,
  title: submission.title,
  body: lines(said(submission))
})
/** The review of an adoption: may it air? */
export const adoptionCard = (
  submission: MusicSubmission,
  adoption: Adoption,
  flags: ReadonlyArray<Flag>
): ReviewCard => ({
  kind: "music_adoption",
  type: "music_submission",
  id: submission.id,
  agentId: adoption.agentId,
  flags,
  title: submission.title,
  body: lines([["pitch", adoption.pitch], ...said(submission)])
})

export const submissionView = ({
  createdAtMs,
  durationSec,
  genre,
  id,
  mood,
  note,
  rightsDeclaration,
  status,
  statusReason,
  syntheticDisclosure,
  title,
  trackId,
  updatedAtMs
}: MusicSubmission): SubmissionView => ({
  id,
  title,
  genre,
  mood,
  note,
  durationSec,
  status,
  statusReason,
  rightsDeclaration,
  syntheticDisclosure,
  trackId,
  submittedAt: iso(createdAtMs),
  updatedAt: iso(updatedAtMs)
})

export const boardRow = (
  { createdAtMs, durationSec, facts, genre, id, mood, note, status, title }: MusicSubmission,
  { publicUrl }: StationFacts
): BoardRow => ({
  id,
  title,
  genre,
  mood,
  durationSec: durationSec!,
  note,
  isInstrumental: facts?.isInstrumental ?? null,
  bpm: facts?.bpm ?? null,
  previewUrl: `${publicUrl}/api/v1/agents/me/music/adoption-board/submissions/${id}/preview`,
  submittedAt: iso(createdAtMs),
  adopted: status === "adopted"
})

const adoptionStatuses: { readonly [Status in SubmissionStatus]: AdoptionStatus } = {
  examining: "operator_review",
  pending_review: "returned",
  listed: "returned",
  adopted: "operator_review",
  approved: "approved",
  rejected: "rejected",
  withdrawn: "withdrawn"
}
/** What became of an adoption. */
export const adoptionStatus = (status: SubmissionStatus): AdoptionStatus => adoptionStatuses[status]

export const adoptionView = (
  { id: submissionId, status, statusReason, trackId }: MusicSubmission,
  { atMs, id }: Adoption
): AdoptionView => ({
  id,
  submissionId,
  status: adoptionStatus(status),
  statusReason,
  trackId,
  createdAt: iso(atMs)
})

export const submissionForOps = (record: SubmissionRecord, station: StationFacts): SubmissionForOps => ({
  ...submissionView(record),
  sentBy: record.humanId,
  isInstrumental: record.facts?.isInstrumental ?? null,
  bpm: record.facts?.bpm ?? null,
  audioUrl: audioUrl(record.assetId, station),
  adoption:
    record.adoption === null
      ? null
      : {
          id: record.adoption.id,
          agentId: record.adoption.agentId,
          handle: record.handle,
          pitch: record.adoption.pitch,
          status: adoptionStatus(record.status),
          createdAt: iso(record.adoption.atMs)
        },
  review: record.review
})
