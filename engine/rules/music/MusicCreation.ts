import type {
  CreationEnd,
  CreationProgress,
  CreationRecord,
  CreationStatus,
  CreationStep
} from "../../../schema/music/MusicCreation.ts"
import type { MusicRequest, MusicVariant } from "../../../schema/music/MusicRequest.ts"
import { iso } from "../../../schema/time/Instant.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import type { StationFacts } from "../sound/MediaUrl.ts"
import { creationsPerHour } from "./limits.ts"
import { musicRequestView } from "./MusicRequest.ts"

/** Counts new keys, also those that name an older job. */
export const creationAllowance: Allowance = { name: "music_creations", perHour: creationsPerHour }

const disclaimer =
  "Admission is no promise of sound, and sound is no promise of airtime: a finished piece becomes a track when you designate it and the station approves it."

/** Rendering begins when the first of several pieces is finished. */
const statusOf = ({ status }: MusicRequest, made: number): CreationStatus =>
  status === "cancelled" ? "failed" : status === "generating" && made > 0 ? "rendering" : status

const stepsOf = (status: CreationStatus, made: number, pieces: number): ReadonlyArray<CreationStep> => {
  const isOver = status === "failed" || status === "rejected"
  const isBegun = status !== "queued" && status !== "admitted"
  return [
    { step: "admitted", state: "done" },
    { step: "generating", state: isBegun ? (isOver && made === 0 ? "failed" : "done") : "waiting" },
    ...Array.from({ length: pieces }, (_, n): CreationStep => ({
      step: `piece_${n + 1}`,
      state: n < made ? "done" : isOver ? "failed" : isBegun && n === made ? "running" : "waiting"
    })),
    { step: "complete", state: status === "complete" ? "done" : isOver ? "failed" : "waiting" }
  ]
}

/** What is kept of a creation when its request is deleted. */
export const creationEnd = (request: MusicRequest, made: number): CreationEnd => ({
  status: statusOf(request, made),
  error: request.error,
  trackId: request.trackId,
  pieces: made,
  updatedAtMs: request.updatedAtMs
})

/** How far a creation is, from its request, or from what is left of it. */
export const creationProgress = (
  { ended, jobId, requestId }: CreationRecord,
  found: { readonly request: MusicRequest; readonly variants: ReadonlyArray<MusicVariant> } | null,
  station: StationFacts
): CreationProgress => {
  if (found === null) {
    const { error, pieces, status, trackId, updatedAtMs } = ended!
    return {
      jobId,
      status,
      progress: status === "complete" ? 1 : 0,
      steps: stepsOf(status, pieces, pieces),
      requestId,
      musicAssetId: null,
      audioUrl: null,
      trackId,
      error,
      disclaimer,
      updatedAt: iso(updatedAtMs)
    }
  }
  const { request, variants } = found
  const { audioUrl, error, musicAssetId, progress, trackId } = musicRequestView(request, variants, station)
  const status = statusOf(request, variants.length)
  return {
    jobId,
    status,
    progress,
    steps: stepsOf(status, variants.length, request.order.variants),
    requestId,
    musicAssetId,
    audioUrl,
    trackId,
    error,
    disclaimer,
    updatedAt: iso(request.updatedAtMs)
  }
}
