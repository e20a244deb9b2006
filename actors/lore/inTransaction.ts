import { Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { conflictOf, type Difference, differenceOf, subjectOf } from "../../engine/rules/lore/Contradiction.ts"
import { loreCard } from "../../engine/rules/lore/Lore.ts"
import { type LoreRecord, LoreWriter, type NewLore } from "../../engine/store/lore/Lore.ts"
import type { LoreId, SegmentId } from "../../schema/Ids.ts"
import { askForReview } from "../moderation/Reviews.ts"

/** Something that is said about a subject, and where. */
interface Claim {
  readonly title: string
  readonly text: string
  readonly byEntryId: LoreId | null
  readonly segmentId: SegmentId | null
}

/** Opens a dispute of a canonical entry. Neither text is changed: an operator decides. */
const dispute = Effect.fnUntraced(function* (
  canon: LoreRecord,
  { byEntryId, segmentId, text }: Claim,
  difference: Difference,
  atMs: number
) {
  const lore = yield* LoreWriter
  const id = yield* (yield* IdSource).make("dsp")
  const isNew = yield* lore.dispute({ id, entryId: canon.id, byEntryId, segmentId, difference, claim: text }, atMs)
  if (isNew && canon.status === "canonical") yield* lore.move(canon.id, "canonical", "disputed", atMs)
})

/**
 * Disputes each canonical entry that the claim differs from. A proposal about the same subject differs by any other statement; speech on the air
 * differs by a contradiction only, because it need not repeat the whole entry.
 */
export const noticeContradictions = Effect.fnUntraced(function* (claim: Claim, atMs: number) {
  const subject = subjectOf(claim.title)
  for (const canon of yield* (yield* LoreWriter).listSimilar(claim.title, claim.byEntryId ?? "")) {
    const known = { title: canon.title, text: canon.summary }
    const difference =
      subjectOf(canon.title) === subject && claim.segmentId === null
        ? differenceOf(known, claim)
        : conflictOf(known, claim)
    if (difference !== null) yield* dispute(canon, claim, difference, atMs)
  }
})

/** Proposes what a panel brought up, and asks for its review; for a known title it adds a mention. True for a new entry. */
export const proposeLore = Effect.fnUntraced(function* (entry: NewLore, atMs: number) {
  const { isNew, known } = yield* (yield* LoreWriter).propose(entry, atMs)
  const { id, proposedBy, summary, title } = entry
  if (isNew) yield* askForReview(loreCard({ id, agentId: proposedBy, title, summary }))
  if (isNew || known !== null)
    for (const { excerpt, segmentId } of entry.mentions)
      yield* noticeContradictions({ title, text: excerpt, byEntryId: isNew ? id : null, segmentId }, atMs)
  return isNew
})
