import { AssetId, type ItemId, makeId, type SegmentId } from "../../../schema/Ids.ts"
import { PlanItem, type PlanStock, type Spoken } from "../../../schema/programmes/Plan.ts"
import { Airable } from "../../../schema/air/Rundown.ts"
import type { SegmentStatus } from "../../../schema/segments/Segment.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { sampleRateHz, msToSamples } from "../../../schema/time/Samples.ts"
import { speechSecOf } from "./PlanItems.ts"
import type { PlanSounds } from "../air/Programme.ts"
import { lengthOf } from "../air/ItemSequence.ts"

export interface Material {
  /** Null for silence and for missing media. */
  readonly airable: Airable | null
  readonly ready: boolean
  readonly title: string
  readonly durationSec: number
  readonly fault: { readonly code: string; readonly detail: string } | null
}
const unmade = AssetId.make(makeId("mas", 0, new Uint8Array(10)))
/** Stands in for speech that isn't synthesized yet, with its estimated length. */
const estimateSound = (title: string, text: string, segmentId: SegmentId | null): Airable => {
  const length = msToSamples(speechSecOf(text) * 1_000)
  return new Airable({
    role: "segment",
    assetId: unmade,
    cue: new CuePoints({ cueIn: 0, introEnd: 0, segue: length, cueOut: length }),
    title,
    artist: null,
    speech: true,
    bedAssetId: null,
    segmentId,
    trackId: null,
    agentId: null,
    topic: null,
    genre: null,
    validFromMs: null,
    validUntilMs: null
  })
}
export const secondsOf = (samples: number): number => Math.round((samples / sampleRateHz) * 1_000) / 1_000
const missingMaterial = (code: string, detail: string, item: PlanItem): Material => ({
  airable: null,
  ready: false,
  title: item.title,
  durationSec: 0,
  fault: { code, detail }
})
const speechMaterial = (item: PlanItem, { airable, text, title }: Spoken, segmentId: SegmentId | null): Material => {
  const sound = airable ?? estimateSound(item.title || title, text, segmentId)
  return {
    airable: sound,
    ready: airable !== null,
    title: item.title || title,
    durationSec: secondsOf(lengthOf(sound)),
    fault: null
  }
}
const music = (item: PlanItem, airable: Airable): Material => ({
  airable,
  ready: true,
  title: item.title || airable.title,
  durationSec: secondsOf(lengthOf(airable)),
  fault: null
})
const firstWords = (script: string): string => {
  const words = script.split(/\s+/u).filter((word) => word !== "")
  return words.length > 6 ? `${words.slice(0, 6).join(" ")} …` : words.join(" ")
}
/** The text of an item that is checked with the plan; null if there is none or it is reviewed on its own. */
export const wordsOf = ({ kind, scriptText, uploadId }: PlanItem, stock: PlanStock): string | null =>
  kind === "talk" ? scriptText : kind === "upload" ? (stock.uploads.get(uploadId!)?.text ?? null) : null
/** Not aired, and not scheduled to air elsewhere. */
const waiting: ReadonlySet<SegmentStatus> = new Set(["queued", "scheduled", "pending_review"])
/** The sound of an item, or the reason it has none. */
export const materialOf = (item: PlanItem, planId: string, stock: PlanStock): Material => {
  switch (item.kind) {
    case "track": {
      const airable = stock.tracks.get(item.trackId!)
      if (airable !== undefined) return music(item, airable)
      return stock.known.has(item.trackId!)
        ? missingMaterial("TRACK_NOT_APPROVED", "The track is not approved for rotation.", item)
        : missingMaterial("TRACK_UNKNOWN", "There is no such track.", item)
    }
    case "segment": {
      const segment = stock.segments.get(item.segmentId!)
      if (segment === undefined) return missingMaterial("SEGMENT_UNKNOWN", "None of your segments has this id.", item)
      if (!waiting.has(segment.status))
        return missingMaterial(
          "SEGMENT_NOT_AVAILABLE",
          `The segment is ${segment.status}. A plan takes segments that are queued, scheduled or in review.`,
          item
        )
      if (segment.planId !== null && segment.planId !== planId)
        return missingMaterial("SEGMENT_NOT_AVAILABLE", "The segment airs in another plan.", item)
      return speechMaterial(item, segment, item.segmentId)
    }
    case "upload": {
      const made = item.segmentId === null ? undefined : stock.segments.get(item.segmentId)
      const upload = made ?? stock.uploads.get(item.uploadId!)
      if (upload === undefined)
        return missingMaterial("UPLOAD_UNKNOWN", "You have no speech upload with this id.", item)
      if ("passed" in upload && !upload.passed)
        return missingMaterial("UPLOAD_NOT_READY", "The upload has not passed its checks.", item)
      if ("declared" in upload && !upload.declared)
        return missingMaterial(
          "UPLOAD_NOT_DECLARED",
          "Declare the upload first: PATCH its transcriptText, rightsDeclaration and syntheticDisclosure.",
          item
        )
      return speechMaterial(item, upload, item.segmentId)
    }
    case "talk": {
      const made = item.segmentId === null ? undefined : stock.segments.get(item.segmentId)
      return speechMaterial(
        item,
        made ?? { title: firstWords(item.scriptText ?? ""), text: item.scriptText ?? "", airable: null },
        item.segmentId
      )
    }
    case "bed": {
      const own = item.trackId === null ? stock.houseBeds[0] : stock.beds.get(item.trackId)
      if (own === undefined && item.trackId !== null)
        return missingMaterial("TRACK_UNKNOWN", "There is no approved bed with this id.", item)
      return {
        airable: item.trackId === null ? null : (own ?? null),
        ready: own !== undefined,
        title: item.title || own?.title || "Bed",
        durationSec: item.durationSec,
        fault: null
      }
    }
    case "station_id":
      return {
        airable: null,
        ready: stock.idents.length > 0,
        title: item.title || stock.idents[0]?.title || "Station ID",
        durationSec: stock.idents[0] === undefined ? 0 : secondsOf(lengthOf(stock.idents[0])),
        fault: null
      }
    case "pause":
      return { airable: null, ready: true, title: item.title || "Pause", durationSec: item.durationSec, fault: null }
  }
}
/** The planner's input for a plan. It equals the sounds that air, except for estimated speech. */
export const soundsOf = (items: ReadonlyArray<PlanItem>, planId: string, stock: PlanStock): PlanSounds => {
  const materials = new Map<ItemId, Airable | null>(
    items.map((item) => [item.id, materialOf(item, planId, stock).airable])
  )
  return { soundOf: (item) => materials.get(item.id) ?? null, idents: stock.idents, beds: stock.houseBeds }
}
/** Items with the titles and lengths of their media. */
export const labelItems = (items: ReadonlyArray<PlanItem>, planId: string, stock: PlanStock): ReadonlyArray<PlanItem> =>
  items.map((item) => {
    const { durationSec, title } = materialOf(item, planId, stock)
    return new PlanItem({ ...item, title, durationSec })
  })
