import { Clock, Effect, Layer } from "effect"
import { ingestLeaseSec, ingestTickSec, ingestTriesMax } from "../../engine/rules/agents/limits.ts"
import { mediaUploadDeadHours, sampleKeptDays } from "../../engine/rules/segments/limits.ts"
import { type Examined, incomingKeyOf, UploadSound } from "../../engine/ports/UploadSound.ts"
import { assetIdOf } from "../../engine/rules/segments/Upload.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { Uploads } from "../../engine/store/segments/Uploads.ts"
import { Qc, type UploadRecord } from "../../schema/segments/Upload.ts"
import { Studio } from "./protocol/Studio.ts"
import { sweepUpload } from "./StudioUploads.ts"
import { work } from "../runtime/Wakeup.ts"
import { renewLease } from "../runtime/renewLease.ts"
import { UploadBell } from "./UploadBell.ts"

const leaseMs = ingestLeaseSec * 1_000
const atOnce = 20
const failed = (detail: string): Examined => ({
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
/** Null when the station's disk or storage is at fault: it is tried again a lease later. */
const examined = Effect.fnUntraced(function* (record: UploadRecord) {
  const sound = yield* UploadSound
  const uploads = yield* Uploads
  const { byteSize, contentType, id, purpose, sha256 } = record
  const waits = ({ detail }: { readonly detail: string }) =>
    Effect.as(Effect.logWarning(`uploads: ${id} waits for the media store`, detail), null)
  return yield* sound
    .examine({
      id,
      purpose,
      contentType,
      byteSize,
      assetId: assetIdOf(record.id),
      alike: (durationSec) => uploads.alike(record, durationSec)
    })
    .pipe(
      // Put there anew in the meantime, these aren't the bytes that were completed.
      Effect.flatMap((found) =>
        Effect.map(sound.sha256(incomingKeyOf(id)), (now) =>
          now === sha256 ? found : failed("The file was changed while it was examined.")
        )
      ),
      Effect.catchTags({ ObjectsUnavailable: waits, MediaStoreUnavailable: waits }),
      renewLease(leaseMs, (atMs) => uploads.prolong(id, atMs + leaseMs)),
      // Stopped in order, the next start need not wait for the lease to end.
      Effect.onInterrupt(() => Effect.ignoreCause(uploads.prolong(id, 0)))
    )
})
/** Takes what waits, one after the other, until nothing does. What a process that died had begun is taken up when its lease has ended. */
export const uploadRound = Effect.fn("UploadJobs.round")(function* () {
  const uploads = yield* Uploads
  const studio = yield* Studio.client
  for (;;) {
    const nowMs = yield* Clock.currentTimeMillis
    const record = yield* uploads.lease(nowMs, nowMs + leaseMs)
    if (record === null) break
    const outcome =
      record.tries > ingestTriesMax
        ? failed("The station could not examine it. Upload it again.")
        : yield* examined(record)
    if (outcome !== null) yield* studio(record.agentId).SettleUpload({ uploadId: record.id, outcome })
  }
  const nowMs = yield* Clock.currentTimeMillis
  for (const { agentId, id } of yield* uploads.dead(nowMs - mediaUploadDeadHours * hourMs, atOnce))
    yield* studio(agentId).DropUpload({ uploadId: id, forgotten: false })
  for (const { agentId, id } of yield* uploads.oldSamples(nowMs - sampleKeptDays * dayMs, atOnce))
    yield* studio(agentId).DropUpload({ uploadId: id, forgotten: true })
  yield* Effect.forEach(yield* uploads.unswept(atOnce), (record) => Effect.ignore(sweepUpload(record)), {
    discard: true
  })
})
/** The worker for recordings: woken by every completed upload, and looking by itself for what was left. */
export const UploadWorkerLive = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* work("UploadJobs", yield* UploadBell, ingestTickSec, uploadRound())
  })
).pipe(Layer.provide(UploadBell.layer))
