import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import {
  catchUpMaxSec,
  partFrames,
  segmentFrames,
  windowSegments,
  windowSegmentsMin
} from "../../../engine/rules/air/limits.ts"
import { LiveWindow } from "../../../media/live/LiveWindow.ts"
import { PartPacker, segmentSamples, silentFrame } from "../../../media/encode/PartPacker.ts"
import { bandwidth, mediaPlaylist, multivariantPlaylist } from "../../../media/live/Playlist.ts"
import { markOfStation } from "../../../schema/Synthetic.ts"
import { attributes, captions, HlsValidator, parse, violations } from "../../support/media/HlsValidator.ts"

const firstFrame = 6_834_083 * segmentFrames

const bytesFrom = (window: LiveWindow) => (uri: string) => {
  const [, kind, msn, , part] = /^([sp])(\d+)(\.(\d+))?\.m4s$/.exec(uri)!
  const segment = window.find(Number(msn))
  return (kind === "s" ? segment?.whole : segment?.parts[Number(part)]) ?? null
}

/** Two variants with equal input; every possible request for a playlist is checked. */
const station = (from: number) => {
  const windows = (["aac128", "aac64"] as const).map((variant) => new LiveWindow(variant))
  const validators = windows.map(() => new HlsValidator(windowSegmentsMin))
  const found: Array<string> = []
  const check = (at: number) => {
    const text = mediaPlaylist(
      windows[at]!,
      windows.filter((_, other) => other !== at),
      false
    )
    if (text === null) return
    found.push(...validators[at]!.observe(text, bytesFrom(windows[at]!)))
    const delta = parse(mediaPlaylist(windows[at]!, [], true)!)
    found.push(...violations(delta))
    const whole = parse(text)
    if (JSON.stringify(whole.segments.slice(delta.skipped)) !== JSON.stringify(delta.segments))
      found.push("a delta update is the end of the playlist")
    if (at > 0) return
    // The caption playlist has the same shape, piece by piece.
    const words = mediaPlaylist(windows[at]!, [], false, true)!
    found.push(...violations(parse(words), captions))
    if (
      words.replaceAll(".vtt", ".m4s").replaceAll(/#EXT-X-MAP.*\n|#EXT-X-RENDITION-REPORT.*\n/g, "") !==
      text.replaceAll(/#EXT-X-MAP.*\n|#EXT-X-RENDITION-REPORT.*\n/g, "")
    )
      found.push("words follow the sound")
  }
  const packers = (start: number) =>
    windows.map(
      (window, at) =>
        new PartPacker(window.variant, start, (part) => {
          window.accept(part)
          check(at)
        })
    )
  let current = packers(from)
  let next = from
  return {
    windows,
    found,
    feed: (frames: number) => {
      for (const packer of current)
        packer.feed(
          next,
          Array.from({ length: frames }, () => silentFrame)
        )
      next += frames
    },
    /** The process ends and loses its unpacked frames; the next one starts `frames` later. */
    restart: (frames: number) => {
      const resume = current[0]!.nextPartFrame
      // As at a start: after a long gap, earlier sound is no longer in the window.
      if (frames * 1_024 > catchUpMaxSec * 48_000) for (const window of windows) window.beginAnew()
      next = frames === 0 ? resume : Math.ceil((resume + frames) / segmentFrames) * segmentFrames
      current = packers(next)
    },
    /** Encoders lost frames for good. */
    skip: (frames: number) => {
      next += frames
    }
  }
}

describe("LiveWindow", () => {
  it("keeps every rule at every instant, through all events of the station", { timeout: 300_000 }, () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ feed: fc.integer({ min: 1, max: 400 }) }) },
      {
        weight: 1,
        arbitrary: fc.record({ restart: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 * segmentFrames })) })
      },
      { weight: 1, arbitrary: fc.record({ skip: fc.integer({ min: 1, max: 500 }) }) }
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 }), fc.array(step, { minLength: 1, maxLength: 40 }), (head, steps) => {
        const { feed, found, restart, skip } = station(firstFrame + head * 7)
        for (const act of steps) {
          if ("feed" in act) feed(act.feed)
          else if ("restart" in act) restart(act.restart)
          else skip(act.skip)
        }
        expect(found).toEqual([])
      }),
      { numRuns: 40 }
    )
  })

  it("numbers segments and dates from the epoch", () => {
    const { feed, windows } = station(firstFrame)
    feed(segmentFrames * 2 + partFrames)
    const list = parse(mediaPlaylist(windows[0]!, [windows[1]!], false)!)
    expect(list.segments.map((segment) => segment.msn)).toEqual([6_834_083, 6_834_084, 6_834_085])
    expect(list.segments[0]!.dateMs).toBe(1_767_225_600_000 + 6_834_083 * 4_096)
    expect(list.reports.map((report) => [report.get("URI"), report.get("LAST-MSN"), report.get("LAST-PART")])).toEqual([
      ["../aac64/index.m3u8", "6834085", "0"]
    ])
  })

  it("fills the missing head of the first segment with silence", () => {
    const { feed, windows } = station(firstFrame + 40)
    feed(8)
    expect(windows[0]!.next).toEqual(null)
    feed(segmentFrames * 2)
    expect(windows[0]!.firstMsn).toBe(6_834_084)
  })

  it("serves a removed segment for one more window and no longer", () => {
    const { feed, windows } = station(firstFrame)
    feed(segmentFrames * (windowSegments + 1))
    expect(windows[0]!.firstMsn).toBe(6_834_084)
    expect(windows[0]!.find(6_834_083)).not.toBeNull()
    feed(segmentFrames * windowSegments)
    expect(windows[0]!.find(6_834_083)).toBeNull()
  })

  it("lists each item once, with its end as soon as the next one begins", () => {
    const { feed, windows } = station(firstFrame)
    const window = windows[0]!
    const label = (atSample: number, title: string) =>
      window.label({
        id: atSample % 2 ** 32,
        atSample,
        title,
        artist: null,
        kind: "music",
        plannedEndSample: null,
        endSample: null
      })
    label(6_834_083 * segmentSamples, 'One "quoted"\nline')
    label(6_834_083 * segmentSamples + 48_000, "Two")
    feed(partFrames)
    const titles = () =>
      parse(mediaPlaylist(window, [], false)!).dateRanges.map((range) => [range.get("X-TITLE"), range.get("DURATION")])
    expect(titles()).toEqual([["One  quoted line", "1.000"]])
    feed(segmentFrames)
    expect(titles()).toEqual([
      ["One  quoted line", "1.000"],
      ["Two", undefined]
    ])
    feed(segmentFrames * (windowSegments + 1))
    expect(titles()).toEqual([["Two", undefined]])
  })

  it("describes its variants", () => {
    const { feed, windows } = station(firstFrame)
    feed(segmentFrames)
    const text = multivariantPlaylist(
      windows.map((window, at) => ({ window, nominalKbps: [128, 64][at]! })),
      markOfStation('Machines "made" it.')
    )
    expect(text).toContain('#EXT-X-SESSION-DATA:DATA-ID="longwave.disclosure",VALUE="Machines  made  it.",')
    const streams = [...text.matchAll(/#EXT-X-STREAM-INF:(.*)\n(.*)/g)].map((match) => ({
      map: attributes(match[1]!),
      uri: match[2]
    }))
    expect(streams.map(({ map, uri }) => [map.get("CODECS"), uri])).toEqual([
      ["mp4a.40.2", "aac128/index.m3u8"],
      ["mp4a.40.2", "aac64/index.m3u8"]
    ])
    const { average, peak } = bandwidth(windows[0]!, 128)
    expect([peak >= average, average > 128_000, streams[0]!.map.get("BANDWIDTH")]).toEqual([true, true, String(peak)])
  })
})
