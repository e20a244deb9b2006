import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { execFile } from "node:child_process"
import { mkdtemp, rm, truncate } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import {
  aacFrameSamples,
  archiveFreshMs,
  partFrames,
  segmentFrames,
  timeShiftSec,
  windowSegments,
  windowSegmentsMin
} from "../../../engine/rules/air/limits.ts"
import type { Live, LiveAnswer, Shifted } from "../../../engine/ports/Live.ts"
import { AirHost } from "../../../media/chain/AirHost.ts"
import { makeArchiveReader } from "../../../media/live/ArchiveReader.ts"
import { broadcastStart, nextFrameOf } from "../../../media/live/BroadcastStart.ts"
import { Journal, markDiscontinuity, segmentFile } from "../../../media/live/Journal.ts"
import { Arrivals, makeLive } from "../../../media/live/LiveService.ts"
import { PartPacker, segmentSamples, silentFrame } from "../../../media/encode/PartPacker.ts"
import { msAt } from "../../../media/clock/StationClock.ts"
import { makeTimeShift } from "../../../media/live/TimeShift.ts"
import { attributes, HlsValidator, type ParsedPlaylist, parse, shifted } from "../../support/media/HlsValidator.ts"
import { serveLive } from "../../support/media/LiveServer.ts"
import { bundledFfmpeg } from "../../support/media/Sound.ts"

const firstMsn = 6_834_083
const segmentSec = (segmentFrames * aacFrameSamples) / 48_000
const partMs = (partFrames * aacFrameSamples) / 48
const msOf = (msn: number) => msAt(msn * segmentSamples)

/** A station that broadcasts only silence, with its journal; it can be off the air for a while. */
const station = Effect.fnUntraced(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "longwave-shift-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true }))
  )
  const marks: Array<Promise<void>> = []
  let frame = firstMsn * segmentFrames
  const time = { wallMs: () => msAt(frame * aacFrameSamples), monoMs: () => msAt(frame * aacFrameSamples) }
  const start = () => {
    const host = new AirHost(broadcastStart(folder, time), "Longwave", {
      event: () => {},
      part: () => {},
      onCut: (cut) => void marks.push(markDiscontinuity(folder, cut)),
      onMp3: () => {},
      onJournal: () => {}
    })
    const journal = new Journal({ path: folder, monoMs: () => 0, onStopped: () => {} })
    const packers = (["aac128", "aac64"] as const).map(
      (variant) =>
        new PartPacker(variant, frame, (part) => {
          journal.part(part)
          host.receive({ _tag: "Part", part })
        })
    )
    return { host, journal, packers }
  }
  let { host, journal, packers } = start()
  const archive = yield* makeArchiveReader(folder)
  const air = {
    folder,
    get shift(): Shifted {
      return makeTimeShift(host, archive)
    },
    get live(): Live["Service"] {
      return makeLive(host, new Arrivals(), air.shift)
    },
    get edge() {
      return nextFrameOf(host.windows.get("aac128")!) / segmentFrames - 1
    },
    /** One segment more. */
    feed: (count = 1) =>
      Effect.gen(function* () {
        for (let at = 0; at < count; at++) {
          for (const packer of packers)
            packer.feed(
              frame,
              Array.from({ length: segmentFrames }, () => silentFrame)
            )
          frame += segmentFrames
          yield* Effect.promise(() => Promise.all([journal.settle(), ...marks]))
        }
        yield* TestClock.adjust(archiveFreshMs)
      }),
    off: (segments: number) =>
      Effect.sync(() => {
        frame += segments * segmentFrames
        ;({ host, journal, packers } = start())
      }),
    label: (msn: number, title: string) =>
      Effect.promise(() => {
        journal.item({
          id: msn,
          atSample: msn * segmentSamples,
          title,
          artist: null,
          kind: "music",
          plannedEndSample: null,
          endSample: null
        })
        return journal.settle()
      })
  }
  return air
})

const textOf = (answer: LiveAnswer): string => {
  if (answer._tag !== "Found") throw new Error(JSON.stringify(answer))
  return new TextDecoder().decode(answer.object.body)
}

/** The first segment of a player that starts at the third segment from the end. */
const third = (list: ParsedPlaylist) => list.segments.at(-3) ?? list.segments[0]!

/** Query of a rendition's address in the multivariant playlist. */
const askedIn = (multivariant: string): readonly [behindSec: number, fromMs: number] => {
  const query = new URLSearchParams(/^aac128\/index\.m3u8\?(.*)$/m.exec(multivariant)![1])
  return [-Number(query.get("start")), Date.parse(query.get("from")!)]
}

/** The instant that EXT-X-START names. */
const startMsOf = (list: ParsedPlaylist): number => {
  const start = attributes(list.tags.get("EXT-X-START")!)
  expect(start.get("PRECISE")).toBe("YES")
  return list.segments[0]!.dateMs! + Number(start.get("TIME-OFFSET")) * 1_000
}

