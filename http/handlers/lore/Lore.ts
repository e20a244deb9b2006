import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Canon } from "../../../actors/lore/protocol/Canon.ts"
import { loreAllowance, loreShown } from "../../../engine/rules/lore/Lore.ts"
import { cardUseMinSec, libraryTopicsMax } from "../../../engine/rules/lore/limits.ts"
import { loreDetail } from "../../../engine/rules/lore/LoreView.ts"
import { listMax } from "../../../engine/rules/http/limits.ts"
import { listDefault } from "../../../engine/rules/segments/limits.ts"
import { LibraryCards } from "../../../engine/store/lore/LibraryCards.ts"
import { Lore } from "../../../engine/store/lore/Lore.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { LibraryCard, LoreDraft, LoreReference, LoreStatus } from "../../../schema/lore/Lore.ts"
import { InvalidField, NotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent, CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { checkStation } from "../../views/StationViews.ts"
import { broadcaster, nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"
import { sendLater } from "../../../actors/runtime/protocol.ts"

const isSet = (flag: string | undefined) => flag === "true" || flag === "1"

/** The requested states, limited to public ones. */
const shownOf = (status: LoreStatus | undefined, canonicalOnly: boolean) =>
  loreShown.filter((one) => (status === undefined || one === status) && (!canonicalOnly || one === "canonical"))

const topicsOf = (topic: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> => [
  ...new Set(
    (topic === undefined ? [] : typeof topic === "string" ? [topic] : topic)
      .flatMap((one) => one.split(","))
      .map((one) => one.trim().toLowerCase())
      .filter((one) => one !== "")
  )
]

/** A public entry with everything that belongs to it. */
const renderEntry = Effect.fnUntraced(function* (id: string) {
  const lore = yield* Lore
  const found = yield* lore.find(id)
  if (found !== null) return loreDetail(found, yield* StationFacts, yield* Clock.currentTimeMillis)
  const into = yield* lore.findMergeTarget(id)
  return yield* new NotFound({
    detail:
      into === null || into.id === id
        ? `There is no entry ${id} in the lore.`
        : `The entry ${id} was merged into ${into.id}: GET /api/lore/${into.id}.`
  })
})

export const LoreHandlers = HttpApiBuilder.group(
  Api,
  "lore",
  Effect.fnUntraced(function* (handlers) {
    const { slug } = yield* StationFacts
    const lore = yield* Lore
    const library = yield* LibraryCards
    const canon = (yield* Canon.client)(slug)
    /** Cards used a moment ago don't count again: a read seldom writes. */
    const noteUse = Effect.fnUntraced(function* (
      cards: ReadonlyArray<Pick<LibraryCard, "id"> & { readonly usedAtMs: number | null }>
    ) {
      const beforeMs = (yield* Clock.currentTimeMillis) - cardUseMinSec * 1_000
      const ids = cards.filter(({ usedAtMs }) => usedAtMs === null || usedAtMs < beforeMs).map(({ id }) => id)
      if (ids.length > 0) yield* sendLater(canon.UseCards({ ids }))
    })
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        yield* checkStation(query)
        const { canonicalOnly, category, cursor, includeOperationalFacts, q, status, topic } = query
        const page = yield* lore.list({
          limit: limitOf(query),
          cursor: cursor ?? null,
          category: category ?? null,
          topic: topic ?? null,
          q: q ?? null,
          status: shownOf(status, isSet(canonicalOnly)),
          operational: isSet(includeOperationalFacts)
        })
        return page === null ? yield* unknownCursor : { entries: page.records, ...nextCursorOf(page.next) }
      }),
      query: Effect.fnUntraced(function* ({ query }) {
        yield* checkStation(query)
        const limit = Math.min(listMax, Math.max(1, query.limit ?? listDefault))
        return { results: yield* lore.search({ topic: query.topic ?? null, q: query.q ?? null, limit }) }
      }),
      library: Effect.fnUntraced(function* ({ query }) {
        const topics = topicsOf(query.topic)
        if (topics.length > libraryTopicsMax)
          return yield* new InvalidField({
            detail: `Ask for at most ${libraryTopicsMax} topics.`,
            errors: [
              { pointer: "/query/topic", code: "INVALID_FIELD", detail: `must name at most ${libraryTopicsMax} topics` }
            ]
          })
        const found = yield* library.listFitting(topics)
        yield* noteUse(found)
        return { cards: found.map(({ usedAtMs: _usedAtMs, ...card }) => card) }
      }),
      entry: ({ params }) => Effect.map(renderEntry(params.id), (entry) => ({ entry }))
    })
  })
)

