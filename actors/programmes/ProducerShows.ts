import { Clock, Effect } from "effect"
import { revisionAt, weekFrom } from "../../engine/rules/time/WeekSchedule.ts"
import { boundWeek, showRefusal } from "../../engine/rules/programmes/PlanShow.ts"
import { slugOf } from "../../engine/rules/programmes/Show.ts"
import { WeekSchedulesWriter } from "../../engine/store/programmes/WeekSchedules.ts"
import { PlanSegments } from "../../engine/store/segments/PlanSegments.ts"
import { PlansWriter } from "../../engine/store/programmes/Plans.ts"
import { ShowsWriter } from "../../engine/store/programmes/Shows.ts"
import type { SavedAsShow, PlanRecord } from "../../schema/programmes/Plan.ts"
import { SaveAsShowNotEligible } from "../../schema/Problems.ts"
import { Show } from "../../schema/programmes/Show.ts"
import { Genre } from "../../schema/music/Track.ts"
import { findOwnPlan, type PlanCommand } from "./ProducerPlans.ts"
import { command } from "../runtime/Command.ts"
import { makeShow, refuseShow, withSlug } from "./Shows.ts"
import { isShowReady } from "./inTransaction.ts"
import { activeAgent } from "../agents/activeAgent.ts"

const notEligible = (detail: string) => new SaveAsShowNotEligible({ detail })
const isGenre = (text: string): text is Genre => Genre.literals.some((each) => each === text)
/** Makes the show and binds its block, in the caller's transaction. The aired plan is not copied. */
const save = Effect.fnUntraced(function* (plan: PlanRecord, title: string, slug: string) {
  const grids = yield* WeekSchedulesWriter
  const shows = yield* ShowsWriter
  const plans = yield* PlansWriter
  // Locks the week: a second agent that wants the block finds it taken.
  yield* grids.newest
  const nowMs = yield* Clock.currentTimeMillis
  const week = weekFrom(yield* grids.from(nowMs), nowMs)
  const block = revisionAt(week, nowMs).blocks.find(({ id }) => id === plan.blockId) ?? null
  const spoken = yield* (yield* PlanSegments).listByPlan(plan.id)
  const refusal = showRefusal(
    {
      status: plan.status,
      ofShow: plan.agentShowId !== null,
      items: plan.items.length,
      airedItems: plan.airedItems ?? 0,
      airedAtMs: plan.airedAtMs,
      block,
      flagged: spoken.some(({ rerunHold, status }) => rerunHold || status === "held" || status === "rejected"),
      showReady: yield* isShowReady(plan.agentId),
      showsActive: yield* shows.activeOf(plan.agentId)
    },
    nowMs
  )
  if (refusal !== null || block === null) return yield* notEligible(refusal ?? "Its block isn't in the week any more.")
  const draft = {
    title,
    tagline: null,
    description: plan.description,
    format: plan.format,
    audience: plan.audience,
    genres: block.genres.filter(isGenre)
  }
  const show = yield* makeShow(plan.agentId, draft, slug)
  for (const revision of boundWeek(week, block.id, show.id, nowMs)) yield* grids.add(revision, plan.agentId)
  yield* shows.bind(show.id, block.id)
  const bound = yield* plans.move(plan.id, {
    from: ["aired"],
    to: "aired",
    reason: plan.statusReason,
    atMs: nowMs,
    patch: { agentShowId: show.id }
  })
  if (bound === null) return yield* notEligible("It changed in the meantime. Read it again.")
  const made: SavedAsShow = {
    agentShow: new Show({ ...show, blockId: block.id }),
    block: { id: block.id, showId: show.id }
  }
  return made
})
/** Makes a show from an aired plan, with the plan's block as its home. */
export const saveAsShow = Effect.fnUntraced(function* ({
  by: { agentId },
  planId,
  slug,
  title
}: PlanCommand & { readonly title: string | null; readonly slug: string | null }) {
  const plan = yield* findOwnPlan(planId, agentId)
  yield* activeAgent(agentId)
  // Only new texts are checked: an aired plan's own title and description have passed a review or the precheck.
  yield* refuseShow({
    "/title": title === null ? null : withSlug(title),
    "/slug": slug === null ? null : withSlug(slug)
  })
  return yield* command({ run: save(plan, title ?? plan.title, slugOf(slug ?? title ?? plan.title)) })
})
