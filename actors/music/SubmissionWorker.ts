import { Effect } from "effect"
import { UploadSound } from "../../engine/ports/UploadSound.ts"
import { submissionsSweptMinutes } from "../../engine/rules/music/limits.ts"
import { assetIdOf } from "../../engine/rules/segments/Upload.ts"
import { MusicSubmissionsWriter } from "../../engine/store/music/MusicSubmissions.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { repeatEvery, purgeJob } from "../runtime/Jobs.ts"

/**
 * Deletes the sounds of submissions that ended, their rows some time later, and what a process left that died while it examined one. Files first: if this
 * process dies, the next run finds the rows again.
 */
export const purgeSubmissions = Effect.fnUntraced(function* (nowMs: number) {
  const submissions = yield* MusicSubmissionsWriter
  const sound = yield* UploadSound
  const assets = yield* Assets
  for (const { id } of yield* submissions.listLeft(nowMs)) {
    yield* sound.discard(id, assetIdOf(id))
    yield* submissions.removeRefused(id)
  }
  for (const { assetId, id, trackId } of yield* submissions.audible(nowMs)) {
    yield* sound.discard(id, assetId!)
    yield* submissions.removeSound(id)
    // What was a track keeps its entry.
    if (trackId === null) yield* assets.remove(assetId!)
  }
  return yield* submissions.purge(nowMs)
})

export const submissionJobs = [
  purgeJob("music.purge_submissions", { next: repeatEvery(submissionsSweptMinutes * 60_000), batch: purgeSubmissions })
] as const
