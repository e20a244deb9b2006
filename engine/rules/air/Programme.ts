import type { Block } from "../../../schema/programmes/Block.ts"
import type { ItemId, PlanId } from "../../../schema/Ids.ts"
import type { PlanItem, PlanTransition } from "../../../schema/programmes/Plan.ts"
import { type Airable, RundownItem } from "../../../schema/air/Rundown.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { planSilenceMaxMs } from "./limits.ts"
import { draw } from "./Rotation.ts"
import { msToSamples, sampleOf } from "../../../schema/time/Samples.ts"
import { type Cursor, cursorAfter, earliestStart, endOf, lengthOf } from "./ItemSequence.ts"

/** Intended silence before a part of a plan. */
export interface Pause {
  readonly itemIds: ReadonlyArray<ItemId>
  readonly lengthMs: number
}
/** One sound of a plan and how it begins. */
export interface ProgrammePart {
  readonly itemId: ItemId
  readonly airable: Airable
  readonly transition: PlanTransition
  readonly pause?: Pause
  /** The plan item whose bed plays under it. */
  readonly bedItemId?: ItemId
}
/** An agent's plan for one slot, ready to air. */
export interface Programme {
  readonly planId: PlanId
  readonly title: string
  readonly startMs: number
  readonly endMs: number
  readonly overrunPolicy: Block["overrunPolicy"]
  readonly parts: ReadonlyArray<ProgrammePart>
}
/** First sample of a part after the cursor: directly after it, plus an intended pause. */
export const partStart = (
  cursor: Cursor,
  { airable, pause, transition }: Pick<ProgrammePart, "airable" | "pause" | "transition">
): number => {
  const { previous } = cursor
  if (previous === null) return earliestStart(cursor, airable)
  const after = Math.max(endOf(previous), cursor.voiceFreeSample)
  if (pause !== undefined) return after + msToSamples(pause.lengthMs)
  if (transition === "cut") return after
  return transition === "talk_over"
    ? earliestStart(cursor, airable)
    : Math.max(cursor.atSample, cursor.voiceFreeSample, previous.startSample + 1)
}
/** The intended silence before a part with this start. */
export const pauseBefore = (cursor: Cursor, startSample: number): number =>
  cursor.previous === null ? 0 : Math.max(0, startSample - Math.max(endOf(cursor.previous), cursor.voiceFreeSample))
const part = (id: ItemId, airable: Airable, startSample: number): RundownItem =>
  new RundownItem({ id, airable, placement: { _tag: "Flow" }, startSample, locked: false, trace: [] })
/** Start and end of every item of a plan that begins on time. Pauses count from the end of the previous item; a bed spans all speech over it. */
export const timelineOf = (
  programme: Pick<Programme, "startMs" | "parts">
): ReadonlyArray<{ readonly itemId: ItemId; readonly startSample: number; readonly endSample: number }> => {
  let cursor: Cursor = { atSample: sampleOf(programme.startMs), previous: null, voiceFreeSample: 0 }
  const rows: Array<{ readonly itemId: ItemId; readonly startSample: number; endSample: number }> = []
  for (const each of programme.parts) {
    const startSample = partStart(cursor, each)
    const endSample = startSample + lengthOf(each.airable)
    for (const itemId of each.pause?.itemIds ?? [])
      rows.push({ itemId, startSample: startSample - pauseBefore(cursor, startSample), endSample: startSample })
    const bed = rows.find(({ itemId }) => itemId === each.bedItemId)
    if (bed !== undefined) bed.endSample = endSample
    else if (each.bedItemId !== undefined) rows.push({ itemId: each.bedItemId, startSample, endSample })
    rows.push({ itemId: each.itemId, startSample, endSample })
    cursor = cursorAfter(cursor, part(each.itemId, each.airable, startSample))
  }
  return rows
}
/** The sounds of a plan's items, as far as they exist. */
export interface PlanSounds {
  readonly soundOf: (item: PlanItem) => Airable | null
  /** The station's own idents. */
  readonly idents: ReadonlyArray<Airable>
  readonly beds: ReadonlyArray<Airable>
}
/** A stable choice for each item: it changes only if a new candidate ranks first for that item. */
const oneOf = (airables: ReadonlyArray<Airable>, itemId: ItemId): Airable | null =>
  airables.reduce<Airable | null>(
    (best, each) =>
      best === null || draw(0, 0, `${itemId}/${each.assetId}`) > draw(0, 0, `${itemId}/${best.assetId}`) ? each : best,
    null
  )
