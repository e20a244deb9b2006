import { Effect } from "effect"
import { timeShiftSec, windowSegments, windowSegmentsMin } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import type { HlsVariant, LiveAnswer, Shifted } from "../../engine/ports/Live.ts"
import type { LiveHost } from "./LiveHost.ts"
import { partsOf } from "./JournalFiles.ts"
import type { ArchiveReader } from "./ArchiveReader.ts"
import { variants } from "./BroadcastStart.ts"
import { join } from "../encode/Fmp4.ts"
import type { Discontinuity } from "./Journal.ts"
import { partSamples, partsPerSegment, segmentSamples } from "../encode/PartPacker.ts"
import { multivariantPlaylist, shiftedPlaylist } from "./Playlist.ts"
import { renditions } from "../encode/Rendition.ts"
import { msAt, sampleAt } from "../clock/StationClock.ts"

const segmentSec = segmentSamples / sampleRateHz
const msnAt = (ms: number): number => Math.floor(sampleAt(ms) / segmentSamples)
/** Players begin three segments before the end of a live playlist: this many follow their first one. */
const afterBegun = 2

const text = new TextEncoder()
const playlistOf = (body: string, maxAgeSec: number): LiveAnswer => ({
  _tag: "Found",
  object: { contentType: "application/vnd.apple.mpegurl", body: text.encode(body), maxAgeSec }
})
const late: LiveAnswer = { _tag: "Late" }
const instant = (ms: number) => new Date(Math.ceil(ms / 1_000) * 1_000).toISOString()

/** Discontinuities in segments before this one. */
const discontinuitiesBefore = (cuts: ReadonlyArray<Discontinuity>, msn: number): number =>
  cuts.findLast((cut) => cut.msn < msn)?.total ?? Math.max(0, (cuts[0]?.total ?? 1) - 1)

/** Without an archive there is nothing to replay. */
export const nothingKept: Shifted = {
  multivariant: () =>
    Effect.succeed({
      _tag: "Gone",
      detail: "The station keeps no past sound. Leave `start` out to listen live."
    }),
  playlist: () =>
    Effect.succeed({
      _tag: "Gone",
      detail: "The station keeps no past sound. Leave `start` out to listen live."
    }),
  segment: () => Effect.succeed({ _tag: "Gone" })
}

