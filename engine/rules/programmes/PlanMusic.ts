import type { ItemId } from "../../../schema/Ids.ts"
import { PlanItem, type PlanStock } from "../../../schema/programmes/Plan.ts"
import { type Airable, type Candidate, Play } from "../../../schema/air/Rundown.ts"
import { planFillToleranceSec, planItemsMax } from "./limits.ts"
import { sampleRateHz, msOf, sampleOf } from "../../../schema/time/Samples.ts"
import { numberItems } from "./PlanItems.ts"
import { secondsOf, soundsOf } from "./PlanMaterials.ts"
import { partsOf, timelineOf } from "../air/Programme.ts"
import { defaultRotation, draw, type Pick, pick } from "../air/Rotation.ts"
import { lengthOf, stepOf } from "../air/ItemSequence.ts"

export interface FillAsk {
  readonly planId: string
  readonly startMs: number
  readonly targetDurationSec: number
  readonly items: ReadonlyArray<PlanItem>
  readonly stock: PlanStock
  readonly candidates: ReadonlyArray<Candidate>
  /** Airings before and after the plan, for separation. */
  readonly plays: ReadonlyArray<Play>
  readonly genres: ReadonlyArray<string>
  /** Ids for new items, more than needed. */
  readonly newIds: ReadonlyArray<ItemId>
}
export interface FillMade {
  readonly items: ReadonlyArray<PlanItem>
  readonly added: number
  /** Seconds missing from the wanted length; negative if it is exceeded. */
  readonly gapSec: number
}
/** Seed of a plan's picks. Derived from its id, so the picks are reproducible. */
export const seedOf = (planId: string): number => draw(0, 0, planId)
const tolerance = planFillToleranceSec * sampleRateHz
const retriesMax = 12
/** Airings further apart than this never conflict. */
export const separationMaxMs = Math.max(...Object.values(defaultRotation(0).separation))
/** The start of each music item of a plan. */
export const musicOf = (
  { id, items, startMs }: { readonly id: string; readonly items: ReadonlyArray<PlanItem>; readonly startMs: number },
  stock: PlanStock
): ReadonlyArray<Play> =>
  timelineOf({ startMs, parts: partsOf(items, soundsOf(items, id, stock)).parts }).flatMap(
    ({ itemId, startSample }) => {
      const airable = stock.tracks.get(items.find((item) => item.id === itemId)?.trackId ?? "")
      return airable === undefined ? [] : [playAt(airable, startSample)]
    }
  )
/** Separations that are relaxed only as a last resort. */
const tooSoon: ReadonlySet<string> = new Set(["artist", "agent", "track"].map((rule) => `relaxed: ${rule} separation`))
/** The candidates that close a gap, alone or with one or two more; the fewest pieces win. */
const selectClosing = (candidates: ReadonlyArray<Candidate>, gap: number): ReadonlyArray<Candidate> => {
  const lengths = candidates.map(({ airable }) => lengthOf(airable))
  const steps = candidates.map(({ airable }) => stepOf(airable))
  const alone = candidates.filter((_, i) => Math.abs(gap - lengths[i]!) <= tolerance)
  if (alone.length > 0) return alone
  // The last piece plays to its end, those before it to their segue.
  const last = lengths.map((length, index) => ({ length, index })).sort((a, b) => a.length - b.length)
  const canEndWith = (rest: number, others: ReadonlyArray<number>): boolean => {
    let [low, high] = [0, last.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (last[middle]!.length < rest - tolerance) low = middle + 1
      else high = middle
    }
    for (let at = low; at < last.length && last[at]!.length <= rest + tolerance; at++)
      if (!others.includes(last[at]!.index)) return true
    return false
  }
  const pairs = candidates.filter((_, i) => canEndWith(gap - steps[i]!, [i]))
  if (pairs.length > 0) return pairs
  return candidates.filter((_, i) => steps.some((step, j) => j !== i && canEndWith(gap - steps[i]! - step, [i, j])))
}
const trackItem = (id: ItemId, { title, trackId, ...airable }: Airable): PlanItem =>
  new PlanItem({
    id,
    index: 0,
    kind: "track",
    trackId,
    segmentId: null,
    uploadId: null,
    scriptText: null,
    title,
    durationSec: secondsOf(airable.cue.cueOut - airable.cue.cueIn),
    transition: "segue",
    locked: false,
    lazy: true
  })
