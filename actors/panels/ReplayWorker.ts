import { Clock, Effect } from "effect"
import { replayRetrySec, replayTriesMax } from "../../engine/rules/panels/limits.ts"
import { ReplaySound } from "../../engine/ports/ReplaySound.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { ClipsWriter } from "../../engine/store/panels/Clips.ts"
import { PublishedReplaysWriter } from "../../engine/store/panels/Replays.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { backOff, jobHandler, rescheduleAfter } from "../runtime/Jobs.ts"
import { emit } from "../runtime/emit.ts"
import { CutClip, PackageReplay } from "./protocol/Jobs.ts"

const restMs = backOff(replayRetrySec * 1_000, replayRetrySec * 1_024_000)

const cutClip = jobHandler(CutClip, {
  triesMax: replayTriesMax,
  restMs,
  work: Effect.fnUntraced(function* ({ clipId }) {
    const [assets, clips, { run }] = [yield* Assets, yield* ClipsWriter, yield* Transaction]
    const clip = (yield* clips.findAny(clipId))?.clip
    if (clip?.status !== "making") return
    const { assetId, durationSec, id, sourceAssetId, startSec } = clip
    const synthetic = (yield* assets.find(sourceAssetId))?.synthetic ?? null
    return yield* (yield* ReplaySound).cut({ from: sourceAssetId, to: assetId, startSec, durationSec, synthetic }).pipe(
      Effect.flatMap((asset) =>
        run(
          Effect.gen(function* () {
            yield* assets.save(asset)
            yield* clips.markReady(id, durationSec, yield* Clock.currentTimeMillis)
          })
        )
      ),
      Effect.catchTags({
        // A retry can't improve the same sound.
        Unairable: ({ detail }) => clips.fail(id, detail),
        MediaStoreUnavailable: ({ detail }) => rescheduleAfter(replayRetrySec * 1_000, detail)
      })
    )
  }),
  giveUp: Effect.fnUntraced(function* ({ clipId }, why) {
    const clips = yield* ClipsWriter
    if ((yield* clips.findAny(clipId))?.clip.status === "making") yield* clips.fail(clipId, why)
  })
})

/** Retried forever: an unpackaged replay still plays as one file. Operators get an alert. */
const packageReplay = jobHandler(PackageReplay, {
  restMs,
  work: Effect.fnUntraced(function* ({ replayId }, { tries }) {
    const replays = yield* PublishedReplaysWriter
    const record = yield* replays.findAny(replayId)
    if (record === null || record.packaged) return
    yield* (yield* ReplaySound).pack(record.assetId).pipe(
      Effect.tapError(({ detail }) =>
        tries === replayTriesMax
          ? emit({
              _tag: "OpsAlerted",
              what: "replay_unpackaged",
              detail: `${replayId} can't be packaged for players: ${detail}`
            })
          : Effect.void
      ),
      Effect.mapError(({ detail }) => new Error(detail))
    )
    yield* replays.markPackaged(replayId, yield* Clock.currentTimeMillis)
  })
})

export const replayJobs = [cutClip, packageReplay] as const
