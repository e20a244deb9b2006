import { Effect } from "effect"
import { sampleOf } from "../../schema/time/Samples.ts"
import { place, revise } from "../../engine/rules/air/Rundown.ts"
import type { PartNote } from "../../engine/store/programmes/Plans.ts"
import type { ItemId, SongRequestId } from "../../schema/Ids.ts"
import { type Airable, type FenceLost, type Placement, type Rundown, RundownItem } from "../../schema/air/Rundown.ts"

const removeWhere = (gone: (item: RundownItem) => boolean) => (rundown: Rundown) =>
  revise(rundown, { items: rundown.items.filter((item) => !gone(item)) })
const has = (rundown: Rundown, id: ItemId) => rundown.onAir?.id === id || rundown.items.some((item) => item.id === id)
/** Places an item before another, or first if that one has begun meanwhile. */
const put = (rundown: Rundown, item: RundownItem, before: ItemId | null) =>
  place(rundown, item, before) ?? place(rundown, item, null)!
/** Removes other places of the segment, which airs only once. */
const removeElsewhere = ({ segmentId }: Airable, but: ItemId | null = null) =>
  removeWhere((one) => segmentId !== null && one.airable.segmentId === segmentId && one.id !== but)
const describeReason = (what: string, reason: string | null): string => (reason === null ? what : `${what}: ${reason}`)
/** Marks a plan item as omitted, so that the planner doesn't add it again. */
const markOmitted =
  ({ id, plan }: RundownItem, why: string) =>
  (rundown: Rundown) =>
    plan === undefined
      ? rundown
      : revise(rundown, {
          omitted: [...(rundown.omitted ?? []).filter((one) => one.id !== id), { id, planId: plan.planId, why }]
        })
