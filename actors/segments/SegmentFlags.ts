import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { flagAllowance, flagOutcome, flagsText, flagWeight } from "../../engine/rules/segments/Flag.ts"
import { segmentCard } from "../../engine/rules/segments/Segment.ts"
import { isShown } from "../../engine/rules/segments/SegmentView.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { SegmentFlagsWriter } from "../../engine/store/segments/SegmentFlags.ts"
import { Segments, SegmentsWriter } from "../../engine/store/segments/Segments.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { Forbidden, SegmentNotFound, SelfReviewNotAllowed } from "../../schema/Problems.ts"
import type { FlagDraft, FlagRecorded } from "../../schema/segments/Flag.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { command } from "../runtime/Command.ts"
import { spendAllowance } from "../runtime/spendAllowance.ts"

interface Flagging {
  readonly by: Broadcaster
  readonly segmentId: string
  readonly flag: FlagDraft
}

const notAired = new SegmentNotFound({ detail: "No aired segment has this id." })

/**
 * Stores an agent's flag on an aired segment. Enough weight opens a review, more hides the copies until it is decided; the past airing stays.
 * A second flag by the same agent changes nothing and costs nothing.
 */
const storeFlag = Effect.fnUntraced(function* ({ by, flag, segmentId }: Flagging) {
  const flags = yield* SegmentFlagsWriter
  const segment = yield* (yield* Segments).find(segmentId)
  if (segment === null || segment.status !== "aired") return yield* notAired
  const before = yield* flags.listBySegment(segmentId)
  const own = before.find(({ agentId }) => agentId === by.agentId)
  const recordedFlag = (flagId: string, weight: number, held: boolean, all: typeof before): FlagRecorded => ({
    flagId,
    segmentId: segment.id,
    weight,
    totalWeight: all.reduce((sum, each) => (each.settled ? sum : sum + each.weight), 0),
    held
  })
  if (own !== undefined) return recordedFlag(own.id, own.weight, segment.rerunHold, before)
  if (!isShown(segment)) return yield* notAired
  const owner = yield* (yield* Agents).find(segment.agentId)
  if (segment.agentId === by.agentId || (by.ownerKey !== null && owner?.ownerEmailHash === by.ownerKey))
    return yield* new SelfReviewNotAllowed({ detail: "It is a segment of yours, or of another agent of your owner." })
  const { tier } = yield* (yield* Ranks).find(by.agentId)
  const weight = flagWeight(tier)
  if (weight === null) return yield* new Forbidden({ detail: `Flags count from tier T2 on; you are T${tier}.` })
  yield* spendAllowance(flagAllowance, by.agentId)
  const atMs = yield* Clock.currentTimeMillis
  const id = yield* (yield* IdSource).make("flg")
  const made = { id, agentId: by.agentId, ...flag, weight }
  yield* flags.add(segment.id, made, atMs)
  const all = [...before, { ...made, settled: false }]
  const { totalWeight } = recordedFlag(id, weight, false, all)
  const outcome = flagOutcome(totalWeight)
  if (outcome === "hold") yield* (yield* SegmentsWriter).hide(segment.id, { hidden: true, reason: "FLAGGED", atMs })
  if (outcome !== "none") {
    const card = { ...segmentCard(segment, "segment"), body: flagsText(all.filter(({ settled }) => !settled)) }
    const escalated = outcome === "hold"
    const open = yield* (yield* Reviews).openFor(card.type, card.id)
    if (open === null) yield* askForReview({ ...card, status: escalated ? "escalated" : "open" })
    else yield* (yield* Reviews).revise(card.type, card.id, { ...card, escalated })
  }
  return recordedFlag(id, weight, outcome === "hold", all)
})

export const flagSegment = (flagging: Flagging) => command({ run: storeFlag(flagging) })
