import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { clipSec } from "../../engine/rules/panels/limits.ts"
import { titleCharsMax } from "../../engine/rules/segments/limits.ts"
import { clipWindow, type ClipWindow, excerptOf, findLikedPair } from "../../engine/rules/panels/Clip.ts"
import { displayText } from "../../engine/rules/segments/Script.ts"
import { partsOf, type SpokenPart } from "../../engine/rules/panels/Transcript.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { ClipsWriter } from "../../engine/store/panels/Clips.ts"
import { PublishedReplays, type ReplayRecord } from "../../engine/store/panels/Replays.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { Shows } from "../../engine/store/programmes/Shows.ts"
import type { AssetId, ClipId, ShowId } from "../../schema/Ids.ts"
import { NotFound, SegmentNotFound, SubjectConflict } from "../../schema/Problems.ts"
import { Clip } from "../../schema/panels/Replay.ts"
import { addJob } from "../runtime/Jobs.ts"
import { CutClip } from "./protocol/Jobs.ts"
import type { SegmentRecord } from "../../schema/segments/Segment.ts"

/** Source of a clip: an aired segment with the parts of its speech. */
interface Source {
  readonly segment: SegmentRecord & { readonly assetId: AssetId }
  readonly durationSec: number
  readonly parts: ReadonlyArray<SpokenPart>
  readonly replay: ReplayRecord["replay"] | null
}
const isSounding = (segment: SegmentRecord): segment is SegmentRecord & { readonly assetId: AssetId } =>
  segment.assetId !== null
/** Fails for a segment that has not aired, was taken down, or whose replay is hidden. */
const sourceOf = Effect.fnUntraced(function* (segment: SegmentRecord, replay: ReplayRecord["replay"] | null) {
  if (segment.status !== "aired" || segment.rerunHold || !isSounding(segment) || replay?.hidden === true) {
    return yield* new SubjectConflict({
      detail: "Clips are cut from sound that aired and is not taken down or hidden."
    })
  }
  const durationSec = replay?.durationSec ?? segment.durationSec ?? 0
  const { displayName, handle, scriptText } = segment
  const source: Source = {
    segment,
    durationSec,
    replay,
    parts:
      replay === null
        ? [{ handle, displayName, text: displayText(scriptText), startSec: 0, endSec: durationSec }]
        : partsOf(replay)
  }
  return source
})
const requireSegment = Effect.fnUntraced(function* ({
  replayId,
  segmentId
}: {
  readonly replayId: string | null
  readonly segmentId: string | null
}) {
  const replays = yield* PublishedReplays
  const record = replayId === null ? yield* replays.findBySegment(segmentId!) : yield* replays.findAny(replayId)
  if (replayId !== null && record === null) return yield* new NotFound({ detail: `There is no recording ${replayId}.` })
  const id = record?.replay.segmentId ?? segmentId!
  const segment = yield* (yield* Segments).find(id)
  if (segment === null) return yield* new SegmentNotFound({ detail: `There is no segment ${id}.` })
  return yield* sourceOf(segment, record?.replay ?? null)
})
const timingsOf = ({ segment: { assetId } }: Source) =>
  Effect.map(
    Effect.flatMap(Assets, (assets) => assets.find(assetId)),
    (asset) => asset?.words ?? []
  )
/** Saves a clip and its cutting job, in the caller's transaction. A clip chosen by the station has an origin and is made once. */
const begin = Effect.fnUntraced(function* (source: Source, window: ClipWindow, title: string, origin: string | null) {
  const { replay, segment } = source
  const id = (yield* (yield* IdSource).make("clip")) as ClipId
  const show =
    replay !== null || segment.agentShowId === null
      ? null
      : yield* (yield* Shows).findById(segment.agentShowId as ShowId)
  const clip = new Clip({
    id,
    title,
    ...window,
    ...excerptOf(source.parts, yield* timingsOf(source), window),
    replayId: replay?.id ?? null,
    showSlug: replay?.showSlug ?? show?.slug ?? null,
    segmentId: segment.id,
    sessionId: replay?.sessionId ?? null,
    sourceAssetId: segment.assetId,
    // Derived from the clip's id, so a retry after a crash writes the same file.
    assetId: `mas_${id.slice(5)}` as AssetId,
    byRule: origin !== null,
    status: "making",
    statusReason: null,
    publishedAtMs: null,
    hidden: false,
    createdAtMs: yield* Clock.currentTimeMillis
  })
  if (yield* (yield* ClipsWriter).add(clip, origin ?? id)) yield* addJob(CutClip, { key: id, payload: { clipId: id } })
  return clip
})
/** Makes the clip that an operator asked for. */
export const makeAskedClip = Effect.fnUntraced(function* (asked: {
  readonly replayId: string | null
  readonly segmentId: string | null
  readonly startSec: number
  readonly durationSec: number
  readonly title: string
}) {
  const source = yield* requireSegment(asked)
  const { durationSec, startSec } = asked
  if (startSec + durationSec > source.durationSec)
    return yield* new SubjectConflict({
      detail: `The recording lasts ${source.durationSec.toFixed(1)} s: a clip of ${durationSec} s can begin at ${Math.max(0, source.durationSec - durationSec).toFixed(1)} s at the latest.`
    })
  return yield* begin(source, { startSec, durationSec }, asked.title, null)
})
/** Makes the station's clip of a recording, once. None for a recording shorter than a clip. */
export const chosenClip = Effect.fnUntraced(function* ({ replay }: ReplayRecord) {
  const clips = yield* ClipsWriter
  const likes = yield* clips.takeLikes(replay.segmentId)
  const segment = yield* (yield* Segments).find(replay.segmentId)
  if (segment === null || !isSounding(segment) || replay.durationSec < clipSec[0]) return
  const source: Source = { segment, replay, durationSec: replay.durationSec, parts: partsOf(replay) }
  const first = findLikedPair(source.parts, likes)
  const window = first === null ? null : clipWindow(source.parts, first, yield* timingsOf(source), replay.durationSec)
  if (window === null) return
  yield* begin(source, window, [...replay.title].slice(0, titleCharsMax).join(""), `rule:${replay.id}`)
})