/** The first `lengthMs` of a sound: the next part begins there and the sound fades under it. */
const shorten = (airable: Airable, lengthMs: number): Airable => {
  const segue = Math.min(airable.cue.cueOut, airable.cue.cueIn + Math.max(1, msToSamples(lengthMs)))
  return {
    ...airable,
    cue: new CuePoints({ ...airable.cue, segue, cueOut: Math.min(airable.cue.cueOut, segue + msToSamples(2_000)) })
  }
}
/**
 * The parts of a plan. A bed plays under the speech after it up to the next music, or alone if there is none. A pause is silent up to the station's
 * maximum silence; a bed fills a longer one. Items without a sound are left out and listed.
 */
export const partsOf = (
  items: ReadonlyArray<PlanItem>,
  sounds: PlanSounds
): { readonly parts: ReadonlyArray<ProgrammePart>; readonly missing: ReadonlyArray<PlanItem> } => {
  const parts: Array<ProgrammePart> = []
  const missing: Array<PlanItem> = []
  let bed: { readonly itemId: ItemId; readonly airable: Airable } | null = null
  let pause: Pause | null = null
  let carried = false
  const add = (itemId: ItemId, airable: Airable, transition: PlanTransition, bedItemId: ItemId | null = null) => {
    parts.push({
      itemId,
      airable,
      transition: carried ? "segue" : transition,
      ...(pause === null || parts.length === 0 ? {} : { pause }),
      ...(bedItemId === null ? {} : { bedItemId })
    })
    pause = null
    carried = false
  }
  items.forEach((item, i) => {
    if (item.kind === "pause") {
      const lengthMs = Math.round(item.durationSec * 1_000) + (pause?.lengthMs ?? 0)
      const carrier: Airable | null =
        lengthMs <= planSilenceMaxMs || parts.length === 0 ? null : (bed?.airable ?? oneOf(sounds.beds, item.id))
      if (carrier === null) {
        pause = { itemIds: [...(pause?.itemIds ?? []), item.id], lengthMs: Math.min(lengthMs, planSilenceMaxMs) }
        return
      }
      pause = null
      add(item.id, shorten(carrier, lengthMs), "cut")
      carried = true
      return
    }
    const airable =
      item.kind === "station_id"
        ? oneOf(sounds.idents, item.id)
        : (sounds.soundOf(item) ?? (item.kind === "bed" ? oneOf(sounds.beds, item.id) : null))
    if (airable === null) {
      missing.push(item)
    } else if (item.kind === "bed") {
      const next = items.slice(i + 1).find(({ kind }) => kind !== "pause" && kind !== "station_id")
      const spoken = next !== undefined && sounds.soundOf(next)?.speech === true
      bed = spoken ? { itemId: item.id, airable } : null
      if (!spoken) add(item.id, shorten({ ...airable, role: "bed" }, item.durationSec * 1_000), item.transition)
    } else if (airable.speech && item.kind !== "station_id") {
      add(
        item.id,
        bed === null || airable.bedAssetId !== null ? airable : { ...airable, bedAssetId: bed.airable.assetId },
        item.transition,
        airable.bedAssetId === null ? (bed?.itemId ?? null) : null
      )
    } else {
      if (!airable.speech) bed = null
      add(item.id, airable, item.transition)
    }
  })
  return { parts, missing }
}
