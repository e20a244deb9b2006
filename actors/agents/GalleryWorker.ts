import { Clock, Effect, Layer } from "effect"
import { ingestLeaseSec, ingestTickSec, ingestTriesMax, uploadDeadHours } from "../../engine/rules/agents/limits.ts"
import { Ingest } from "../../engine/ports/Ingest.ts"
import { uploadKeyOf } from "../../engine/rules/agents/Gallery.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { GalleryAssets } from "../../engine/store/agents/GalleryAssets.ts"
import type { GalleryRecord } from "../../schema/agents/Gallery.ts"
import { sweep } from "./Gallery.ts"
import { work } from "../runtime/Wakeup.ts"
import { renewLease } from "../runtime/renewLease.ts"
import { Desk, type IngestOutcome } from "./protocol/Desk.ts"
import { GalleryBell } from "./GalleryBell.ts"

const leaseMs = ingestLeaseSec * 1_000
const atOnce = 20
const tired = "The station could not process it. Upload it again."
/** Null when the station's disk or storage is at fault: it is tried again a lease later. */
const processed = Effect.fnUntraced(function* (record: GalleryRecord) {
  const assets = yield* GalleryAssets
  const { byteSize, contentType, id, uploadId } = record
  return yield* (yield* Ingest).ingest({ uploadKey: uploadKeyOf(uploadId), contentType, byteSize, name: id }).pipe(
    Effect.map(({ durationSec, height, path, thumbnailPath, width }): IngestOutcome => ({
      _tag: "Made",
      path,
      thumbnailPath,
      width,
      height,
      durationSec
    })),
    Effect.catchTags({
      Unusable: ({ code, detail }) => Effect.succeed<IngestOutcome>({ _tag: "Refused", reason: `${code}: ${detail}` }),
      ObjectsUnavailable: ({ detail }) =>
        Effect.as(Effect.logWarning(`gallery: ${id} waits for the media store`, detail), null)
    }),
    renewLease(leaseMs, (atMs) => assets.prolong(id, atMs + leaseMs)),
    // Stopped in order, the next start need not wait for the lease to end.
    Effect.onInterrupt(() => Effect.ignoreCause(assets.prolong(id, 0)))
  )
})
/** Takes what waits, one after the other, until nothing does. What a process that died had begun is taken up when its lease has ended. */
export const galleryRound = Effect.fn("GalleryJobs.round")(function* () {
  const assets = yield* GalleryAssets
  const desk = yield* Desk.client
  for (;;) {
    const nowMs = yield* Clock.currentTimeMillis
    const record = yield* assets.lease(nowMs, nowMs + leaseMs)
    if (record === null) break
    const outcome: IngestOutcome | null =
      record.tries > ingestTriesMax ? { _tag: "Refused", reason: tired } : yield* processed(record)
    if (outcome !== null) yield* desk(record.agentId).SettleUpload({ assetId: record.id, outcome })
  }
  const left = yield* assets.dead((yield* Clock.currentTimeMillis) - uploadDeadHours * hourMs, atOnce)
  yield* Effect.forEach(left, ({ id }) => assets.change(id, ["uploading"], { status: "removed" }), { discard: true })
  yield* Effect.forEach(yield* assets.unswept(atOnce), (record) => Effect.ignore(sweep(record)), { discard: true })
})
/** The gallery's worker: woken by every completed upload, and looking by itself for what was left. */
export const GalleryWorkerLive = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* work("GalleryJobs", yield* GalleryBell, ingestTickSec, galleryRound())
  })
).pipe(Layer.provide(GalleryBell.layer))
