import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import {
  loreAllowance,
  loreCard,
  loreReferable,
  loreReferenceAllowance,
  loreShown,
  canMoveLore
} from "../../engine/rules/lore/Lore.ts"
import { sentenceAbout } from "../../engine/rules/lore/SaidAt.ts"
import { LibraryCardsWriter } from "../../engine/store/lore/LibraryCards.ts"
import { type LoreRecord, LoreWriter } from "../../engine/store/lore/Lore.ts"
import type { CardId, LoreId } from "../../schema/Ids.ts"
import type { LoreDraft, LoreStatus } from "../../schema/lore/Lore.ts"
import {
  InvalidField,
  LoreEntryNotFound,
  LoreEntryNotReferenceable,
  NotFound,
  SegmentNotFound,
  SubjectConflict
} from "../../schema/Problems.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { reviewHandlers } from "../moderation/reviewHandlers.ts"
import { askForReview, withdrawReview } from "../moderation/Reviews.ts"
import { findFlaggedTexts, refuseFlagged } from "../moderation/TextChecks.ts"
import { type Act, record } from "../runtime/audit.ts"
import { behaviours, command } from "../runtime/Command.ts"
import { emit } from "../runtime/emit.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { noticeContradictions } from "./inTransaction.ts"
import { loreReview } from "./LoreReview.ts"
import { Canon } from "./protocol/Canon.ts"
import { checkReferences } from "./References.ts"

/**
 * The texts that are checked. Ids of the station's own things aren't: they are random, and one in a thousand contains a swear word. `checkReferences`
 * refuses those that name nothing.
 */
const textsOf = ({ references, summary, title, topics }: LoreDraft) => ({
  "/title": title,
  "/summary": summary,
  ...Object.fromEntries(topics.map((topic, n) => [`/topics/${n}`, topic])),
  ...Object.fromEntries(
    references.flatMap(({ id, kind, note }, n) => [
      [`/references/${n}/note`, note],
      [`/references/${n}/id`, kind === "url" ? id : null]
    ])
  )
})

/** Proposes an agent's entry. Everybody reads it at once, so a flagged text is refused; a reviewer decides whether it becomes canonical. */
const propose = Effect.fnUntraced(function* ({
  by: { agentId },
  draft
}: {
  readonly by: Broadcaster
  readonly draft: LoreDraft
}) {
  const lore = yield* LoreWriter
  const nowMs = yield* Clock.currentTimeMillis
  yield* activeAgent(agentId)
  yield* refuseFlagged(
    "Everybody reads the lore. Change the passages that are flagged.",
    findFlaggedTexts(textsOf(draft))
  )
  const mentions = yield* checkReferences(draft.references, agentId, draft.title)
  const known = yield* lore.findSame(draft.title, draft.summary)
  if (known !== null)
    return yield* new InvalidField({
      detail: `The entry ${known.id} says the same. Refer to it: POST /api/lore/entries/${known.id}/reference.`,
      errors: [
        { pointer: "/title", code: "INVALID_FIELD", detail: `is the title of ${known.id}, with the same summary` }
      ]
    })
  const id = (yield* (yield* IdSource).make("lore")) as LoreId
  return yield* command({
    by: agentId,
    allowances: [loreAllowance],
    run: Effect.gen(function* () {
      yield* Effect.orDie(
        lore.add(
          { id, commandKey: id, ...draft, proposedBy: agentId, status: "proposed", operational: false },
          agentId,
          nowMs
        )
      )
      for (const one of mentions) yield* lore.mention(id, one)
      yield* askForReview(loreCard({ id, agentId, title: draft.title, summary: draft.summary }))
      yield* noticeContradictions({ title: draft.title, text: draft.summary, byEntryId: id, segmentId: null }, nowMs)
      return (yield* lore.entry(id))!
    })
  })
})

const dayOf = (nowMs: number) => `day:${new Date(nowMs).toISOString().slice(0, 10)}`