/**
 * Adds music to a plan by the rules of rotation, for the hour of its start: in equal shares between the items, and after the last one up to the
 * wanted length. Unlocked music from earlier fills is removed first. No track occurs twice. If no candidate keeps its separations, they are relaxed
 * as on air, but a track is still not repeated.
 */
export const fillMusic = (ask: FillAsk): FillMade => {
  const { genres, newIds, planId, startMs, targetDurationSec } = ask
  const kept = ask.items.filter(({ lazy, locked }) => !lazy || locked)
  const rules = defaultRotation(seedOf(planId))
  const target = sampleOf(startMs) + Math.round(targetDurationSec * sampleRateHz)
  const stock: PlanStock = {
    ...ask.stock,
    tracks: new Map([
      ...ask.stock.tracks,
      ...ask.candidates.flatMap(({ airable }) =>
        airable.trackId === null ? [] : [[airable.trackId, airable] as const]
      )
    ])
  }
  const timeline = (items: ReadonlyArray<PlanItem>) =>
    timelineOf({ startMs, parts: partsOf(items, soundsOf(items, planId, stock)).parts })
  const endOf = (items: ReadonlyArray<PlanItem>) =>
    Math.max(sampleOf(startMs), ...timeline(items).map(({ endSample }) => endSample))
  const used = new Set(kept.flatMap(({ trackId }) => trackId ?? []))
  const plays: Array<Play> = [...ask.plays, ...musicOf({ id: planId, startMs, items: kept }, stock)]
  const added: Array<PlanItem> = []
  const choose = (atSample: number, gap: number): PlanItem | null => {
    const unused = ask.candidates.filter(({ airable }) => airable.trackId !== null && !used.has(airable.trackId))
    const free = unused.filter(({ airable }) => lengthOf(airable) <= gap + tolerance)
    const tasty = free.filter(
      ({ airable }) => genres.length === 0 || (airable.genre !== null && genres.includes(airable.genre))
    )
    const least = shortestLength(free)
    const from = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Pick> => {
      const picked = pick({ rules, turn: added.length, atMs: msOf(atSample), candidates, plays, genres })
      return picked === null ? [] : [picked]
    }
    const isKeepingRules = ({ trace }: Pick) => !trace.some((rule) => tooSoon.has(rule))
    const picks = [
      selectClosing(tasty, gap),
      selectClosing(free, gap),
      free.filter(({ airable }) => gap - stepOf(airable) >= least),
      free
    ].flatMap(from)
    // A gap is better than a song too soon after its like, as long as any other candidate is left.
    const picked = picks.find(isKeepingRules) ?? (from(unused).some(isKeepingRules) ? undefined : picks[0])
    if (picked === undefined || newIds[added.length] === undefined || kept.length + added.length >= planItemsMax)
      return null
    const { airable } = picked.candidate
    const item = trackItem(newIds[added.length]!, airable)
    used.add(airable.trackId!)
    plays.push(playAt(airable, atSample))
    added.push(item)
    return item
  }
  const takeBack = (count: number) => {
    added.splice(-count)
    plays.splice(-count)
  }
  let items: ReadonlyArray<PlanItem> = kept
  /** Adds music before the item at `before` until `fillUntil()`, the gap in seconds, is within the tolerance. */
  const fillBefore = (before: number, fillUntil: () => number) => {
    for (let at = before; ; at++) {
      const gap = fillUntil()
      if (gap <= tolerance) return at
      const head = items.slice(0, at)
      const item = choose(endOf(head), gap)
      if (item === null) return at
      const next = [...head, item, ...items.slice(at)]
      if (endOf(next) > target + tolerance) {
        used.delete(item.trackId!)
        takeBack(1)
        return at
      }
      items = next
    }
  }
  /** If no song fits the remaining gap, replaces a filled one with a longer or shorter one. */
  const exchangeOne = (items: ReadonlyArray<PlanItem>): ReadonlyArray<PlanItem> => {
    const hole = target - endOf(items)
    if (Math.abs(hole) <= tolerance) return items
    const here = new Set(items.flatMap(({ trackId }) => trackId ?? []))
    const free = ask.candidates.filter(({ airable }) => airable.trackId !== null && !here.has(airable.trackId))
    const rows = timeline(items)
    for (const old of items.filter((item) => item.lazy && !item.locked).toReversed()) {
      const former = stock.tracks.get(old.trackId!)!
      const fits = free.filter(({ airable }) =>
        [stepOf, lengthOf].some((length) => Math.abs(length(airable) - length(former) - hole) <= tolerance)
      )
      const others = rows.flatMap(({ itemId, startSample }): ReadonlyArray<Play> => {
        const airable =
          itemId === old.id ? undefined : stock.tracks.get(items.find(({ id }) => id === itemId)?.trackId ?? "")
        return airable === undefined ? [] : [playAt(airable, startSample)]
      })
      const at = rows.find(({ itemId }) => itemId === old.id)!.startSample
      const picked = pick({
        rules,
        turn: added.length,
        atMs: msOf(at),
        candidates: fits,
        plays: [...ask.plays, ...others],
        genres
      })
      if (picked === null || picked.trace.some((rule) => tooSoon.has(rule))) continue
      const next = items.map((item) => (item === old ? trackItem(old.id, picked.candidate.airable) : item))
      if (Math.abs(target - endOf(next)) <= tolerance) return next
    }
    return items
  }
  const missing = target - endOf(kept)
  // An item that the previous voice talks over stays directly after it.
  const gaps = kept.flatMap((item, i) =>
    i > 0 && item.transition !== "talk_over" && kept[i - 1]!.kind !== "bed" && kept[i - 1]!.kind !== "pause"
      ? [item.id]
      : []
  )
  gaps.forEach((id, n) => {
    const before = items.findIndex((item) => item.id === id)
    // Its share of the time still missing; a song more or less is acceptable.
    const share = (missing * (n + 1)) / (gaps.length + 1)
    const room = () => share - (missing - (target - endOf(items)))
    const findShortestFree = () =>
      shortestLength(ask.candidates.filter(({ airable }) => airable.trackId !== null && !used.has(airable.trackId)))
    fillBefore(before, () =>
      room() > findShortestFree() / 2 ? Math.min(target - endOf(items), Math.max(room(), findShortestFree())) : 0
    )
  })
  const remainingSamples = () => target - endOf(items)
  fillBefore(items.length, remainingSamples)
  // If the last picks leave a gap that no song fits, others are tried in their place.
  let best = { items, count: added.length, left: remainingSamples() }
  for (
    let back = 1;
    back <= retriesMax &&
    best.left > tolerance &&
    items.slice(-back).every(({ id }) => added.some((each) => each.id === id));
    back++
  ) {
    items = items.slice(0, -back)
    takeBack(back)
    fillBefore(items.length, remainingSamples)
    if (Math.abs(remainingSamples()) < Math.abs(best.left))
      best = { items, count: added.length, left: remainingSamples() }
  }
  const whole = exchangeOne(best.items)
  return {
    items: numberItems(whole),
    added: best.count,
    gapSec: Math.round(((target - endOf(whole)) / sampleRateHz) * 1_000) / 1_000
  }
}
const playAt = (airable: Airable, sample: number): Play =>
  new Play({
    atMs: msOf(sample),
    role: "music",
    assetId: airable.assetId,
    artist: airable.artist,
    agentId: airable.agentId,
    topic: airable.topic
  })
const shortestLength = (candidates: ReadonlyArray<Candidate>): number =>
  candidates.reduce((least, { airable }) => Math.min(least, lengthOf(airable)), Number.POSITIVE_INFINITY)
