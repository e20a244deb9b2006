import { Clock, Effect } from "effect"
import { loreCard } from "../../engine/rules/lore/Lore.ts"
import { loreRoundRowsMax, loreRoundSec } from "../../engine/rules/lore/limits.ts"
import { findSaidSec } from "../../engine/rules/lore/SaidAt.ts"
import { timeWords } from "../../engine/rules/panels/Transcript.ts"
import { displayText } from "../../engine/rules/segments/Script.ts"
import { LoreWriter, type UnlocatedMention } from "../../engine/store/lore/Lore.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { repeatEvery, periodicJob } from "../runtime/Jobs.ts"

/** Asks for the review of proposed entries that nobody asked for, such as panels' of earlier versions. */
const reviewWaiting = Effect.fnUntraced(function* () {
  const lore = yield* LoreWriter
  yield* (yield* Transaction).run(
    Effect.flatMap(lore.listUnreviewed(loreRoundRowsMax), (found) =>
      Effect.forEach(found, (entry) => askForReview(loreCard(entry)), { discard: true })
    )
  )
})

const round = (sec: number) => Math.round(sec * 1_000) / 1_000

/** Words of a sound with their times. A panel's turns share their time among their words when the captions have none. */
const wordsOf = Effect.fnUntraced(function* ({ assetId, turns }: UnlocatedMention) {
  const timings = (yield* (yield* Assets).find(assetId))?.words ?? []
  if (turns === null) return timings.map(({ startMs, text }) => ({ text, startSec: startMs / 1_000 }))
  return timeWords(
    turns.map(({ durationSec, handle, scriptText, startSec }) => ({
      handle,
      displayName: handle,
      text: displayText(scriptText),
      startSec,
      endSec: startSec + durationSec
    })),
    timings
  )
})

/** Finds the second at which entries are mentioned, in the captions of finished sounds. */
export const locateMentions = Effect.fnUntraced(function* () {
  const lore = yield* LoreWriter
  for (;;) {
    const found = yield* lore.listUnlocated(loreRoundRowsMax)
    for (const mention of found) {
      const sec = findSaidSec(yield* wordsOf(mention), mention.excerpt, mention.title)
      yield* lore.locate(
        mention.entryId,
        mention.segmentId,
        sec === null ? null : round(sec),
        yield* Clock.currentTimeMillis
      )
    }
    if (found.length < loreRoundRowsMax) return
  }
})

export const loreJobs = [
  periodicJob("lore.review_waiting", { next: repeatEvery(loreRoundSec * 1_000), work: reviewWaiting() }),
  periodicJob("lore.locate_mentions", { next: repeatEvery(loreRoundSec * 1_000), work: locateMentions() })
] as const
