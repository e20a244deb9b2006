import type { Block } from "../../../schema/programmes/Block.ts"
import type { ItemId, PlanId } from "../../../schema/Ids.ts"
import type { PlanItem, PlanTransition } from "../../../schema/programmes/Plan.ts"
import { type Airable, RundownItem } from "../../../schema/air/Rundown.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { planSilenceMaxMs } from "./limits.ts"
import { draw } from "./Rotation.ts"
import { msToSamples, sampleOf } from "../../../schema/time/Samples.ts"
import { type Cursor, cursorAfter, earliestStart, endOf, lengthOf } from "./Timing.ts"

/** Silence that a plan means to have before a part. */
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
  /** The item of the plan whose bed lies under it. */
  readonly bedItemId?: ItemId
}
/** A plan as it airs, in one run of a block. */
export interface Programme {
  readonly planId: PlanId
  readonly title: string
  readonly startMs: number
  readonly endMs: number
  readonly overrunPolicy: Block["overrunPolicy"]
  readonly parts: ReadonlyArray<ProgrammePart>
}
/** The sample at which a part begins behind what stands at the cursor: nothing is left out between the two but a pause that is meant. */
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
/** How much silence is meant before a part that begins there. */
export const pauseBefore = (cursor: Cursor, startSample: number): number =>
  cursor.previous === null ? 0 : Math.max(0, startSample - Math.max(endOf(cursor.previous), cursor.voiceFreeSample))
const part = (id: ItemId, airable: Airable, startSample: number): RundownItem =>
  new RundownItem({ id, airable, placement: { _tag: "Flow" }, startSample, locked: false, trace: [] })
/** When everything in a plan begins and ends if it begins on time: pauses from the end of what is before, a bed with all that is spoken over it. */
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
/** What a plan's items sound like, as far as there is something to be heard. */
export interface PlanSounds {
  readonly of: (item: PlanItem) => Airable | null
  /** The station's own. */
  readonly idents: ReadonlyArray<Airable>
  readonly beds: ReadonlyArray<Airable>
}
/** Always the same one for an item, also when the station makes more: only a new one that comes first for it takes its place. */
const oneOf = (airables: ReadonlyArray<Airable>, itemId: ItemId): Airable | null =>
  airables.reduce<Airable | null>(
    (best, each) =>
      best === null || draw(0, 0, `${itemId}/${each.assetId}`) > draw(0, 0, `${itemId}/${best.assetId}`) ? each : best,
    null
  )
/** As much of it, from its beginning: what follows begins there, and it fades under that. */
const shortened = (airable: Airable, lengthMs: number): Airable => {
  const segue = Math.min(airable.cue.cueOut, airable.cue.cueIn + Math.max(1, msToSamples(lengthMs)))
  return {
    ...airable,
    cue: new CuePoints({ ...airable.cue, segue, cueOut: Math.min(airable.cue.cueOut, segue + msToSamples(2_000)) })
  }
}
/**
 * The parts of a plan. A bed lies under all that is spoken after it, up to the next music; where nothing is, it is heard by itself. A
 * pause is silence as long as the station may be silent, and a bed carries a longer one. What has no sound is left out, and named.
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
      add(item.id, shortened(carrier, lengthMs), "cut")
      carried = true
      return
    }
    const airable =
      item.kind === "station_id"
        ? oneOf(sounds.idents, item.id)
        : (sounds.of(item) ?? (item.kind === "bed" ? oneOf(sounds.beds, item.id) : null))
    if (airable === null) {
      missing.push(item)
    } else if (item.kind === "bed") {
      const next = items.slice(i + 1).find(({ kind }) => kind !== "pause" && kind !== "station_id")
      const spoken = next !== undefined && sounds.of(next)?.speech === true
      bed = spoken ? { itemId: item.id, airable } : null
      if (!spoken) add(item.id, shortened({ ...airable, role: "bed" }, item.durationSec * 1_000), item.transition)
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
