import { fenceLine } from "../../schema/air/Fence.ts"
import { markAttributes, markFields, stationMark, type SyntheticMark } from "../../schema/Synthetic.ts"
import { aacFrameSamples, partFrames, segmentFrames } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { type LiveSegment, type LiveWindow, segmentBytes, type WindowLabel } from "./LiveWindow.ts"
import { partsPerSegment, segmentSamples } from "../encode/PartPacker.ts"
import { msAt } from "../clock/StationClock.ts"

const segmentSec = (segmentFrames * aacFrameSamples) / sampleRateHz
const partSec = (partFrames * aacFrameSamples) / sampleRateHz
const targetDurationSec = Math.round(segmentSec)

/** Rounded up, so that no part is longer than promised. */
const partTarget = (Math.ceil(partSec * 1e5) / 1e5).toFixed(5)
const partDuration = (Math.floor(partSec * 1e5) / 1e5).toFixed(5)
const partHoldBack = (3 * Number(partTarget) + 0.00001).toFixed(5)
const skipUntilSec = 6 * targetDurationSec
/** Parts are listed near the live edge only; players further behind take whole segments. */
const segmentsWithParts = Math.ceil((3 * targetDurationSec) / segmentSec) + 1

const iso = (sample: number) => new Date(Math.round(msAt(sample))).toISOString()

const quote = (text: string) => `"${text.replace(/["\r\n]+/g, " ")}"`

const dateRange = (label: WindowLabel): string =>
  [
    `#EXT-X-DATERANGE:ID="${label.id}",CLASS="longwave.item",START-DATE="${iso(label.atSample)}"`,
    ...(label.plannedEndSample === null
      ? []
      : [`PLANNED-DURATION=${((label.plannedEndSample - label.atSample) / sampleRateHz).toFixed(3)}`]),
    ...(label.endSample === null ? [] : [`DURATION=${((label.endSample - label.atSample) / sampleRateHz).toFixed(3)}`]),
    `X-TITLE=${quote(label.title)}`,
    ...(label.artist === null ? [] : [`X-ARTIST=${quote(label.artist)}`]),
    `X-KIND=${quote(label.kind)}`,
    ...(label.synthetic == null ? [] : markAttributes(label.synthetic))
  ].join(",")

/** Items heard from one sample to (not including) another. */
const labelsWithin = (labels: ReadonlyArray<WindowLabel>, from: number, to: number): ReadonlyArray<WindowLabel> =>
  labels.filter((label) => label.atSample < to && (label.endSample === null || label.endSample > from))

/** Names of a rendition's pieces. */
interface Naming {
  readonly segment: (msn: number) => string
  readonly part: (msn: number, part: number) => string
}

const namingOf = (extension: string): Naming => ({
  segment: (msn) => `s${msn}.${extension}`,
  part: (msn, part) => `p${msn}.${part}.${extension}`
})

const segmentLines = (segment: LiveSegment, withParts: boolean, names: Naming): Array<string> => [
  ...(segment.discontinuity ? ["#EXT-X-DISCONTINUITY"] : []),
  `#EXT-X-PROGRAM-DATE-TIME:${iso(segment.msn * segmentSamples)}`,
  ...(withParts
    ? segment.parts.map(
        (_, part) => `#EXT-X-PART:DURATION=${partDuration},URI="${names.part(segment.msn, part)}",INDEPENDENT=YES`
      )
    : []),
  ...(segment.gap ? ["#EXT-X-GAP"] : []),
  ...(segment.whole !== null || segment.gap ? [`#EXTINF:${segmentSec.toFixed(5)},`, names.segment(segment.msn)] : [])
]

/** Another rendition, as a playlist refers to it. */
export type Sibling = Pick<LiveWindow, "next"> & { readonly variant: string }

/**
 * The media playlist of a rendition at this instant. With `skip`, omits segments that an updating player knows. `words`: lists caption
 * pieces instead of sound. `fence`: token of the air's owner.
 */
export const mediaPlaylist = (
  window: LiveWindow,
  others: ReadonlyArray<Sibling>,
  skip: boolean,
  words = false,
  fence: number | null = null
): string | null => {
  const names = namingOf(words ? "vtt" : "m4s")
  const { segments } = window
  const next = window.next
  if (next === null) return null
  const complete = segments.filter((segment) => segment.whole !== null || segment.gap).length
  const skippable = Math.max(0, complete - Math.ceil(skipUntilSec / segmentSec))
  const skipped = skip ? skippable : 0
  return [
    "#EXTM3U",
    ...(fence === null ? [] : [fenceLine(fence)]),
    "#EXT-X-VERSION:9",
    `#EXT-X-TARGETDURATION:${targetDurationSec}`,
    `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${partHoldBack},HOLD-BACK=${(3 * segmentSec).toFixed(3)},CAN-SKIP-UNTIL=${skipUntilSec}.0`,
    `#EXT-X-PART-INF:PART-TARGET=${partTarget}`,
    `#EXT-X-MEDIA-SEQUENCE:${segments[0]!.msn}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${window.discontinuitySequence}`,
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...(skipped > 0 ? [`#EXT-X-SKIP:SKIPPED-SEGMENTS=${skipped}`] : words ? [] : ['#EXT-X-MAP:URI="init.mp4"']),
    ...labelsWithin(
      window.labels,
      segments[0]!.msn * segmentSamples,
      next.msn * segmentSamples + next.part * (segmentSamples / partsPerSegment)
    ).map(dateRange),
    ...segments
      .slice(skipped)
      .flatMap((segment, at) => segmentLines(segment, at + skipped >= segments.length - segmentsWithParts, names)),
    `#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${names.part(next.msn, next.part)}"`,
    ...others.flatMap((other) => {
      const last = other.next
      if (last === null) return []
      const [msn, part] = last.part > 0 ? [last.msn, last.part - 1] : [last.msn - 1, partsPerSegment - 1]
      return [`#EXT-X-RENDITION-REPORT:URI="../${other.variant}/index.m3u8",LAST-MSN=${msn},LAST-PART=${part}`]
    }),
    ""
  ].join("\n")
}

