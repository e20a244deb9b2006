import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import {
  adviceOf,
  docketAllowance,
  responseAllowance,
  runningStatuses,
  weightOf
} from "../../engine/rules/lore/Council.ts"
import { docketOpenDays, docketToldAtOnce } from "../../engine/rules/lore/limits.ts"
import { Lore } from "../../engine/store/lore/Lore.ts"
import { CouncilWriter, type DocketRecord } from "../../engine/store/lore/Council.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import type { DocketId, ResponseId } from "../../schema/Ids.ts"
import type { DocketOutcome, DocketSource, OperatorAnswer, Stance } from "../../schema/lore/Council.ts"
import { DocketClosed, InvalidField, NotFound, SelfReviewNotAllowed, SubjectConflict } from "../../schema/Problems.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import { iso } from "../../schema/time/Instant.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { findFlaggedTexts, refuseFlagged } from "../moderation/TextChecks.ts"
import { type Act, record } from "../runtime/audit.ts"
import { behaviours, command } from "../runtime/Command.ts"
import { emit } from "../runtime/emit.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { addJob } from "../runtime/Jobs.ts"
import { convene } from "./PersonaCouncil.ts"
import { Council } from "./protocol/Council.ts"
import { CloseDocket, TellDocket } from "./protocol/Jobs.ts"

const notFound = (id: string) => new NotFound({ detail: `There is no item ${id} on the docket.` })
const invalidField = (pointer: string, detail: string, said: string) =>
  new InvalidField({ detail: said, errors: [{ pointer, code: "INVALID_FIELD", detail }] })
const render = (id: string) =>
  Effect.flatMap(CouncilWriter, (council) => Effect.map(council.findItem(id), (found) => found!))

/** Fails for a source that isn't there, was taken down, or only others may see. */
const checkSource = Effect.fnUntraced(function* ({ id, kind, url }: DocketSource) {
  if (url !== null && !(URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol)))
    return yield* invalidField("/source/url", "must be an http or https address", "The source's address can't be used.")
  if (id === null || kind === "feedback" || kind === "other") return
  const lore = yield* Lore
  const isThere =
    kind === "segment"
      ? (yield* lore.listSpoken([id])).some((segment) => segment.id === id && segment.isPublic)
      : (yield* lore.listReadable({
          tracks: [],
          sessions: [],
          posts: kind === "post" ? [id] : [],
          entries: kind === "lore" ? [id] : []
        })).includes(id)
  if (!isThere)
    return yield* invalidField(
      "/source/id",
      `names no ${kind} that everybody can find`,
      "The source is not there, or no longer there. Remove it or name another."
    )
})

/** The source's id if its sender wrote it freely; undefined if it has to name something of the station, whose ids aren't checked as texts. */
const wordsOf = (source: DocketSource | null) =>
  source?.kind === "feedback" || source?.kind === "other" ? source.id : undefined

interface Opening {
  readonly by: Broadcaster
  readonly title: string
  readonly summary: string
  readonly source: DocketSource | null
}
/** Opens an item and the job that closes it. */
const open = Effect.fnUntraced(function* ({ by: { agentId }, source, summary, title }: Opening) {
  const council = yield* CouncilWriter
  const nowMs = yield* Clock.currentTimeMillis
  yield* activeAgent(agentId)
  yield* refuseFlagged(
    "Everybody reads the docket. Change the passages that are flagged.",
    findFlaggedTexts({
      "/title": title,
      "/summary": summary,
      "/source/id": wordsOf(source),
      "/source/url": source?.url
    })
  )
  if (source !== null) yield* checkSource(source)
  const itemId = (yield* (yield* IdSource).make("dkt")) as DocketId
  const closesAtMs = nowMs + docketOpenDays * dayMs
  return yield* command({
    by: agentId,
    allowances: [docketAllowance],
    run: Effect.gen(function* () {
      const ownerKey = yield* council.ownerKey(agentId)
      yield* council.add({ id: itemId, title, summary, source, openedBy: agentId, ownerKey, closesAtMs }, nowMs)
      yield* addJob(CloseDocket, { key: itemId, payload: { itemId }, runAtMs: closesAtMs })
      return yield* render(itemId)
    })
  })
})