describe("TimeShift", () => {
  it.effect("follows as far behind as requested, by every rule, through a time off the air", () =>
    Effect.gen(function* () {
      const air = yield* station()
      yield* air.feed(40)
      const validator = new HlsValidator(windowSegmentsMin, shifted)
      const found: Array<string> = []
      const seen = new Map<number, string>()
      let former: ReadonlyArray<string> = []
      const look = Effect.gen(function* () {
        const text = textOf(yield* air.shift.playlist("aac128", 25 * segmentSec))
        const list = parse(text)
        expect(third(list).msn).toBe(air.edge - 24)
        const uris = [...new Set([...former, ...list.segments.flatMap(({ uri }) => (uri === null ? [] : [uri]))])]
        const bytes = new Map(
          yield* Effect.forEach(uris, (uri) =>
            Effect.map(
              air.shift.segment("aac128", Number(/\d+/.exec(uri)![0])),
              (answer) => [uri, answer._tag === "Found" ? answer.object.body : null] as const
            )
          )
        )
        found.push(...validator.observe(text, (uri) => bytes.get(uri) ?? null))
        for (const { discontinuity, gap, msn } of list.segments)
          seen.set(msn, gap ? "gap" : discontinuity ? "begins anew" : "goes on")
        former = list.segments.flatMap(({ gap, uri }) => (uri === null || gap ? [] : [uri]))
      })
      yield* look
      yield* air.off(30)
      for (let at = 0; at < 60; at++) {
        yield* air.feed()
        yield* look
      }
      expect(found).toEqual([])
      const anew = firstMsn + 70
      const shown = (msn: number) => seen.get(msn) ?? "not told"
      expect([shown(anew - 31), shown(anew - 12), shown(anew - 1), shown(anew), shown(anew + 1)]).toEqual([
        "goes on",
        "gap",
        "gap",
        "begins anew",
        "goes on"
      ])
    })
  )

  it.effect("begins at an instant, or at the first sound after it", () =>
    Effect.gen(function* () {
      const air = yield* station()
      yield* air.feed(40)
      yield* air.off(30)
      yield* air.feed(40)
      const begin = (start: Parameters<typeof air.shift.multivariant>[0]) =>
        Effect.gen(function* () {
          const list = parse(
            textOf(yield* air.shift.playlist("aac64", ...askedIn(textOf(yield* air.shift.multivariant(start)))))
          )
          // Players that ignore EXT-X-START take the third segment from the end: they are less than a part early.
          const earlyMs = startMsOf(list) - third(list).dateMs!
          expect(earlyMs).toBeGreaterThanOrEqual(-1)
          expect(earlyMs).toBeLessThan(partMs)
          expect(third(list)).toBe(list.segments[0])
          return startMsOf(list)
        })
      expect(Math.abs((yield* begin({ _tag: "At", atMs: msOf(firstMsn + 20) })) - msOf(firstMsn + 20))).toBeLessThan(2)
      expect(
        Math.abs((yield* begin({ _tag: "At", atMs: msOf(firstMsn + 20) + 3_000 })) - msOf(firstMsn + 20) - 3_000)
      ).toBeLessThan(2)
      expect(yield* begin({ _tag: "At", atMs: msOf(firstMsn + 50) })).toBe(msOf(firstMsn + 70))
      // Not nearer to the end of the stream than three segments.
      expect(yield* begin({ _tag: "At", atMs: msOf(air.edge) + 5 })).toBe(msOf(air.edge - 2))
      expect(
        Math.abs((yield* begin({ _tag: "Behind", behindSec: 20 * segmentSec - 1 })) - msOf(air.edge + 1 - 20) - 1_000)
      ).toBeLessThan(2)
    })
  )

  it.effect("keeps its beginning until a window was played, by every rule, and then drops it", () =>
    Effect.gen(function* () {
      const air = yield* station()
      yield* air.feed(40)
      const validator = new HlsValidator(windowSegmentsMin, shifted)
      const begun = firstMsn + 20
      const asked = askedIn(textOf(yield* air.shift.multivariant({ _tag: "At", atMs: msOf(begun) + 3_000 })))
      const lengths: Array<number> = []
      for (let at = 0; at < windowSegments + 2; at++) {
        const text = textOf(yield* air.shift.playlist("aac128", ...asked))
        const list = parse(text)
        const bytes = new Map(
          yield* Effect.forEach(list.segments, ({ msn, uri }) =>
            Effect.map(
              air.shift.segment("aac128", msn, Number(/\.(\d+)\.m4s$/.exec(uri!)?.[1] ?? 0)),
              (answer) => [uri, answer._tag === "Found" ? answer.object.body : null] as const
            )
          )
        )
        expect(
          validator.observe(text, (uri) => bytes.get(uri) ?? null).filter((rule) => !rule.includes("one window longer"))
        ).toEqual([])
        lengths.push(list.segments.length)
        expect(list.tags.has("EXT-X-START")).toBe(list.mediaSequence === begun)
        expect(list.mediaSequence).toBe(Math.max(begun, begun + 2 + at - windowSegments + 1))
        yield* air.feed()
      }
      expect(lengths).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 12, 12, 12])
    })
  )

  it.effect("refuses deleted sound with the oldest available instant, and future sound", () =>
    Effect.gen(function* () {
      const air = yield* station()
      expect((yield* air.shift.multivariant({ _tag: "Behind", behindSec: 10 }))._tag).toBe("Late")
      yield* air.feed(40)
      const oldest = new Date(Math.ceil(msOf(firstMsn) / 1_000) * 1_000).toISOString()
      for (const answer of [
        yield* air.shift.multivariant({ _tag: "At", atMs: msOf(firstMsn - 1) }),
        yield* air.shift.multivariant({ _tag: "Behind", behindSec: timeShiftSec + 1 }),
        yield* air.shift.multivariant({ _tag: "Behind", behindSec: 60 * segmentSec }),
        yield* air.shift.playlist("aac128", 60 * segmentSec),
        yield* air.shift.playlist("aac128", timeShiftSec + 1)
      ])
        expect(answer).toEqual({ _tag: "Gone", detail: expect.stringContaining(oldest) as unknown })
      // The instant that the refusal names can be requested.
      expect((yield* air.shift.multivariant({ _tag: "At", atMs: Date.parse(oldest) }))._tag).toBe("Found")
      expect((yield* air.shift.multivariant({ _tag: "At", atMs: msOf(air.edge + 2) }))._tag).toBe("Impossible")
      expect((yield* air.shift.segment("aac128", firstMsn - 1))._tag).toBe("Gone")
      expect((yield* air.shift.segment("aac128", air.edge + 1))._tag).toBe("Gone")
    })
  )

  it.effect("is played by ffmpeg from the requested instant", () =>
    Effect.gen(function* () {
      const air = yield* station()
      yield* air.feed(40)
      const served = yield* Effect.acquireRelease(
        Effect.promise(() => serveLive(air.live)),
        ({ close }) => Effect.sync(close)
      )
      const begun = firstMsn + 20
      const { stderr, stdout } = yield* Effect.promise(() =>
        promisify(execFile)(
          bundledFfmpeg,
          [
            "-v",
            "error",
            "-nostdin",
            "-i",
            `${served.url}/live/index.m3u8?start=${new Date(msOf(begun) + 3_000).toISOString()}`,
            "-t",
            "9",
            "-f",
            "s16le",
            "-ac",
            "1",
            "-ar",
            "8000",
            "-"
          ],
          { encoding: "buffer", maxBuffer: 1_000_000 }
        )
      )
      expect([stdout.length / 2 / 8_000, stderr.toString()]).toEqual([9, ""])
      // Less than a part before it.
      expect(served.asked.flatMap((path) => /archive\/(.*)$/.exec(path)?.[1] ?? []).sort()[0]).toBe(`${begun}.8.m4s`)
    })
  )

  it.effect("shows a torn segment as a gap, in its variant alone", () =>
    Effect.gen(function* () {
      const air = yield* station()
      yield* air.feed(60)
      yield* Effect.promise(() => truncate(segmentFile(air.folder, "aac128", firstMsn + 8), 500))
      const gaps = (variant: "aac128" | "aac64") =>
        Effect.map(air.shift.playlist(variant, 50 * segmentSec), (answer) =>
          parse(textOf(answer)).segments.map(({ gap }) => gap)
        )
      expect((yield* gaps("aac128")).map((gap, at) => (gap ? at : -1)).filter((at) => at >= 0)).toEqual([7])
      expect((yield* gaps("aac64")).includes(true)).toBe(false)
      expect((yield* air.shift.segment("aac128", firstMsn + 8))._tag).toBe("Gone")
    })
  )

  it.effect("lists the items of that time, cached briefly", () =>
    Effect.gen(function* () {
      const air = yield* station()
      for (const [at, title, lasts] of [
        [0, "One", 30],
        [30, "Two", 3],
        [33, "Three", 37],
        [70, "Four", 30]
      ] as const) {
        yield* air.label(firstMsn + at, title)
        yield* air.feed(lasts)
      }
      const answer = yield* air.shift.playlist("aac128", 65 * segmentSec)
      const list = parse(textOf(answer))
      expect(list.segments.length).toBe(windowSegments)
      expect(list.dateRanges.map((range) => [range.get("X-TITLE"), range.get("DURATION")])).toEqual([
        ["One", (30 * segmentSec).toFixed(3)],
        ["Two", (3 * segmentSec).toFixed(3)],
        ["Three", (37 * segmentSec).toFixed(3)]
      ])
      expect(answer._tag === "Found" && answer.object.maxAgeSec).toBe(1)
      const segment = yield* air.shift.segment("aac128", firstMsn)
      expect(segment._tag === "Found" && segment.object.maxAgeSec).toBe(timeShiftSec)
      const stream = attributes(
        /#EXT-X-STREAM-INF:(.*)/.exec(textOf(yield* air.shift.multivariant({ _tag: "Behind", behindSec: 60 })))![1]!
      )
      expect(stream.get("CODECS")).toBe("mp4a.40.2")
    })
  )
})
