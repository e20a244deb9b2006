import { bylineOf } from "../../../schema/music/HouseArtist.ts"
import { type Airable, Rundown, RundownItem, RundownLine } from "../../../schema/air/Rundown.ts"
import {
  mixLeadMs,
  planLeadMs,
  rundownAheadSec,
  rundownFrozenMs,
  rundownItemsMin,
  rundownMarginItems,
  rundownMarginMs
} from "./limits.ts"
import { msOf, msToSamples } from "../../../schema/time/Samples.ts"
import { type Cursor, cursorAfter, lengthOf } from "./ItemSequence.ts"

export const emptyRundown = (stationId: string): Rundown =>
  new Rundown({ stationId, revision: 0, turn: 0, held: false, emergency: false, onAir: null, items: [] })
export const revise = (rundown: Rundown, change: Partial<Omit<Rundown, "stationId" | "revision">>): Rundown =>
  new Rundown({ ...rundown, ...change, revision: rundown.revision + 1 })
const kinds = {
  segment: "segment",
  music: "music",
  ident: "station_id",
  hour_call: "station_id",
  filler: "filler",
  bed: "filler"
} as const
export const kindOf = (item: RundownItem) => kinds[item.airable.role]
/**
 * The rundown after the item began at this sample. Items before it whose time had come are skipped; the others still air: they were placed before it by
 * a plan that the mixer took after it had begun the item. Idempotent.
 */
export const beginItem = (
  rundown: Rundown,
  itemId: string,
  atSample: number
): { readonly rundown: Rundown; readonly skipped: ReadonlyArray<RundownItem> } => {
  const at = rundown.items.findIndex((item) => item.id === itemId)
  if (at < 0) return { rundown, skipped: [] }
  const onAir = new RundownItem({ ...rundown.items[at]!, startSample: atSample })
  const before = rundown.items.slice(0, at)
  return {
    rundown: revise(rundown, {
      onAir,
      items: [...before.filter(({ startSample }) => startSample > atSample), ...rundown.items.slice(at + 1)]
    }),
    skipped: before.filter(({ startSample }) => startSample <= atSample)
  }
}
export const shift = (rundown: Rundown, samples: number): Rundown =>
  samples === 0
    ? rundown
    : revise(rundown, {
        items: rundown.items.map((item) => new RundownItem({ ...item, startSample: item.startSample + samples }))
      })
/** Trace text of an item chosen because no music was available. */
export const noMusic = "fallback: no music"
/** Whether the item is a fallback that gives way as soon as something better is available. */
export const isMakeshift = ({ locked, placement, songRequestIds, trace }: RundownItem): boolean =>
  !locked &&
  (songRequestIds?.length ?? 0) === 0 &&
  placement._tag === "Flow" &&
  trace.some((line) => line === noMusic || /^relaxed: (track|artist)/.test(line))
/**
 * The cursor where planning begins: after the current item and the items too close to change. If neither is left (after a gap, a restart, an
 * emergency), the first sample the mixer can still reach. A bed that covered for missing music fades once music is available.
 */