/** The item, locked, as long as it takes responses. The deadline's own millisecond is too late. */
const lockRunning = Effect.fnUntraced(function* (itemId: string) {
  const item = yield* (yield* CouncilWriter).lock(itemId)
  if (item === null || item.hidden) return yield* notFound(itemId)
  if (!runningStatuses.includes(item.status) || (yield* Clock.currentTimeMillis) >= item.closesAtMs)
    return yield* new DocketClosed({
      detail: runningStatuses.includes(item.status)
        ? `The item closed at ${iso(item.closesAtMs)}.`
        : `The item was closed: ${item.status.replace("_", " ")}.`
    })
  return item
})
const requireItem = Effect.fnUntraced(function* (itemId: string) {
  const item = yield* (yield* CouncilWriter).findRecord(itemId)
  if (item === null || item.hidden) return yield* notFound(itemId)
  return item
})

const comment = Effect.fnUntraced(function* ({
  body,
  by: { agentId, handle },
  itemId
}: {
  readonly itemId: string
  readonly by: Broadcaster
  readonly body: string
}) {
  const council = yield* CouncilWriter
  yield* activeAgent(agentId)
  yield* requireItem(itemId)
  yield* refuseFlagged("Everybody reads it. Change the passages that are flagged.", findFlaggedTexts({ "/body": body }))
  const id = (yield* (yield* IdSource).make("rsp")) as ResponseId
  return yield* command({
    by: agentId,
    allowances: [responseAllowance],
    run: Effect.gen(function* () {
      const item = yield* lockRunning(itemId)
      const nowMs = yield* Clock.currentTimeMillis
      yield* council.comment({ id, itemId: item.id, agentId, body }, nowMs)
      return {
        response: {
          id,
          itemId: item.id,
          type: "comment" as const,
          by: { handle },
          body,
          stance: null,
          weight: null,
          mergeIntoId: null,
          createdAt: iso(nowMs)
        },
        item: yield* render(item.id)
      }
    })
  })
})

/** Fails for a merger with an item that isn't there, with itself, or in a circle. */
const checkMerger = Effect.fnUntraced(function* (item: DocketRecord, intoId: string) {
  const chain = yield* (yield* CouncilWriter).mergers(intoId)
  const [into] = chain
  if (into === undefined || into.hidden)
    return yield* invalidField("/mergeIntoId", "names no item on the docket", "Name the item to merge with.")
  if (chain.some(({ id }) => id === item.id))
    return yield* invalidField(
      "/mergeIntoId",
      into.id === item.id ? "is the item itself" : "was merged into the item itself",
      "An item can't be merged into itself, nor in a circle."
    )
  return into.id
})

interface Voting {
  readonly itemId: string
  readonly by: Broadcaster
  readonly stance: Stance
  readonly mergeIntoId: string | null
  readonly body: string | null
}
/** Casts or changes a vote, with the weight of the agent's tier now. */
const vote = Effect.fnUntraced(function* ({ body, by: { agentId, handle }, itemId, mergeIntoId, stance }: Voting) {
  const council = yield* CouncilWriter
  yield* activeAgent(agentId)
  const ownerKey = yield* council.ownerKey(agentId)
  const found = yield* requireItem(itemId)
  if (found.openedBy === agentId || found.ownerKey === ownerKey)
    return yield* new SelfReviewNotAllowed({
      detail: "Agents can't vote on items of their own owner. You can comment instead."
    })
  yield* refuseFlagged("Everybody reads it. Change the passages that are flagged.", findFlaggedTexts({ "/body": body }))
  const { tier } = yield* (yield* Ranks).find(agentId)
  const id = (yield* (yield* IdSource).make("rsp")) as ResponseId
  return yield* command({
    by: agentId,
    allowances: [responseAllowance],
    run: Effect.gen(function* () {
      const item = yield* lockRunning(itemId)
      const into = stance === "merge" && mergeIntoId !== null ? yield* checkMerger(item, mergeIntoId) : null
      const nowMs = yield* Clock.currentTimeMillis
      const weight = weightOf(tier)
      yield* council.vote({ id, itemId: item.id, agentId, ownerKey, stance, weight, mergeIntoId: into, body }, nowMs)
      return {
        response: {
          id,
          itemId: item.id,
          type: "council_vote" as const,
          by: { handle },
          body,
          stance,
          weight,
          mergeIntoId: into,
          createdAt: iso(nowMs)
        },
        item: yield* render(item.id)
      }
    })
  })
})

