import { Effect, Ref } from "effect"
import type { Announced } from "../../engine/rules/air/Planner.ts"
import { factKey, isOfClock, isUnchanged } from "../../engine/rules/air/Facts.ts"
import { itemsRememberedMax } from "../../engine/rules/air/limits.ts"
import { AnnouncementFacts } from "../../engine/store/air/AnnouncementFacts.ts"
import { AnnouncementsWriter } from "../../engine/store/air/Announcements.ts"
import type { Rundown, RundownItem } from "../../schema/air/Rundown.ts"
import type { AnnouncementId, ItemId } from "../../schema/Ids.ts"
import { msOf } from "../../schema/time/Samples.ts"
import { hasSucceeded } from "./CandidatePool.ts"

/**
 * The announcements that may air. Each look reads their facts again. It drops an announcement if one of its facts has
 * changed or its kind is switched off. While the store is away it offers none, because neither the facts nor the
 * airings can be checked.
 */
export const makeAnnouncementFeed = Effect.fnUntraced(function* (fence: number) {
  const announcements = yield* AnnouncementsWriter
  const facts = yield* AnnouncementFacts
  const ready = yield* Ref.make<ReadonlyArray<Announced>>([])
  const offered = yield* Ref.make<ReadonlySet<AnnouncementId>>(new Set())
  /** Items that weren't heard completely: nothing is said about them. */
  const interrupted = yield* Ref.make<ReadonlyArray<ItemId>>([])
  const drop = (ids: ReadonlyArray<AnnouncementId>, reason: string) =>
    hasSucceeded("the announcements", announcements.drop(ids, reason, fence))

  const readAll = Effect.fnUntraced(function* (nowMs: number) {
    const open = yield* announcements.open(nowMs)
    if (open.length === 0) return []
    const off = yield* announcements.off
    const now = yield* facts.current(
      open.flatMap((one) => one.facts),
      nowMs
    )
    const cut = yield* Ref.get(interrupted)
    const reasonOf = ({ airable, facts, kind }: (typeof open)[number]): string | null => {
      const { afterItemId } = airable.announcement
      if (off.has(kind)) return "SWITCHED_OFF"
      if (afterItemId !== null && cut.includes(afterItemId)) return "NOT_HEARD"
      return facts.length > 0 && facts.every((fact) => isOfClock(fact) || isUnchanged(fact, now.get(factKey(fact))))
        ? null
        : "FACT_CHANGED"
    }
    const judged = open.map((one) => ({ airable: one.airable, reason: reasonOf(one) }))
    for (const reason of new Set(judged.flatMap((one) => one.reason ?? [])))
      yield* announcements.drop(
        judged.flatMap((one) => (one.reason === reason ? [one.airable.announcement.id] : [])),
        reason,
        fence
      )
    return judged.flatMap(({ airable, reason }) => (reason === null ? [airable] : []))
  })

  return {
    /** Ends what an earlier incarnation left. What it had sent to the mixer may have been heard, so it counts as aired. */
    begin: Effect.fnUntraced(function* (saved: Rundown, nowMs: number) {
      for (const { airable, startSample } of [...(saved.onAir === null ? [] : [saved.onAir]), ...saved.items])
        if (airable.announcement !== undefined && msOf(startSample) <= nowMs)
          yield* hasSucceeded(
            "the announcements",
            announcements.begun(airable.announcement.id, msOf(startSample), fence)
          )
      yield* hasSucceeded("the announcements", announcements.dropOld(nowMs, fence))
    }),
    look: Effect.fnUntraced(function* (nowMs: number) {
      yield* Ref.set(ready, [])
      yield* hasSucceeded(
        "the announcements",
        Effect.flatMap(readAll(nowMs), (all) => Ref.set(ready, all))
      )
    }),
    candidates: Effect.tap(Ref.get(ready), (all) =>
      Ref.set(offered, new Set(all.map(({ announcement }) => announcement.id)))
    ),
    /** Planned announcements that may not air any more. */
    refused: (items: ReadonlyArray<RundownItem>) =>
      Effect.map(Ref.get(ready), (all) => {
        const open = new Set(all.map(({ announcement }) => announcement.id))
        return new Set(
          items.flatMap(({ airable: { announcement }, id }) =>
            announcement === undefined || open.has(announcement.id) ? [] : [id]
          )
        )
      }),
    /** True when the planner hasn't seen one, or one would begin outside its time. */
    isNews: (rundown: Rundown) =>
      Effect.zipWith(
        Ref.get(ready),
        Ref.get(offered),
        (all, known) =>
          all.some(({ announcement }) => !known.has(announcement.id)) ||
          rundown.items.some(
            ({ airable, startSample }) =>
              airable.announcement !== undefined &&
              (msOf(startSample) < airable.validFromMs! || msOf(startSample) >= airable.validUntilMs!)
          )
      ),
    begun: ({ airable, startSample }: RundownItem) =>
      airable.announcement === undefined
        ? Effect.void
        : Effect.asVoid(
            hasSucceeded("the announcements", announcements.begun(airable.announcement.id, msOf(startSample), fence))
          ),
    /** An operator took it out of the rundown. */
    silence: ({ airable }: RundownItem) =>
      airable.announcement === undefined ? Effect.void : Effect.asVoid(drop([airable.announcement.id], "TAKEN_OUT")),
    interrupted: (id: ItemId) => Ref.update(interrupted, (ids) => [...ids, id].slice(-itemsRememberedMax))
  }
})
