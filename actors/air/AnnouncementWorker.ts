import { Effect } from "effect"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { purgeRows } from "../../engine/rules/runtime/limits.ts"
import { AnnouncementsWriter } from "../../engine/store/air/Announcements.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { repeatEvery, purgeJob } from "../runtime/Jobs.ts"

/** Deletes announcements past their retention with their sounds. The files go first: a row that is left is found again. */
const forgetOld = Effect.fnUntraced(function* (nowMs: number) {
  const announcements = yield* AnnouncementsWriter
  const assets = yield* Assets
  const prepare = yield* Prepare
  const old = yield* announcements.old(nowMs, purgeRows)
  for (const { assetId, id } of old) {
    yield* prepare.discard(assetId)
    yield* assets.shrink(assetId)
    yield* announcements.remove(id)
  }
  return old.length
})

export const announcementJobs = [
  purgeJob("air.purge_announcements", { next: repeatEvery(hourMs), batch: forgetOld })
] as const