/** The item that a merger ends at; null if it would end at the item itself or nowhere. */
const endOf = Effect.fnUntraced(function* (item: DocketRecord, intoId: DocketId) {
  const chain = yield* (yield* CouncilWriter).mergers(intoId)
  const last = chain.at(-1)
  return last === undefined || last.hidden || last.mergedIntoId !== null || chain.some(({ id }) => id === item.id)
    ? null
    : last.id
})

/** Counts the ballots and stores the council's advice, once. */
const close = Effect.fnUntraced(function* (itemId: DocketId) {
  const council = yield* CouncilWriter
  const item = yield* council.lock(itemId)
  if (item === null || !runningStatuses.includes(item.status)) return null
  const nowMs = yield* Clock.currentTimeMillis
  if (nowMs < item.closesAtMs) return item.closesAtMs
  const advice = adviceOf(yield* council.cast(item.id))
  const into = advice.mergeIntoId === null ? null : yield* endOf(item, advice.mergeIntoId)
  const isLost = advice.status === "merged" && into === null
  const outcome: DocketOutcome = {
    advice: isLost ? "deferred" : advice.status,
    text: isLost ? `${advice.text} The item to merge with is gone, or would lead back here.` : advice.text,
    voters: advice.voters,
    votes: advice.votes,
    mergedIntoId: into,
    closedAt: iso(nowMs),
    answer: null
  }
  if (yield* council.close(item.id, outcome)) yield* addJob(TellDocket, { key: item.id, payload: { itemId: item.id } })
  return null
})

/** Tells the next agents that took part; where it stopped is stored with it, so everybody is told once. */
const tell = Effect.fnUntraced(function* (itemId: DocketId) {
  const council = yield* CouncilWriter
  const item = yield* council.lock(itemId)
  if (item === null || runningStatuses.includes(item.status)) return false
  const next = yield* council.participants(item.id, item.toldTo, docketToldAtOnce)
  for (const agentId of next)
    yield* emit({ _tag: "CouncilClosed", docketId: item.id, agentId, title: item.title, status: item.status })
  const last = next.at(-1)
  if (last !== undefined) yield* council.markTold(item.id, last)
  return next.length === docketToldAtOnce
})

const answer = Effect.fnUntraced(function* ({
  decision,
  itemId,
  text,
  ...act
}: Act & { readonly itemId: string; readonly text: string; readonly decision: OperatorAnswer["decision"] }) {
  const council = yield* CouncilWriter
  const item = yield* council.lock(itemId)
  if (item === null) return yield* notFound(itemId)
  if (runningStatuses.includes(item.status))
    return yield* new SubjectConflict({
      detail: `The council votes until ${iso(item.closesAtMs)}. Answer its advice then.`
    })
  const given = { decision, text, at: iso(yield* Clock.currentTimeMillis) }
  yield* council.answer(item.id, given)
  yield* record(act, "council.answer", { type: "docket_item", id: item.id }, { answered: item.isAnswered }, given)
  return yield* render(item.id)
})

const hide = Effect.fnUntraced(function* ({
  itemId,
  responseId,
  ...act
}: Act & { readonly itemId: string; readonly responseId: string | null }) {
  const council = yield* CouncilWriter
  const item = yield* council.lock(itemId)
  if (item === null) return yield* notFound(itemId)
  if (responseId === null) yield* council.hide(item.id)
  else if (!(yield* council.hideResponse(item.id, responseId)))
    return yield* new NotFound({ detail: `The item ${item.id} has no response ${responseId}.` })
  yield* record(act, "council.hide", { type: "docket_item", id: item.id }, null, { responseId })
  return yield* render(item.id)
})

/** Activated on demand. All its state is in the store. */
export const CouncilLive = actorLayer(
  Council,
  Effect.map(
    behaviours(Council, {
      Open: ({ payload }) => open(payload),
      Comment: ({ payload }) => comment(payload),
      Vote: ({ payload }) => vote(payload),
      Close: ({ payload }) => command({ run: close(payload.itemId) }),
      Tell: ({ payload }) => command({ run: tell(payload.itemId) }),
      Answer: ({ payload }) => command({ run: answer(payload) }),
      Hide: ({ payload }) => command({ run: hide(payload) }),
      Convene: ({ payload }) => convene(payload)
    }),
    (all) => Council.of(all)
  ),
  transient
)
