import { Clock, Effect } from "effect"
import { ingestRestMs, ingestTriesMax } from "../../engine/rules/agents/limits.ts"
import { mediaUploadDeadHours, sampleKeptDays, uploadsSweptEverySec } from "../../engine/rules/segments/limits.ts"
import { type Examined, incomingKeyOf, UploadSound } from "../../engine/ports/UploadSound.ts"
import { assetIdOf } from "../../engine/rules/segments/Upload.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { SoundPrints } from "../../engine/store/sound/SoundPrints.ts"
import { Uploads } from "../../engine/store/segments/Uploads.ts"
import { Qc } from "../../schema/segments/Upload.ts"
import type { AgentId, UploadId } from "../../schema/Ids.ts"
import { Studio } from "./protocol/Studio.ts"
import { sweepUpload } from "./StudioUploads.ts"
import { backOff, repeatEvery, jobHandler, rescheduleAfter, periodicJob } from "../runtime/Jobs.ts"
import { ExamineUpload } from "./protocol/Jobs.ts"

const atOnce = 20
/** Result for a recording that could not be examined. */
const failedExamination = (detail: string): Examined => ({
  qc: Qc.make({
    passed: false,
    checks: [{ code: "decodes", passed: false, measured: null, limit: null, detail }],
    loudnessLufs: null,
    truePeakDbtp: null,
    sampleRateHz: null,
    channels: null,
    bitrateKbps: null,
    silenceSec: null,
    clippedPct: null
  }),
  durationSec: null,
  fingerprint: null,
  asset: null
})
const settle = Effect.fnUntraced(function* (uploadId: UploadId, outcome: Examined, agentId: AgentId) {
  yield* (yield* Studio.client)(agentId).SettleUpload({ uploadId, outcome })
})
const examineUpload = jobHandler(ExamineUpload, {
  triesMax: ingestTriesMax,
  restMs: backOff(ingestRestMs, 600_000),
  work: Effect.fnUntraced(function* ({ agentId, uploadId }) {
    const sound = yield* UploadSound
    const uploads = yield* Uploads
    const prints = yield* SoundPrints
    const record = yield* uploads.find(uploadId)
    if (record === null || record.status !== "processing") return
    const { byteSize, contentType, id, purpose, sha256 } = record
    // A storage fault is not a fault of the recording: retry.
    const retryLater = ({ detail }: { readonly detail: string }) => rescheduleAfter(ingestRestMs, detail)
    return yield* sound
      .examine({
        id,
        purpose,
        contentType,
        byteSize,
        assetId: assetIdOf(record.id),
        findAlike: (durationSec) => prints.findAlike({ purpose: record.purpose, except: record.id }, durationSec)
      })
      .pipe(
        // A file replaced during the examination differs from the completed one.
        Effect.flatMap((found) =>
          Effect.map(sound.sha256(incomingKeyOf(id)), (now) =>
            now === sha256 ? found : failedExamination("The file changed during its examination.")
          )
        ),
        Effect.flatMap((outcome) => settle(id, outcome, agentId)),
        Effect.catchTags({ ObjectsUnavailable: retryLater, MediaStoreUnavailable: retryLater })
      )
  }),
  giveUp: ({ agentId, uploadId }) =>
    settle(uploadId, failedExamination("The station could not examine it. Upload it again."), agentId)
})

/** Drops uploads that never arrived and old samples, and removes the files of ended uploads. */
export const sweepUploads = Effect.fnUntraced(function* () {
  const uploads = yield* Uploads
  const studio = yield* Studio.client
  const nowMs = yield* Clock.currentTimeMillis
  for (const { agentId, id } of yield* uploads.listAbandoned(nowMs - mediaUploadDeadHours * hourMs, atOnce))
    yield* studio(agentId).DropUpload({ uploadId: id, forgotten: false })
  for (const { agentId, id } of yield* uploads.listOldSamples(nowMs - sampleKeptDays * dayMs, atOnce))
    yield* studio(agentId).DropUpload({ uploadId: id, forgotten: true })
  yield* Effect.forEach(yield* uploads.listUnswept(atOnce), (record) => Effect.ignore(sweepUpload(record)), {
    discard: true
  })
})

export const uploadJobs = [
  examineUpload,
  periodicJob("segments.sweep_uploads", { next: repeatEvery(uploadsSweptEverySec * 1_000), work: sweepUploads() })
] as const