export const horizonOf = (
  rundown: Rundown,
  renderedTo: number,
  from: "boundary" | "now",
  hasMusic: boolean
): {
  readonly cursor: Cursor
  readonly frozen: ReadonlyArray<RundownItem>
  readonly open: ReadonlyArray<RundownItem>
} => {
  const reachable = renderedTo + msToSamples(mixLeadMs)
  // The plan still has to be staged and sent, so an item on its own boundary gets time for that.
  const first = from === "now" ? reachable : renderedTo + msToSamples(planLeadMs)
  const fresh: Cursor = { atSample: first, previous: null, voiceFreeSample: 0, reachableSample: first }
  if (from === "now") return { cursor: fresh, frozen: [], open: rundown.items }
  const frozen = rundown.items.filter(
    (item) => item.startSample >= renderedTo && item.startSample <= renderedTo + msToSamples(rundownFrozenMs)
  )
  const open = rundown.items.filter((item) => !frozen.includes(item))
  let cursor = rundown.onAir === null ? fresh : cursorAfter(fresh, rundown.onAir)
  const fades = renderedTo + msToSamples(rundownFrozenMs)
  if (hasMusic && rundown.onAir?.airable.role === "bed" && isMakeshift(rundown.onAir) && cursor.atSample > fades)
    cursor = { ...cursor, atSample: fades }
  for (const item of frozen) cursor = cursorAfter(cursor, item)
  return cursor.atSample < reachable ? { cursor: fresh, frozen: [], open: rundown.items } : { cursor, frozen, open }
}
/** Whether the rundown is deep enough: half an hour and a dozen items ahead of playout, plus the time until the next check. */
export const isDeep = (rundown: Rundown, renderedTo: number): boolean => {
  const last = rundown.items.at(-1)
  return (
    last !== undefined &&
    rundown.items.length >= rundownItemsMin + rundownMarginItems &&
    rundown.items[0]!.startSample >= renderedTo &&
    last.startSample + lengthOf(last.airable) >= renderedTo + msToSamples(rundownAheadSec * 1_000 + rundownMarginMs)
  )
}
/** The rundown with an item inserted before another, or first. Null if the other item isn't in it. */
export const place = (rundown: Rundown, item: RundownItem, before: string | null): Rundown | null => {
  const rest = rundown.items.filter((other) => other.id !== item.id)
  const at = before === null ? 0 : rest.findIndex((other) => other.id === before)
  return at < 0 ? null : revise(rundown, { items: [...rest.slice(0, at), item, ...rest.slice(at)] })
}
/** Whether requeueing would lose the item's position: it was placed by hand or has its own time. Parts of plans return with their plan. */
const hasPlace = ({ airable, locked, placement, plan }: RundownItem): boolean =>
  airable.role === "segment" && plan === undefined && (locked || placement._tag !== "Flow")
/** The items that are set aside while contributions are held. */
export const listParkable = (items: ReadonlyArray<RundownItem>): ReadonlyArray<RundownItem> =>
  items
    .filter(hasPlace)
    .map((item) => new RundownItem({ ...item, parked: true, trace: [...item.trace, "held with all contributions"] }))
/**
 * The rundown after contributions were released: each item is back in its place. An item whose fixed start has passed loses it, so that it cuts off
 * nothing.
 */
export const unpark = (rundown: Rundown, nowMs: number): Rundown => {
  const held = rundown.heldItems ?? []
  const back = held
    .filter(({ parked }) => parked === true)
    .map((item) => {
      const isLate = item.placement._tag === "Hard" && item.placement.atMs < nowMs
      return new RundownItem({
        ...item,
        parked: false,
        locked: item.locked && !isLate,
        placement: isLate ? { _tag: "Flow" } : item.placement,
        trace: [
          ...item.trace,
          isLate ? "its start passed while contributions were held: next open speech slot" : "held no longer"
        ]
      })
    })
  return revise(rundown, {
    held: false,
    items: [...back, ...rundown.items],
    heldItems: held.filter(({ parked }) => parked !== true)
  })
}
/** Whether an item is a piece that the station composed: such tracks belong to no agent. */
export const isMadeByStation = ({ agentId, role }: Pick<Airable, "agentId" | "role">): boolean =>
  role === "music" && agentId === null
/** The artist as the outputs name it. */
export const artistLabelOf = (airable: Airable): string | null =>
  airable.artist === null ? null : bylineOf(airable.artist, isMadeByStation(airable))
export const lineOf = (item: RundownItem, held = false): RundownLine =>
  new RundownLine({
    id: item.id,
    kind: kindOf(item),
    role: item.airable.role,
    title: item.airable.title,
    artist: item.airable.artist,
    segmentId: item.airable.segmentId,
    trackId: item.airable.trackId,
    startSample: item.startSample,
    expectedAtMs: msOf(item.startSample),
    durationMs: Math.round(lengthOf(item.airable) / 48),
    placement: item.placement,
    locked: item.locked,
    held,
    planId: item.plan?.planId ?? null,
    trace: item.trace
  })