/** Counts a reference once for each segment, or once a day without one. A segment that names the entry becomes a mention. */
const refer = Effect.fnUntraced(function* ({
  by: { agentId },
  context,
  entryId,
  segmentId
}: {
  readonly by: Broadcaster
  readonly entryId: string
  readonly segmentId: string | null
  readonly context: string | null
}) {
  const lore = yield* LoreWriter
  const nowMs = yield* Clock.currentTimeMillis
  yield* activeAgent(agentId)
  const entry = yield* lore.findAny(entryId)
  if (entry === null) return yield* new LoreEntryNotFound({ detail: `There is no entry ${entryId} in the lore.` })
  if (entry.operational || !loreReferable.includes(entry.status))
    return yield* new LoreEntryNotReferenceable({
      detail:
        entry.mergedIntoId !== null
          ? `It was merged into ${entry.mergedIntoId}. Refer to that one.`
          : `Nobody can refer to it${entry.operational ? "" : `: it is ${entry.status}`}.`
    })
  yield* refuseFlagged("Change the passages of context that are flagged.", findFlaggedTexts({ "/context": context }))
  const [segment] = segmentId === null ? [] : yield* lore.listSpoken([segmentId])
  if (segmentId !== null && (segment?.id !== segmentId || !(segment.isPublic || segment.agentId === agentId)))
    return yield* new SegmentNotFound({
      detail: "No segment that aired, and none of yours that may still air, has this id.",
      errors: [{ pointer: "/segmentId", code: "SEGMENT_NOT_FOUND", detail: "names no segment" }]
    })
  const slot = segmentId ?? dayOf(nowMs)
  return yield* command({
    by: agentId,
    allowances: [loreReferenceAllowance],
    run: Effect.gen(function* () {
      if (yield* lore.refer(entry.id, agentId, { slot, segmentId: segment?.id ?? null, context }, nowMs)) {
        const excerpt = segment === undefined ? null : sentenceAbout(segment.text, entry.title)
        if (segment !== undefined && excerpt !== null) yield* lore.mention(entry.id, { segmentId: segment.id, excerpt })
        yield* emit({ _tag: "LoreReferred", entryId: entry.id, agentId, slot })
      }
      return { entryId: entry.id, ...(yield* lore.count(entry.id)) }
    })
  })
})

const notFound = (id: string) => new NotFound({ detail: `There is no entry ${id} in the lore.` })
const renderForOps = (id: LoreId) =>
  Effect.flatMap(LoreWriter, (lore) => Effect.map(lore.findForOps(id), (found) => found!))

/** An operator's entry. */
const establish = Effect.fnUntraced(function* ({
  draft,
  operational,
  ...act
}: Act & { readonly draft: LoreDraft; readonly operational: boolean }) {
  const lore = yield* LoreWriter
  const nowMs = yield* Clock.currentTimeMillis
  if (operational && draft.category !== "fact")
    return yield* new InvalidField({
      detail: "Only a fact can be operational.",
      errors: [{ pointer: "/operational", code: "INVALID_FIELD", detail: "must be false unless the category is fact" }]
    })
  const mentions = yield* checkReferences(draft.references, null, draft.title)
  const id = (yield* (yield* IdSource).make("lore")) as LoreId
  yield* Effect.orDie(
    lore.add({ id, commandKey: id, ...draft, proposedBy: null, status: "canonical", operational }, act.actor, nowMs)
  )
  for (const one of mentions) yield* lore.mention(id, one)
  if (!operational)
    yield* noticeContradictions({ title: draft.title, text: draft.summary, byEntryId: id, segmentId: null }, nowMs)
  yield* record(act, "lore.establish", { type: "lore", id }, null, { title: draft.title, operational })
  return yield* renderForOps(id)
})

/** Tells the agent that proposed it. */
const emitDecision = ({ id, proposedBy, title }: LoreRecord, status: LoreStatus, reason: string | null) =>
  proposedBy === null
    ? Effect.void
    : emit({ _tag: "LoreDecided", entryId: id, agentId: proposedBy, title, status, reason })

interface Revision extends Act {
  readonly entryId: string
  readonly category: LoreDraft["category"] | null
  readonly title: string | null
  readonly summary: string | null
  readonly topics: ReadonlyArray<string> | null
  readonly operational: boolean | null
  readonly status: LoreStatus | null
}

/** Changes an entry. A new wording is a new version; the former stay readable. */
const revise = Effect.fnUntraced(function* ({
  category,
  entryId,
  operational,
  status,
  summary,
  title,
  topics,
  ...act
}: Revision) {
  const lore = yield* LoreWriter
  const nowMs = yield* Clock.currentTimeMillis
  const before = yield* lore.lock(entryId)
  if (before === null) return yield* notFound(entryId)
  const to = {
    category: category ?? before.category,
    title: title ?? before.title,
    summary: summary ?? before.summary,
    topics: topics ?? before.topics,
    operational: operational ?? before.operational,
    status: status ?? before.status
  }
  if (before.status === "merged")
    return yield* new SubjectConflict({ detail: `It was merged into ${before.mergedIntoId}. Change that one.` })
  if (!canMoveLore(before.status, to.status))
    return yield* new SubjectConflict({ detail: `It is ${before.status} and can't become ${to.status}.` })
  if (to.operational && to.category !== "fact")
    return yield* new SubjectConflict({ detail: "Only a fact can be operational." })
  yield* lore.change(before, to, act.actor, nowMs)
  if (to.status !== before.status) {
    if (before.status === "proposed") yield* withdrawReview("lore", before.id, "LORE_REVISED")
    if (before.status === "disputed")
      yield* lore.settleDisputes(before.id, to.status === "canonical" ? "upheld" : "retired", nowMs)
    yield* emitDecision({ ...before, title: to.title }, to.status, act.reason)
  }
  yield* record(act, "lore.revise", { type: "lore", id: before.id }, before, to)
  return yield* renderForOps(before.id)
})

