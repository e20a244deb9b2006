import { Clock, Effect } from "effect"
import { ingestRestMs, ingestTriesMax, uploadDeadHours } from "../../engine/rules/agents/limits.ts"
import { Ingest } from "../../engine/ports/Ingest.ts"
import { uploadKeyOf } from "../../engine/rules/agents/Gallery.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { GalleryAssets, GalleryAssetsWriter } from "../../engine/store/agents/GalleryAssets.ts"
import { backOff, repeatEvery, jobHandler, rescheduleAfter, periodicJob } from "../runtime/Jobs.ts"
import { sweep } from "./Gallery.ts"
import { Desk, type IngestOutcome } from "./protocol/Desk.ts"
import { ProcessPicture } from "./protocol/Jobs.ts"

const atOnce = 20
const tired = "The station could not process it. Upload it again."
const processPicture = jobHandler(ProcessPicture, {
  triesMax: ingestTriesMax,
  restMs: backOff(ingestRestMs, 600_000),
  work: Effect.fnUntraced(function* ({ agentId, assetId }) {
    const record = yield* (yield* GalleryAssets).find(assetId)
    if (record?.status !== "processing") return undefined
    const { byteSize, contentType, uploadId } = record
    const outcome = yield* (yield* Ingest)
      .ingest({ uploadKey: uploadKeyOf(uploadId), contentType, byteSize, name: assetId })
      .pipe(
        Effect.map((made): IngestOutcome => ({ _tag: "Made", ...made })),
        Effect.catchTags({
          Unusable: ({ code, detail }) =>
            Effect.succeed<IngestOutcome>({ _tag: "Refused", reason: `${code}: ${detail}` }),
          ObjectsUnavailable: ({ detail }) => rescheduleAfter(ingestRestMs, detail)
        })
      )
    // A storage fault is not a fault of the file: retry.
    if (!("_tag" in outcome)) return outcome
    yield* (yield* Desk.client)(agentId).SettleUpload({ assetId, outcome })
    return undefined
  }),
  giveUp: ({ agentId, assetId }) =>
    Effect.flatMap(Desk.client, (desk) =>
      desk(agentId).SettleUpload({ assetId, outcome: { _tag: "Refused", reason: tired } })
    )
})
/** Ends uploads that were not completed within `uploadDeadHours`, and removes the files of ended pictures. At most 20 of each per run. */
export const sweepGallery = Effect.fnUntraced(function* () {
  const assets = yield* GalleryAssetsWriter
  const left = yield* assets.listAbandoned((yield* Clock.currentTimeMillis) - uploadDeadHours * hourMs, atOnce)
  yield* Effect.forEach(left, ({ id }) => assets.change(id, ["uploading"], { status: "removed" }), { discard: true })
  yield* Effect.forEach(yield* assets.listUnswept(atOnce), (record) => Effect.ignore(sweep(record)), { discard: true })
})
export const galleryJobs = [
  processPicture,
  periodicJob("agents.sweep_gallery", { next: repeatEvery(ingestRestMs), work: sweepGallery() })
] as const
