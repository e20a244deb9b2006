import type { ItemId } from "../../../schema/Ids.ts"
import { PlanItem, type PlanItemDraft } from "../../../schema/programmes/Plan.ts"
import type { ProblemPart } from "../../../schema/Problem.ts"
import { speechWordsPerMin } from "../voices/limits.ts"
import { planBedSec, planItemsMax, planPauseSec, scriptFieldCharsMax } from "./limits.ts"
import { titleCharsMax } from "../segments/limits.ts"
import { displayText, wordCount } from "../segments/Script.ts"

/** Estimated length of a script, in seconds. */
export const speechSecOf = (script: string): number =>
  Math.max(1, Math.round((wordCount(displayText(script)) * 60_000) / speechWordsPerMin) / 1_000)
/** Required fields of each kind. */
const needed: {
  readonly [Kind in PlanItemDraft["kind"]]: "trackId" | "segmentId" | "uploadId" | "scriptText" | "durationSec" | null
} = {
  track: "trackId",
  segment: "segmentId",
  upload: "uploadId",
  talk: "scriptText",
  station_id: null,
  bed: null,
  pause: "durationSec"
}
const bounds = { pause: planPauseSec, bed: planBedSec } as const
/** Faults in the drafts themselves, independent of their media. */
export const itemFaults = (drafts: ReadonlyArray<PlanItemDraft>): ReadonlyArray<ProblemPart> => {
  const fault = (i: number, field: string, detail: string): ProblemPart => ({
    pointer: `/items/${i}/${field}`,
    code: "INVALID_FIELD",
    detail
  })
  const given = drafts.flatMap(({ id }) => id ?? [])
  return [
    ...(drafts.length > planItemsMax
      ? [{ pointer: "/items", code: "INVALID_FIELD", detail: `must have at most ${planItemsMax} items` }]
      : []),
    ...(new Set(given).size < given.length
      ? [{ pointer: "/items", code: "INVALID_FIELD", detail: "must not contain an id twice" }]
      : []),
    ...drafts.flatMap((draft, i) => {
      const field = needed[draft.kind]
      const range = draft.kind === "pause" || draft.kind === "bed" ? bounds[draft.kind] : null
      const { durationSec, scriptText, title } = draft
      return [
        ...(field !== null && (draft[field] === null || draft[field] === "")
          ? [fault(i, field, `is required for kind ${draft.kind}`)]
          : []),
        ...(range !== null && durationSec !== null && !(durationSec >= range[0] && durationSec <= range[1])
          ? [fault(i, "durationSec", `must be from ${range[0]} to ${range[1]}`)]
          : []),
        ...(scriptText !== null && [...scriptText].length > scriptFieldCharsMax
          ? [fault(i, "scriptText", `must have at most ${scriptFieldCharsMax} characters`)]
          : []),
        ...(title !== null && [...title].length > titleCharsMax
          ? [fault(i, "title", `must have at most ${titleCharsMax} characters`)]
          : [])
      ]
    })
  ]
}
/** Whether both refer to the same media: the stored facts of one apply to the other. */
const isSameMedia = (item: PlanItem, draft: PlanItemDraft): boolean =>
  item.kind === draft.kind &&
  item.trackId === draft.trackId &&
  item.uploadId === draft.uploadId &&
  item.scriptText === draft.scriptText &&
  (draft.kind !== "segment" || item.segmentId === draft.segmentId)
/** The list as stored, with positions and ids. The mark of an automatic fill stays only on an unchanged item. */
export const itemsOf = (
  drafts: ReadonlyArray<PlanItemDraft>,
  before: ReadonlyArray<PlanItem>,
  newIds: ReadonlyArray<ItemId>
): ReadonlyArray<PlanItem> =>
  drafts.map((draft, index) => {
    const known = before.find(({ id }) => id === draft.id)
    const lazy = known !== undefined && known.lazy && isSameMedia(known, draft)
    const isOneOf = (kinds: ReadonlyArray<PlanItem["kind"]>) => kinds.includes(draft.kind)
    return new PlanItem({
      id: known?.id ?? newIds[index]!,
      index,
      kind: draft.kind,
      trackId: isOneOf(["track", "bed"]) ? draft.trackId : null,
      segmentId: isOneOf(["segment"]) ? draft.segmentId : null,
      uploadId: isOneOf(["upload"]) ? draft.uploadId : null,
      scriptText: isOneOf(["talk"]) ? draft.scriptText : null,
      title: draft.title ?? "",
      durationSec: draft.kind === "bed" ? (draft.durationSec ?? planBedSec[2]) : (draft.durationSec ?? 0),
      transition: draft.transition,
      locked: draft.locked,
      lazy
    })
  })
export const numberItems = (items: ReadonlyArray<PlanItem>): ReadonlyArray<PlanItem> =>
  items.map((item, index) => (item.index === index ? item : new PlanItem({ ...item, index })))