/** A stretch of the broadcast as a delayed live playlist: segments without parts, and gaps where the station was off. */
export const shiftedPlaylist = (stretch: {
  readonly firstMsn: number
  /** The first segment is listed without its earlier parts: players that ignore EXT-X-START begin there too. */
  readonly firstPart: number
  /** Start of playback; null if before the playlist. */
  readonly startSample: number | null
  readonly segments: ReadonlyArray<{ readonly kept: boolean; readonly discontinuity: boolean }>
  readonly discontinuitySequence: number
  readonly labels: ReadonlyArray<WindowLabel>
}): string => {
  const { discontinuitySequence, firstMsn, firstPart, labels, segments, startSample } = stretch
  const skippedSamples = firstPart * (segmentSamples / partsPerSegment)
  const firstSample = firstMsn * segmentSamples + skippedSamples
  return [
    "#EXTM3U",
    "#EXT-X-VERSION:8",
    `#EXT-X-TARGETDURATION:${targetDurationSec}`,
    `#EXT-X-SERVER-CONTROL:HOLD-BACK=${(3 * segmentSec).toFixed(3)}`,
    `#EXT-X-MEDIA-SEQUENCE:${firstMsn}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuitySequence}`,
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...(startSample === null
      ? []
      : [`#EXT-X-START:TIME-OFFSET=${((startSample - firstSample) / sampleRateHz).toFixed(5)},PRECISE=YES`]),
    '#EXT-X-MAP:URI="init.mp4"',
    ...labelsWithin(labels, firstSample, (firstMsn + segments.length) * segmentSamples).map(dateRange),
    ...segments.flatMap(({ discontinuity, kept }, at) => {
      const skipped = at === 0 ? skippedSamples : 0
      return [
        ...(discontinuity ? ["#EXT-X-DISCONTINUITY"] : []),
        `#EXT-X-PROGRAM-DATE-TIME:${iso((firstMsn + at) * segmentSamples + skipped)}`,
        ...(kept ? [] : ["#EXT-X-GAP"]),
        `#EXTINF:${((segmentSamples - skipped) / sampleRateHz).toFixed(5)},`,
        `archive/${firstMsn + at}${skipped === 0 ? "" : `.${firstPart}`}.m4s`
      ]
    }),
    ""
  ].join("\n")
}

/** Real bits per second of the window's segments, highest and average, with the nominal rate as a floor. */
export const bandwidth = (
  window: LiveWindow,
  nominalKbps: number
): { readonly peak: number; readonly average: number } => {
  const rates = window.segments
    .filter((segment) => segment.whole !== null)
    .map((segment) => (segmentBytes(segment) * 8) / segmentSec)
  const roundUp = (value: number) => Math.ceil(value / 1000) * 1000
  // Fragment headers cost about 4 kbit/s; the floor keeps the order of the variants steady during silence.
  const floor = (nominalKbps + 5) * 1000
  return {
    peak: roundUp(Math.max(floor * 1.05, ...rates)),
    average: roundUp(Math.max(floor, rates.reduce((sum, rate) => sum + rate, 0) / Math.max(1, rates.length)))
  }
}

/** All variants, best first. A delayed one has its `query` in each address, and no captions. */
export const multivariantPlaylist = (
  variants: ReadonlyArray<{ readonly window: LiveWindow; readonly nominalKbps: number }>,
  mark: SyntheticMark = stationMark,
  query: string | null = null
): string =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:9",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...markFields(mark).map(
      ([name, value]) => `#EXT-X-SESSION-DATA:DATA-ID="longwave.${name}",VALUE=${quote(value)},LANGUAGE="en"`
    ),
    ...(query === null
      ? [
          '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="words",NAME="Words",DEFAULT=NO,AUTOSELECT=NO,FORCED=NO,URI="words/index.m3u8"'
        ]
      : []),
    ...variants.flatMap(({ nominalKbps, window }) => {
      const { average, peak } = bandwidth(window, nominalKbps)
      return [
        `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="${window.variant}",NAME="Stereo",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2"`,
        `#EXT-X-STREAM-INF:BANDWIDTH=${peak},AVERAGE-BANDWIDTH=${average},CODECS="mp4a.40.2",AUDIO="${window.variant}"${query === null ? ',SUBTITLES="words"' : ""}`,
        `${window.variant}/index.m3u8${query ?? ""}`
      ]
    }),
    ""
  ].join("\n")