/** Operators' edits of single items. The reason is added to the item's trace and to its plan. */
export const makeRundownEdits = (options: {
  readonly settled: Effect.Effect<Rundown>
  readonly plan: (from: "boundary" | "now", change: (rundown: Rundown) => Rundown) => Effect.Effect<Rundown, FenceLost>
  /** Saves the rundown without replanning. */
  readonly keep: (rundown: Rundown) => Effect.Effect<Rundown, FenceLost>
  readonly note: (notes: ReadonlyArray<PartNote>) => Effect.Effect<void>
  /** An announcement that leaves the rundown isn't planned again. */
  readonly silence: (item: RundownItem) => Effect.Effect<void>
  /** All requests for the same song. */
  readonly groupOf: (id: SongRequestId) => Effect.Effect<ReadonlyArray<SongRequestId>>
}) => {
  const { plan, settled } = options
  const note = ({ plan: part }: RundownItem, why: string) =>
    part === undefined ? Effect.void : options.note([{ ...part, plannedAtMs: null, why }])
  const leaves = (item: RundownItem, why: string) => Effect.andThen(options.silence(item), note(item, why))
  return {
    /** Places a requested song first, regardless of the rules for requests. */
    promote: (id: ItemId, requestId: SongRequestId, airable: Airable) =>
      Effect.gen(function* () {
        const rundown = yield* settled
        const isIts = (item: RundownItem) => item.songRequestIds?.includes(requestId) === true
        if (has(rundown, id) || (rundown.onAir !== null && isIts(rundown.onAir))) return rundown
        const planned = rundown.items.find(isIts)
        const trace = "put first by an operator"
        const item =
          planned === undefined
            ? new RundownItem({
                id,
                airable,
                placement: { _tag: "Flow" },
                startSample: 0,
                locked: true,
                trace: [trace],
                songRequestIds: yield* options.groupOf(requestId)
              })
            : new RundownItem({ ...planned, locked: true, trace: [...planned.trace, trace] })
        return yield* plan("boundary", (current) => put(current, item, null))
      }),
    insert: (
      id: ItemId,
      airable: Airable,
      placement: Placement,
      before: ItemId | null,
      now: boolean,
      reason: string | null = null
    ) =>
      Effect.gen(function* () {
        const rundown = yield* settled
        if (has(rundown, id)) return rundown
        if (before !== null && !rundown.items.some((item) => item.id === before)) return null
        const startSample = placement._tag === "Hard" || placement._tag === "Soft" ? sampleOf(placement.atMs) : 0
        const item = new RundownItem({
          id,
          airable,
          placement,
          startSample,
          locked: true,
          trace: [describeReason("inserted by an operator", reason)]
        })
        return yield* plan(now ? "now" : "boundary", (current) => put(removeElsewhere(airable)(current), item, before))
      }),
    replace: (id: ItemId, by: ItemId, airable: Airable, reason: string | null = null) =>
      Effect.gen(function* () {
        const rundown = yield* settled
        if (has(rundown, by)) return rundown
        const old = rundown.items.find((item) => item.id === id)
        if (old === undefined) return null
        const why = describeReason(`put in place of ${old.airable.title} by an operator`, reason)
        const item = new RundownItem({
          id: by,
          airable,
          placement: old.placement,
          startSample: old.startSample,
          locked: true,
          trace: [why],
          ...(old.plan === undefined ? {} : { plan: old.plan })
        })
        yield* leaves(old, describeReason(`${airable.title} was put in its place by an operator`, reason))
        return yield* plan("boundary", (current) =>
          markOmitted(
            old,
            why
          )(removeWhere((one) => one.id === id)(put(removeElsewhere(airable, id)(current), item, id)))
        )
      }),
    /** Moves an item. A plan item moved outside its plan becomes free of it. */
    move: (id: ItemId, before: ItemId | null, reason: string | null = null) =>
      Effect.gen(function* () {
        const rundown = yield* settled
        const item = rundown.items.find((one) => one.id === id)
        if (item === undefined || id === before || (before !== null && !rundown.items.some((one) => one.id === before)))
          return null
        const next =
          before === null ? rundown.items.find((one) => one.id !== id) : rundown.items.find((one) => one.id === before)
        const own =
          item.plan !== undefined &&
          (next?.plan?.planId === item.plan.planId || rundown.onAir?.plan?.planId === item.plan.planId)
        const moved = new RundownItem({
          ...item,
          locked: true,
          trace: [...item.trace, describeReason("moved by an operator", reason)],
          ...(item.plan === undefined || own ? {} : { placement: { _tag: "Flow" }, plan: { ...item.plan, free: true } })
        })
        return yield* plan("boundary", (current) =>
          current.items.some((one) => one.id === id) ? put(current, moved, before) : current
        )
      }),
    lock: (id: ItemId, locked: boolean) =>
      Effect.gen(function* () {
        const rundown = yield* settled
        if (!rundown.items.some((item) => item.id === id)) return null
        return yield* options.keep(
          revise(rundown, {
            items: rundown.items.map((item) => (item.id === id ? new RundownItem({ ...item, locked }) : item))
          })
        )
      }),
    drop: (id: ItemId, reason: string | null = null) =>
      Effect.gen(function* () {
        const rundown = yield* settled
        const old = [...rundown.items, ...(rundown.heldItems ?? [])].find((item) => item.id === id)
        if (old === undefined) return null
        const why = describeReason("taken out by an operator", reason)
        yield* leaves(old, why)
        return yield* plan("boundary", (current) =>
          markOmitted(
            old,
            why
          )(
            revise(removeWhere((item) => item.id === id)(current), {
              heldItems: (current.heldItems ?? []).filter((item) => item.id !== id)
            })
          )
        )
      }),
    /** Holds or releases an item. A released item airs next, or in its plan's order. */
    holdItem: (id: ItemId, held: boolean, reason: string | null = null) =>
      Effect.gen(function* () {
        const rundown = yield* settled
        const holds = rundown.heldItems ?? []
        const item = (held ? rundown.items : holds).find((one) => one.id === id)
        if (item === undefined) return (held ? holds : rundown.items).some((one) => one.id === id) ? rundown : null
        const why = describeReason(held ? "held by an operator" : "released by an operator", reason)
        const marked = new RundownItem({ ...item, trace: [...item.trace, why] })
        if (held) {
          yield* leaves(item, why)
          return yield* plan("boundary", (current) =>
            revise(removeWhere((one) => one.id === id)(current), { heldItems: [...(current.heldItems ?? []), marked] })
          )
        }
        // Later items of its plan have moved up to its place.
        const behind =
          item.plan === undefined
            ? undefined
            : rundown.items.find((one) => one.plan?.planId === item.plan!.planId && one.startSample >= item.startSample)
        return yield* plan("boundary", (current) =>
          put(
            revise(current, { heldItems: (current.heldItems ?? []).filter((one) => one.id !== id) }),
            marked,
            behind?.id ?? null
          )
        )
      })
  }
}
