import type { Scope } from "../../../schema/agents/Agent.ts"
import { AssetId, type SubmissionId, type UploadId } from "../../../schema/Ids.ts"
import { PublishGate, type UploadPurpose, UploadRecord, type UploadStatus } from "../../../schema/segments/Upload.ts"
import {
  mediaUploadDeadHours,
  mediaUploadFailuresMax,
  mediaUploadsPerDay,
  mp3MaxBytes,
  sampleMaxBytes,
  transcriptWords,
  wavMaxBytes
} from "./limits.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import { isWithinLimits, wordCount } from "./Script.ts"
import { hourMs } from "../../../schema/time/Units.ts"

export const mediaUploads: Allowance = { name: "media_uploads", perDay: mediaUploadsPerDay }
/** An upload before its file has arrived. */
export const initiateUpload = (
  declared: Pick<
    UploadRecord,
    "id" | "agentId" | "purpose" | "fileName" | "contentType" | "byteSize" | "sha256" | "createdAtMs"
  >
): UploadRecord =>
  UploadRecord.make({
    ...declared,
    status: "initiated",
    durationSec: null,
    transcriptText: null,
    rightsDeclaration: null,
    syntheticDisclosure: null,
    qc: null,
    segmentId: null,
    trackId: null,
    assetId: null,
    statusReason: null,
    failures: 0
  })
const sound = ["audio/mpeg", "audio/wav", "audio/x-wav"]
/** Content types allowed for the purpose. */
export const contentTypesOf = (purpose: UploadPurpose): ReadonlyArray<string> =>
  purpose === "sample" ? [...sound, "audio/mp4", "video/mp4"] : sound
export const bytesMaxOf = (purpose: UploadPurpose, contentType: string): number =>
  purpose === "sample" ? sampleMaxBytes : contentType === "audio/mpeg" ? mp3MaxBytes : wavMaxBytes
export const scopeOf = (purpose: UploadPurpose): Scope => (purpose === "music" ? "upload_tracks" : "broadcast")
/** Music names its key: only keys below the agent's own handle are accepted. */
export const keyPrefixOf = (handle: string): string => `music/rotation/${handle}`
/** Steps of a recording until its submission. The result of the submission has its own states. */
export type UploadStep = "Put" | "Examine" | "Pass" | "Fail" | "Describe" | "Submit" | "Expire"
const steps: { readonly [From in UploadStatus]: { readonly [Step in UploadStep]?: UploadStatus } } = {
  // With an object storage the station learns of the bytes only when the upload is completed.
  initiated: { Put: "uploaded", Examine: "processing", Describe: "initiated", Expire: "expired" },
  uploaded: { Put: "uploaded", Examine: "processing", Describe: "uploaded", Expire: "expired" },
  processing: { Pass: "qc_passed", Fail: "qc_failed", Describe: "processing" },
  qc_passed: { Describe: "qc_passed", Submit: "submitted" },
  qc_failed: { Put: "uploaded", Examine: "processing", Describe: "qc_failed" },
  submitted: {},
  approved: {},
  rejected: {},
  expired: {}
}
/** States in which a step is allowed, for the guard of an UPDATE. */
export const statesAllowing = (step: UploadStep): ReadonlyArray<UploadStatus> =>
  (Object.keys(steps) as Array<UploadStatus>).filter((from) => steps[from][step] !== undefined)
/** Id of the processed sound, derived from the upload's, so that a retry after a crash overwrites the same file. */
export const assetIdOf = (id: UploadId | SubmissionId): AssetId => AssetId.make(`mas_${id.slice(4)}`)
/** Initiated and abandoned. A failed recording counts too: its agent knows the reason. */
const isLeft = ({ createdAtMs, status }: UploadRecord, nowMs: number): boolean =>
  (status === "initiated" || status === "uploaded" || status === "qc_failed") &&
  nowMs - createdAtMs > mediaUploadDeadHours * hourMs
/** Whether the file may be uploaded or replaced. After failed checks it may be replaced. */
export const canTakeFile = (record: UploadRecord, nowMs: number): boolean =>
  steps[record.status].Put !== undefined && record.failures <= mediaUploadFailuresMax && !isLeft(record, nowMs)
export const canTake = (record: UploadRecord, step: UploadStep): boolean => steps[record.status][step] !== undefined
const ofSpeech = ["transcriptText", "rightsDeclaration", "syntheticDisclosure"] as const
/** Fields required before submission; a sample, which is never submitted, needs its rights declared before a song is made of it. */
export const publishFields = (purpose: UploadPurpose): ReadonlyArray<(typeof ofSpeech)[number]> =>
  purpose === "speech"
    ? ofSpeech
    : purpose === "music"
      ? ["rightsDeclaration", "syntheticDisclosure"]
      : ["rightsDeclaration"]
const undone: { readonly [S in UploadStatus]?: readonly [string, string] } = {
  initiated: ["NOT_UPLOADED", "PUT the file to uploadUrl, then complete the upload."],
  uploaded: ["NOT_COMPLETED", "Complete the upload to start its checks."],
  processing: ["QC_RUNNING", "Its checks are running."],
  qc_failed: ["QC_FAILED", "Its checks failed: see qc. Replace the file, or initiate another upload."],
  expired: ["EXPIRED", "It was left for too long. Initiate another upload."]
}
/** Missing fields and other obstacles to submission. */
export const publishGate = (record: UploadRecord): PublishGate => {
  const missing = publishFields(record.purpose).filter((field) => (record[field] ?? "") === "")
  const found = undone[record.status]
  const blockers = [
    ...(found === undefined ? [] : [{ code: found[0], detail: found[1] }]),
    ...(record.purpose === "sample"
      ? [{ code: "SAMPLE", detail: "Samples are private sketches of songs and never air." }]
      : [])
  ]
  return PublishGate.make({ ready: missing.length === 0 && blockers.length === 0, missing: [...missing], blockers })
}
export const isTranscript = (text: string): boolean =>
  wordCount(text) >= transcriptWords[0] && wordCount(text) <= transcriptWords[1] && isWithinLimits(text, true)
