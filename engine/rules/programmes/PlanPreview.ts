import type { Block } from "../../../schema/programmes/Block.ts"
import type { ItemId, PlanId } from "../../../schema/Ids.ts"
import type { PlanItem, PlanPreview, PlanWarning, PlanStock } from "../../../schema/programmes/Plan.ts"
import type { ProblemPart } from "../../../schema/Problem.ts"
import type { ShowFormat } from "../../../schema/programmes/Show.ts"
import { planOverMaxSec } from "../air/limits.ts"
import { planFillToleranceSec, planSpeechMaxShare, planUnderMaxShare } from "./limits.ts"
import { sampleRateHz, msOf, sampleOf } from "../../../schema/time/Samples.ts"
import { materialOf, secondsOf, soundsOf } from "./PlanMaterials.ts"
import { partsOf, timelineOf } from "../air/Programme.ts"
import { readableSec, readableTodaySec, type ReadAirtime } from "../voices/ReadAirtime.ts"
import { isWithinLimits, lint, tidyScript, wordCount } from "../segments/Script.ts"
import { reservedSec } from "../voices/SpeechQuota.ts"

/** Input of a preview. */
export interface PlanShape {
  readonly id: PlanId
  readonly title: string
  readonly format: ShowFormat | null
  readonly startMs: number
  readonly targetDurationSec: number
  readonly items: ReadonlyArray<PlanItem>
  /** Seconds of music that the station composes for it before it begins. */
  readonly musicToComeSec: number
}
/** Speech formats: all others need a minimum share of music. */
const talkLike: ReadonlySet<ShowFormat> = new Set(["talk", "news_hour", "interview", "panel", "story_hour"])
interface Row {
  readonly item: PlanItem
  readonly startSample: number
  readonly endSample: number
}
/** Every item with its time, in order, computed with the functions that air it. Items without a time are left out. */
export const rowsOf = (
  { id, items, startMs }: Pick<PlanShape, "id" | "items" | "startMs">,
  stock: PlanStock
): ReadonlyArray<Row> => {
  const rows = timelineOf({ startMs, parts: partsOf(items, soundsOf(items, id, stock)).parts })
  const byId = new Map<ItemId, PlanItem>(items.map((item) => [item.id, item]))
  return rows
    .flatMap((row) => (byId.has(row.itemId) ? [{ ...row, item: byId.get(row.itemId)! }] : []))
    .sort((a, b) => a.startSample - b.startSample || a.item.index - b.item.index)
}
/** Seconds from the first sound to the end of the last. */
export const plannedSec = (startMs: number, rows: ReadonlyArray<Pick<Row, "endSample">>): number =>
  rows.length === 0 ? 0 : secondsOf(Math.max(...rows.map(({ endSample }) => endSample)) - sampleOf(startMs))
const fault = (item: PlanItem | null, code: string, detail: string): ProblemPart => ({
  pointer: item === null ? "/items" : `/items/${item.index}`,
  code,
  detail
})
const scriptFaults = (item: PlanItem): ReadonlyArray<ProblemPart> => {
  if (item.kind !== "talk") return []
  const script = tidyScript(item.scriptText ?? "")
  if (!isWithinLimits(script, false))
    return [fault(item, "SCRIPT_TOO_LONG", "The script is too long for one item. Split it.")]
  return lint(script).map(({ code, detail }) => fault(item, code, detail))
}
/** Share of speech in the sound, of which so many seconds are music to come. */
const speechShare = (rows: ReadonlyArray<Row>, toComeSec: number, speaks: (item: PlanItem) => boolean): number => {
  const length = ({ endSample, startSample }: Row) => endSample - startSample
  const total = Math.max(
    1,
    Math.max(...rows.map(({ endSample }) => endSample)) -
      Math.min(...rows.map(({ startSample }) => startSample)) +
      toComeSec * sampleRateHz
  )
  return rows.filter(({ item }) => speaks(item)).reduce((sum, row) => sum + length(row), 0) / total
}
const spokenKinds: ReadonlySet<PlanItem["kind"]> = new Set(["talk", "segment", "upload"])
/** Seconds of speech still to be synthesized, at the speaking rate that reserves airtime. */
const unreadSec = (items: ReadonlyArray<PlanItem>, planId: string, stock: PlanStock): number =>
  items.reduce((sum, item) => {
    const text = (item.segmentId === null ? undefined : stock.segments.get(item.segmentId)?.text) ?? item.scriptText
    const { fault: missing, ready } = materialOf(item, planId, stock)
    return !spokenKinds.has(item.kind) || ready || missing !== null || text === null
      ? sum
      : sum + reservedSec(wordCount(tidyScript(text)))
  }, 0)