/** Merges an entry into another one, which takes over its mentions and references. */
const merge = Effect.fnUntraced(function* ({
  entryId,
  intoId,
  ...act
}: Act & { readonly entryId: string; readonly intoId: string }) {
  const lore = yield* LoreWriter
  const nowMs = yield* Clock.currentTimeMillis
  // In one order, so that two mergers can't wait for each other.
  for (const id of [entryId, intoId].toSorted()) yield* lore.lock(id)
  const [from, into] = [yield* lore.findAny(entryId), yield* lore.findAny(intoId)]
  if (from === null) return yield* notFound(entryId)
  if (into === null) return yield* notFound(intoId)
  if (from.id === into.id) return yield* new SubjectConflict({ detail: "An entry can't be merged into itself." })
  if (!loreShown.includes(from.status))
    return yield* new SubjectConflict({ detail: `${from.id} is ${from.status}: there is nothing to merge.` })
  if (!loreShown.includes(into.status))
    return yield* new SubjectConflict({
      detail:
        into.mergedIntoId === from.id
          ? `${into.id} was merged into ${from.id}: that would be a circle.`
          : `${into.id} is ${into.status}: nothing can be merged into it.`
    })
  if (from.operational !== into.operational)
    return yield* new SubjectConflict({ detail: "An operational fact and a public entry can't be merged." })
  yield* lore.merge(from.id, into.id, nowMs)
  if (from.status === "proposed") yield* withdrawReview("lore", from.id, "LORE_MERGED")
  yield* lore.settleDisputes(from.id, "merged", nowMs)
  yield* emitDecision(from, "merged", act.reason)
  yield* record(act, "lore.merge", { type: "lore", id: from.id }, { status: from.status }, { mergedIntoId: into.id })
  return yield* renderForOps(into.id)
})

interface NewCard extends Act {
  readonly title: string
  readonly text: string
  readonly topics: ReadonlyArray<string>
  readonly sourceEntryIds: ReadonlyArray<string>
}

const addCard = Effect.fnUntraced(function* ({ sourceEntryIds, text, title, topics, ...act }: NewCard) {
  const lore = yield* LoreWriter
  const cards = yield* LibraryCardsWriter
  const nowMs = yield* Clock.currentTimeMillis
  const known = new Set(yield* lore.listReadable({ tracks: [], posts: [], sessions: [], entries: sourceEntryIds }))
  const wrong = sourceEntryIds.flatMap((id, n) =>
    known.has(id)
      ? []
      : [{ pointer: `/sourceEntryIds/${n}`, code: "INVALID_FIELD", detail: "names no public entry of the lore" }]
  )
  if (wrong.length > 0) return yield* new InvalidField({ detail: "A card is made of public entries.", errors: wrong })
  const id = (yield* (yield* IdSource).make("card")) as CardId
  yield* cards.add({ id, title, text, topics, sourceEntryIds: sourceEntryIds as ReadonlyArray<LoreId> }, nowMs)
  yield* record(act, "lore.add_card", { type: "library_card", id }, null, { title, sourceEntryIds })
  return (yield* cards.find(id))!
})

const useCards = Effect.fnUntraced(function* (ids: ReadonlyArray<CardId>) {
  yield* (yield* LibraryCardsWriter).markUsed(ids, yield* Clock.currentTimeMillis)
})

/** Activated on demand. All its state is in the store. */
export const CanonLive = actorLayer(
  Canon,
  Effect.map(
    behaviours(Canon, {
      Propose: ({ payload }) => propose(payload),
      Refer: ({ payload }) => refer(payload),
      ...reviewHandlers([loreReview]),
      Establish: ({ payload }) => command({ run: establish(payload) }),
      Revise: ({ payload }) => command({ run: revise(payload) }),
      Merge: ({ payload }) => command({ run: merge(payload) }),
      AddCard: ({ payload }) => command({ run: addCard(payload) }),
      UseCards: ({ payload }) => useCards(payload.ids)
    }),
    (all) => Canon.of(all)
  ),
  transient
)