/** The last day as delayed live streams. Segments near the live edge come from the window, the rest from disk. */
export const makeTimeShift = (host: LiveHost, archive: ArchiveReader): Shifted => {
  const window = (variant: HlsVariant) => host.windows.get(variant)!
  /** The newest whole segment. */
  const edgeOf = (variant: HlsVariant): number | null =>
    window(variant).segments.findLast((segment) => segment.whole !== null)?.msn ?? null
  const dayBefore = (edge: number) => edge - Math.ceil(timeShiftSec / segmentSec)
  const findWhole = (variant: HlsVariant, msn: number) => window(variant).find(msn)?.whole ?? null
  /** First audible segment at or after this one. */
  const findAudibleFrom = Effect.fnUntraced(function* (variant: HlsVariant, msn: number) {
    const archived = yield* archive.from(variant, msn)
    const live = window(variant).segments.find((segment) => segment.whole !== null && segment.msn >= msn)?.msn
    return Math.min(archived ?? Infinity, live ?? Infinity)
  })
  const goneAnswer = (first: number): LiveAnswer => ({
    _tag: "Gone",
    detail: `The station no longer keeps that sound. Its oldest sound begins at ${instant(msAt(first * segmentSamples))}: give that as \`start\`, or a later one.`
  })

  return {
    multivariant: Effect.fnUntraced(function* (start) {
      const variant = variants[0]
      const edge = edgeOf(variant)
      if (edge === null) return late
      const nowMs = host.clock.readMs()
      const atMs = start._tag === "At" ? start.atMs : nowMs - start.behindSec * 1_000
      if (atMs > nowMs)
        return {
          _tag: "Impossible",
          parameter: "start",
          detail: "must not lie in the future; leave it out to listen live"
        }
      const oldest = yield* findAudibleFrom(variant, dayBefore(edge))
      if (nowMs - atMs > timeShiftSec * 1_000 || msnAt(atMs) < oldest) return goneAnswer(oldest)
      const latest = Math.min(msnAt(atMs), edge - afterBegun)
      const begun = yield* findAudibleFrom(variant, latest)
      // A start in a stretch without a broadcast moves to the end of that stretch, and one too near to the live edge moves back.
      const fromMs = begun === msnAt(atMs) ? Math.round(atMs) : msAt(begun * segmentSamples)
      const query = new URLSearchParams({
        start: ((fromMs - nowMs) / 1_000).toFixed(3),
        from: new Date(fromMs).toISOString()
      })
      return playlistOf(
        multivariantPlaylist(
          variants.map((each) => ({ window: window(each), nominalKbps: renditions[each].bitrateKbps })),
          host.mark,
          `?${query}`
        ),
        0
      )
    }),
    playlist: Effect.fnUntraced(function* (variant, behindSec, fromMs = null) {
      const edge = edgeOf(variant)
      if (edge === null) return late
      // Instant that a player which began at `fromMs` plays now.
      const playedMs = host.clock.readMs() - behindSec * 1_000
      const startMs = Math.min(fromMs ?? playedMs, playedMs)
      const begun = msnAt(startMs)
      // One more segment with every one played: until the first has been played, only those that players begin before.
      const lastMsn = Math.min(edge, begun + afterBegun + Math.floor((playedMs - startMs) / 1_000 / segmentSec))
      const oldest = yield* findAudibleFrom(variant, dayBefore(edge) - windowSegments)
      if (behindSec > timeShiftSec || lastMsn < oldest)
        return goneAnswer(yield* findAudibleFrom(variant, dayBefore(edge)))
      const windowMsn = lastMsn - windowSegments + 1
      // Leading gaps are omitted, as far as a playlist may be short.
      const firstMsn = Math.max(
        windowMsn,
        fromMs === null
          ? Math.min(yield* findAudibleFrom(variant, windowMsn), lastMsn - windowSegmentsMin + 1)
          : Math.min(begun, lastMsn)
      )
      const startSample = Math.max(begun * segmentSamples, sampleAt(startMs))
      const cuts = yield* archive.discontinuities(variant)
      const segments = yield* Effect.forEach(
        Array.from({ length: lastMsn - firstMsn + 1 }, (_, at) => firstMsn + at),
        (msn) =>
          Effect.map(findWhole(variant, msn) !== null ? Effect.succeed(true) : archive.has(variant, msn), (kept) => ({
            kept,
            discontinuity: window(variant).find(msn)?.discontinuity === true || cuts.some((cut) => cut.msn === msn)
          }))
      )
      return playlistOf(
        shiftedPlaylist({
          firstMsn,
          segments,
          labels: yield* archive.labels(firstMsn, lastMsn),
          discontinuitySequence: discontinuitiesBefore(cuts, firstMsn),
          firstPart:
            fromMs === null || firstMsn !== begun
              ? 0
              : Math.floor((startSample - begun * segmentSamples) / partSamples),
          startSample: begun < firstMsn ? null : startSample
        }),
        1
      )
    }),
    segment: Effect.fnUntraced(function* (variant, msn, firstPart = 0) {
      const body = findWhole(variant, msn) ?? (yield* archive.segment(variant, msn))
      return body === null || firstPart >= partsPerSegment
        ? { _tag: "Gone" }
        : {
            _tag: "Found",
            object: {
              contentType: "audio/mp4",
              body: firstPart === 0 ? body : join(partsOf(body as Uint8Array<ArrayBuffer>, msn).slice(firstPart)),
              maxAgeSec: timeShiftSec
            }
          }
    })
  }
}