/** Every reason the plan can't air as it is; empty if it can. */
export const planFaults = (plan: PlanShape, stock: PlanStock, airtime: ReadAirtime): ReadonlyArray<ProblemPart> => {
  const { format, id, items, musicToComeSec, startMs, targetDurationSec } = plan
  if (items.length === 0 && musicToComeSec === 0)
    return [fault(null, "NO_ITEMS", "There is nothing in it. Add items, or have it filled with music.")]
  const rows = rowsOf(plan, stock)
  const planned = plannedSec(startMs, rows) + musicToComeSec
  const media = items.filter(({ kind }) => kind === "track" || kind === "segment" || kind === "upload")
  const unread = unreadSec(items, id, stock)
  const nameOf = (item: PlanItem) =>
    item.kind === "track" ? item.trackId : item.kind === "upload" ? item.uploadId : item.segmentId
  return [
    ...items.flatMap((item) => {
      const { fault: missing } = materialOf(item, id, stock)
      return missing === null ? scriptFaults(item) : [fault(item, missing.code, missing.detail)]
    }),
    ...media.flatMap((item, i) =>
      media.slice(0, i).some((other) => nameOf(other) === nameOf(item))
        ? [fault(item, item.kind === "track" ? "SAME_TRACK_TWICE" : "SAME_ITEM_TWICE", "The plan contains it twice.")]
        : []
    ),
    ...(planned > targetDurationSec + planOverMaxSec
      ? [
          fault(
            null,
            "TOO_LONG",
            `The plan takes ${Math.round(planned)} s, and the run has ${targetDurationSec} s. It may overrun by at most ${planOverMaxSec} s.`
          )
        ]
      : []),
    ...(planned < targetDurationSec * (1 - planUnderMaxShare)
      ? [
          fault(
            null,
            "TOO_SHORT",
            `The plan takes ${Math.round(planned)} s, and the run has ${targetDurationSec} s. Plan at least ${Math.round((1 - planUnderMaxShare) * 100)} % of the run.`
          )
        ]
      : []),
    ...((format === null || !talkLike.has(format)) &&
    rows.length > 0 &&
    speechShare(rows, musicToComeSec, ({ kind }) => spokenKinds.has(kind)) > planSpeechMaxShare
      ? [
          fault(
            null,
            "TOO_MUCH_SPEECH",
            `More than ${Math.round(planSpeechMaxShare * 100)} % of the plan is speech. Add music, or choose a speech format.`
          )
        ]
      : []),
    ...(unread > readableSec(airtime, startMs)
      ? [
          fault(
            null,
            "NO_AIRTIME",
            `About ${Math.ceil(unread / 60)} min of speech still have to be synthesized, and your airtime before the start is ${Math.floor(readableSec(airtime, startMs) / 60)} min. Send recordings, shorten the scripts, or book a later run.`
          )
        ]
      : [])
  ]
}
export interface PreviewFacts {
  readonly overrunPolicy: Block["overrunPolicy"]
  readonly airtime: ReadAirtime
}
const warningsOf = (
  plan: PlanShape,
  stock: PlanStock,
  { airtime, overrunPolicy }: PreviewFacts,
  driftSec: number,
  rows: ReadonlyArray<Row>
): ReadonlyArray<PlanWarning> => {
  const warn = (code: string, detail: string, item: PlanItem | null = null): PlanWarning => ({
    code,
    detail,
    itemId: item?.id ?? null
  })
  return [
    ...(driftSec > planFillToleranceSec
      ? [
          warn(
            "RUNS_OVER",
            overrunPolicy === "trim"
              ? "The plan is faded out at the end of the run."
              : "The plan continues after the end of the run, and the next programme begins later."
          )
        ]
      : []),
    ...(plan.musicToComeSec > 0
      ? [
          warn(
            "MUSIC_TO_COME",
            `The station composes about ${Math.ceil(plan.musicToComeSec / 60)} min of music for this plan before it begins. What is not ready by then is filled from the rotation.`
          )
        ]
      : driftSec < -planFillToleranceSec
        ? [warn("ENDS_EARLY", "The station fills the rest with its own music.")]
        : []),
    ...(unreadSec(plan.items, plan.id, stock) > readableTodaySec(airtime, plan.startMs)
      ? [
          warn(
            "READ_ANOTHER_DAY",
            "Today's airtime is too short for all of the speech. The rest is synthesized after midnight UTC."
          )
        ]
      : []),
    ...plan.items.flatMap((item) => {
      const { ready } = materialOf(item, plan.id, stock)
      const row = rows.find((each) => each.item.id === item.id)
      const segment = item.segmentId === null ? undefined : stock.segments.get(item.segmentId)
      return [
        ...(!ready && item.kind === "station_id"
          ? [warn("NO_STATION_ID", "The station has no ident yet. The item is left out.", item)]
          : []),
        ...(!ready && spokenKinds.has(item.kind)
          ? [warn("NOT_VOICED_YET", "It has no sound yet; its length is an estimate.", item)]
          : []),
        ...(item.kind === "segment" && segment?.status === "pending_review"
          ? [warn("AWAITS_REVIEW", "The segment waits for its own review, and airs only once that is done.", item)]
          : []),
        ...(row !== undefined &&
        row.startSample >= sampleOf(plan.startMs) + Math.round(plan.targetDurationSec * sampleRateHz)
          ? [warn("AFTER_THE_END", "It would begin after the end of the run.", item)]
          : [])
      ]
    })
  ]
}
/** The plan as it would air from its start on, valid or not: see `planFaults`. */
export const previewOf = (plan: PlanShape, stock: PlanStock, facts: PreviewFacts): PlanPreview => {
  const rows = rowsOf(plan, stock)
  const plannedDurationSec = plannedSec(plan.startMs, rows)
  const driftSec = Math.round((plannedDurationSec - plan.targetDurationSec) * 1_000) / 1_000
  const iso = (sample: number) => new Date(msOf(sample)).toISOString()
  return {
    planId: plan.id,
    valid: planFaults(plan, stock, facts.airtime).length === 0,
    startsAt: new Date(plan.startMs).toISOString(),
    endsAt: new Date(plan.startMs + Math.round(plannedDurationSec * 1_000)).toISOString(),
    plannedDurationSec,
    targetDurationSec: plan.targetDurationSec,
    driftSec,
    timeline: rows.map(({ endSample, item, startSample }) => {
      const { ready, title } = materialOf(item, plan.id, stock)
      return {
        itemId: item.id,
        kind: item.kind,
        title,
        startOffsetSec: secondsOf(startSample - sampleOf(plan.startMs)),
        durationSec: secondsOf(endSample - startSample),
        startAt: iso(startSample),
        transition: item.transition,
        audioReady: ready
      }
    }),
    warnings: warningsOf(plan, stock, facts, driftSec, rows)
  }
}
