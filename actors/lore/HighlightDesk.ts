import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import {
  chooseHighlights,
  dailySlug,
  highlightAllowance,
  requestedSlug,
  windowMs
} from "../../engine/rules/lore/Highlights.ts"
import { HighlightsWriter } from "../../engine/store/lore/Highlights.ts"
import type { HighlightId } from "../../schema/Ids.ts"
import type { HighlightRequest, HighlightWindow } from "../../schema/lore/Highlights.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { findFlaggedTexts, refuseFlagged } from "../moderation/TextChecks.ts"
import { behaviours, command } from "../runtime/Command.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { HighlightDesk } from "./protocol/Highlights.ts"

/** The items of an edition, best first. */
const chosen = Effect.fnUntraced(function* (fromMs: number, toMs: number, topic: string | null) {
  const highlights = yield* HighlightsWriter
  const candidates = yield* highlights.candidates(fromMs, toMs)
  const subjects = yield* highlights.subjects(candidates)
  return chooseHighlights(
    subjects.flatMap((subject) => {
      const candidate = candidates.find(
        ({ kind, subjectId }) => kind === subject.kind && subjectId === subject.subjectId
      )
      return candidate === undefined ? [] : [{ candidate, subject }]
    }),
    topic
  ).map(({ candidate }) => candidate)
})

interface Asked {
  readonly by: Broadcaster
  readonly window: HighlightWindow
  readonly topic: string | null
}
/** Makes an edition at once. Nothing is spent when nothing fits. */
const request = Effect.fnUntraced(function* ({ by: { agentId }, topic, window }: Asked) {
  const highlights = yield* HighlightsWriter
  yield* activeAgent(agentId)
  yield* refuseFlagged(
    "Everybody reads the topic of an edition. Choose another.",
    findFlaggedTexts({ "/topic": topic })
  )
  const nowMs = yield* Clock.currentTimeMillis
  const fromMs = nowMs - windowMs[window]
  const items = yield* chosen(fromMs, nowMs, topic)
  const id = (yield* (yield* IdSource).make("hl")) as HighlightId
  const slug = requestedSlug(id, window, nowMs)
  return yield* command({
    by: agentId,
    allowances: items.length === 0 ? [] : [highlightAllowance],
    run: Effect.gen(function* () {
      if (items.length === 0) return { id, status: "failed", slug: null } satisfies HighlightRequest
      const edition = { id, slug, window, topic, fromMs, toMs: nowMs, items, createdAtMs: nowMs }
      yield* highlights.add({ ...edition, isDaily: false, agentId })
      return { id, status: "complete", slug } satisfies HighlightRequest
    })
  })
})

/** Makes the edition of the day before, or on a new station that of its first hours. A quiet day has none. */
const makeDaily = Effect.fnUntraced(function* () {
  const highlights = yield* HighlightsWriter
  const nowMs = yield* Clock.currentTimeMillis
  const today = Math.floor(nowMs / dayMs) * dayMs
  const edition = Effect.fnUntraced(function* (fromMs: number, toMs: number, slug: string) {
    if ((yield* highlights.find(slug)) !== null) return
    const items = yield* chosen(fromMs, toMs, null)
    if (items.length === 0) return
    const id = (yield* (yield* IdSource).make("hl")) as HighlightId
    const made = { id, slug, window: "24h" as const, topic: null, fromMs, toMs, items, createdAtMs: nowMs }
    yield* highlights.add({ ...made, isDaily: true, agentId: null })
  })
  yield* edition(today - dayMs, today, dailySlug(today - dayMs))
  if (!(yield* highlights.hasAny)) yield* edition(today, nowMs, `${dailySlug(today)}-first`)
})

/** Activated on demand. All its state is in the store. */
export const HighlightDeskLive = actorLayer(
  HighlightDesk,
  Effect.map(
    behaviours(HighlightDesk, {
      RequestEdition: ({ payload }) => request(payload),
      MakeDaily: () => makeDaily()
    }),
    (all) => HighlightDesk.of(all)
  ),
  transient
)