interface Drafted extends Pick<LoreDraft, "category" | "title" | "summary"> {
  readonly references?: ReadonlyArray<Omit<LoreReference, "note"> & { readonly note?: string | null }>
  readonly topics?: ReadonlyArray<string>
}
const tidyTopics = (topics: ReadonlyArray<string>) => [
  ...new Set(topics.map((topic) => topic.toLowerCase()).filter((topic) => topic !== ""))
]
const draftOf = ({ category, references = [], summary, title, topics = [] }: Drafted): LoreDraft => ({
  category,
  title,
  summary,
  references: references.map(({ id, kind, note }) => ({ kind, id, note: note || null })),
  topics: tidyTopics(topics)
})

export const OwnLoreHandlers = HttpApiBuilder.group(
  Api,
  "ownLore",
  Effect.fnUntraced(function* (handlers) {
    const canon = (yield* Canon.client)((yield* StationFacts).slug)
    return handlers.handleAll({
      propose: Effect.fnUntraced(function* ({ payload, query }) {
        yield* checkStation(payload)
        const by = broadcaster(yield* CurrentAgent)
        const entry = yield* send(canon.Propose({ by, draft: draftOf(payload) })).pipe(
          answerWithQuotas(readAllowances([loreAllowance], by.agentId))
        )
        return isDry(query) ? previewAnswer({ entry }, 201) : { entry }
      }),
      refer: Effect.fnUntraced(function* ({ params, payload, query }) {
        const by = broadcaster(yield* CurrentAgent)
        const referred = yield* send(
          canon.Refer({
            by,
            entryId: params.id,
            segmentId: payload.segmentId || null,
            context: payload.context || null
          })
        )
        return isDry(query) ? previewAnswer(referred, 200) : referred
      })
    })
  })
)

export const LoreForOpsHandlers = HttpApiBuilder.group(
  OpsApi,
  "loreForOps",
  Effect.fnUntraced(function* (handlers) {
    const { slug } = yield* StationFacts
    const lore = yield* Lore
    const library = yield* LibraryCards
    const canon = (yield* Canon.client)(slug)
    const act = Effect.fnUntraced(function* ({ reason = null }: { readonly reason?: string | null }) {
      return { actor: (yield* CurrentOperator).name, reason }
    })
    return handlers.handleAll({
      opsList: Effect.fnUntraced(function* ({ query }) {
        const page = yield* lore.listAny({
          limit: limitOf(query),
          cursor: query.cursor ?? null,
          category: query.category ?? null,
          topic: query.topic ?? null,
          q: query.q ?? null,
          status: query.status === undefined ? allStatuses : [query.status],
          operational: true
        })
        return page === null ? yield* unknownCursor : { entries: page.records, ...nextCursorOf(page.next) }
      }),
      establish: Effect.fnUntraced(function* ({ payload, query }) {
        const entry = yield* send(
          canon.Establish({
            draft: draftOf(payload),
            operational: payload.operational ?? false,
            ...(yield* act(payload))
          })
        )
        return isDry(query) ? previewAnswer({ entry }, 200) : { entry }
      }),
      revise: Effect.fnUntraced(function* ({ params, payload, query }) {
        const entry = yield* send(
          canon.Revise({
            entryId: params.id,
            category: payload.category ?? null,
            title: payload.title ?? null,
            summary: payload.summary ?? null,
            topics: payload.topics === undefined ? null : tidyTopics(payload.topics),
            operational: payload.operational ?? null,
            status: payload.status ?? null,
            ...(yield* act(payload))
          })
        )
        return isDry(query) ? previewAnswer({ entry }, 200) : { entry }
      }),
      merge: Effect.fnUntraced(function* ({ params, payload, query }) {
        const entry = yield* send(canon.Merge({ entryId: params.id, intoId: payload.intoId, ...(yield* act(payload)) }))
        return isDry(query) ? previewAnswer({ entry }, 200) : { entry }
      }),
      opsCards: Effect.fnUntraced(function* ({ query }) {
        const page = yield* library.list({ limit: limitOf(query), cursor: query.cursor ?? null })
        return page === null ? yield* unknownCursor : { cards: page.records, ...nextCursorOf(page.next) }
      }),
      addCard: Effect.fnUntraced(function* ({ payload, query }) {
        const { sourceEntryIds = [], text, title, topics = [] } = payload
        const card = yield* send(
          canon.AddCard({ title, text, topics: tidyTopics(topics), sourceEntryIds, ...(yield* act(payload)) })
        )
        return isDry(query) ? previewAnswer({ card }, 200) : { card }
      })
    })
  })
)
const allStatuses: ReadonlyArray<LoreStatus> = [...loreShown, "rejected", "merged"]
