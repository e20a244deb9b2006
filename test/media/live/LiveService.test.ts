import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { AirItem, AirPlan, AirPlanApplied, ItemLabel, StagedSound } from "../../../schema/air/Air.ts"
import { fenceIn } from "../../../schema/air/Fence.ts"
import { WordTiming } from "../../../schema/Sound.ts"
import { blockingTimeoutMs, partFrames, segmentFrames, windowSegments } from "../../../engine/rules/air/limits.ts"
import type { LiveAnswer } from "../../../engine/ports/Live.ts"
import { AirHost } from "../../../media/chain/AirHost.ts"
import { broadcastStart } from "../../../media/live/BroadcastStart.ts"
import { Arrivals, makeLive } from "../../../media/live/LiveService.ts"
import { PartPacker, silentFrame } from "../../../media/encode/PartPacker.ts"
import { msAt } from "../../../media/clock/StationClock.ts"
import { nothingKept } from "../../../media/live/TimeShift.ts"
import { captions, parse, violations } from "../../support/media/HlsValidator.ts"

const firstMsn = 6_834_083

const station = () => {
  const arrivals = new Arrivals()
  const host = new AirHost(
    broadcastStart(null, { wallMs: () => msAt((firstMsn + 1) * segmentFrames * 1_024), monoMs: () => 0 }),
    "Longwave",
    {
      event: () => {},
      part: () => arrivals.announce(),
      onCut: () => {},
      onMp3: () => {},
      onJournal: () => {}
    }
  )
  let next = firstMsn * segmentFrames
  const packers = (["aac128", "aac64"] as const).map(
    (variant) => new PartPacker(variant, next, (part) => host.receive({ _tag: "Part", part }))
  )
  return {
    host,
    live: makeLive(host, arrivals, nothingKept),
    feed: (frames: number) => {
      for (const packer of packers)
        packer.feed(
          next,
          Array.from({ length: frames }, () => silentFrame)
        )
      next += frames
    }
  }
}

const all = { msn: null, part: null, skip: false }
const list = (answer: LiveAnswer) => {
  if (answer._tag !== "Found") throw new Error(answer._tag)
  return parse(new TextDecoder().decode(answer.object.body))
}

describe("Live", () => {
  it.effect("holds a blocking request until its part exists, and answers with that part", () =>
    Effect.gen(function* () {
      const { feed, live } = station()
      feed(segmentFrames)
      const asked = yield* Effect.forkChild(live.playlist("aac128", { msn: firstMsn + 1, part: 1, skip: false }))
      const hinted = yield* Effect.forkChild(live.part("aac128", firstMsn + 1, 0))
      yield* Effect.yieldNow
      feed(partFrames)
      yield* Effect.yieldNow
      expect((yield* Fiber.join(hinted))._tag).toBe("Found")
      feed(partFrames)
      expect(list(yield* Fiber.join(asked)).hint).toBe(`p${firstMsn + 1}.2.m4s`)
    })
  )

  it.effect("holds a request for a playlist until a whole segment exists", () =>
    Effect.gen(function* () {
      const { feed, live } = station()
      const asked = yield* Effect.forkChild(live.playlist("aac64", all))
      yield* Effect.yieldNow
      feed(segmentFrames)
      expect(list(yield* Fiber.join(asked)).segments.length).toBe(1)
    })
  )

  it.effect("reports a late origin", () =>
    Effect.gen(function* () {
      const { feed, live } = station()
      feed(segmentFrames)
      const asked = yield* Effect.forkChild(live.playlist("aac128", { msn: firstMsn + 1, part: null, skip: false }))
      yield* Effect.yieldNow
      yield* TestClock.adjust(blockingTimeoutMs)
      expect((yield* Fiber.join(asked))._tag).toBe("Late")
    })
  )

  it.effect("refuses requests further ahead than two target durations, and a part without a segment", () =>
    Effect.gen(function* () {
      const { feed, live } = station()
      feed(segmentFrames)
      const tag = (msn: number | null, part: number | null) =>
        Effect.map(live.playlist("aac128", { msn, part, skip: false }), (answer) =>
          answer._tag === "Impossible" ? answer.parameter : answer._tag
        )
      expect([yield* tag(firstMsn + 4, null), yield* tag(firstMsn + 3, 0), yield* tag(null, 3)]).toEqual([
        "_HLS_msn",
        "_HLS_msn",
        "_HLS_part"
      ])
      expect([yield* tag(firstMsn, null), yield* tag(firstMsn - 5, 3)]).toEqual(["Found", "Found"])
    })
  )

  it.effect("serves parts and segments as long as they may be requested", () =>
    Effect.gen(function* () {
      const { feed, live } = station()
      feed(segmentFrames * 2 * windowSegments)
      expect((yield* live.segment("aac128", firstMsn))._tag).toBe("Found")
      expect((yield* live.part("aac128", firstMsn + 2, 3))._tag).toBe("Found")
      feed(segmentFrames)
      expect((yield* live.segment("aac128", firstMsn))._tag).toBe("Gone")
      expect((yield* live.segment("aac128", firstMsn + 500))._tag).toBe("Gone")
      expect((yield* live.part("aac128", firstMsn + 500, 0))._tag).toBe("Gone")
      expect((yield* live.part("aac128", firstMsn + 2, 12))._tag).toBe("Gone")
    })
  )

  it.effect(
    "shows the fencing token of the plan on the air, as a comment and beside the playlist, from the next request on",
    () =>
      Effect.gen(function* () {
        const { feed, host, live } = station()
        feed(segmentFrames * 2)
        const shown = () =>
          Effect.map(live.playlist("aac128", all), (answer) => {
            if (answer._tag !== "Found") throw new Error(answer._tag)
            const text = new TextDecoder().decode(answer.object.body)
            return [live.fence(), answer.object.fence, fenceIn(text), text.split("\n")[0]]
          })
        expect(yield* shown()).toEqual([null, null, null, "#EXTM3U"])
        for (const fence of [7, 12]) {
          host.setPlan(
            new AirPlan({ fence, revision: 1, entry: "boundary", items: [] }),
            new AirPlanApplied({ revision: 1, shiftSamples: 0, renderedTo: 0 })
          )
          expect(yield* shown()).toEqual([fence, fence, fence, "#EXTM3U"])
        }
        expect(live.multivariant().fence).toBe(12)
        expect(list(yield* live.playlist("aac128", all)).segments.length).toBe(2)
      })
  )

  it.effect("leaves out what an updating player already has", () =>
    Effect.gen(function* () {
      const { feed, live } = station()
      feed(segmentFrames * windowSegments)
      const delta = list(yield* live.playlist("aac128", { ...all, skip: true }))
      expect(delta.skipped).toBe(windowSegments - 6)
      expect(delta.segments[0]!.msn).toBe(firstMsn + delta.skipped)
    })
  )

  it.effect("serves the spoken words as WebVTT together with the sound, and lists it beside the variants", () =>
    Effect.gen(function* () {
      const { feed, host, live } = station()
      const atSample = firstMsn * segmentFrames * 1_024 + 48_000
      const sound = new StagedSound({
        assetId: "mas_00000000000000000000000001",
        path: "",
        lengthSamples: 480_000,
        pcmSha256: "",
        cue: { cueIn: 0, introEnd: 0, segue: 480_000, cueOut: 480_000 },
        envelope: new Uint8Array(),
        gainDb: 0
      })
      const [itemId, label] = [
        "itm_00000000000000000000000001",
        new ItemLabel({ title: "News", artist: null, kind: "segment" })
      ] as const
      host.captions.expect([
        new AirItem({
          itemId,
          label,
          sound,
          startSample: atSample,
          speech: true,
          bed: null,
          trace: [],
          words: ["Good", "evening."].map(
            (text, at) => new WordTiming({ text, startMs: 500 * at, endMs: 500 * at + 400 })
          )
        })
      ])
      host.receive({
        _tag: "Event",
        event: { _tag: "Started", itemId, label: { ...label }, atSample, endSample: atSample + 480_000 }
      })
      feed(segmentFrames)
      const body = (answer: LiveAnswer) =>
        answer._tag === "Found"
          ? [answer.object.contentType, new TextDecoder().decode(answer.object.body)]
          : [answer._tag]
      expect(body(yield* live.segment("words", firstMsn))).toEqual([
        "text/vtt",
        expect.stringContaining("00:01:01.000 --> 00:01:02.400\nGood evening.") as unknown
      ])
      expect(body(yield* live.part("words", firstMsn, 3))[1]).toContain("Good evening.")
      expect(body(yield* live.part("words", firstMsn, 0))[1]).not.toContain("Good")
      expect((yield* live.segment("words", firstMsn + 1))._tag).toBe("Gone")
      const words = list(yield* live.playlist("words", all))
      expect(violations(words, captions)).toEqual([])
      expect(words.reports.map((report) => report.get("URI"))).toEqual(["../aac128/index.m3u8", "../aac64/index.m3u8"])
      expect(list(yield* live.playlist("aac64", all)).reports.map((report) => report.get("URI"))).toEqual([
        "../aac128/index.m3u8",
        "../words/index.m3u8"
      ])
      const multivariant = new TextDecoder().decode(live.multivariant().body)
      expect(
        multivariant.match(/^#EXT-X-MEDIA:TYPE=SUBTITLES.*GROUP-ID="words".*URI="words\/index\.m3u8"$/m)
      ).not.toBeNull()
      expect(multivariant.match(/^#EXT-X-STREAM-INF:.*SUBTITLES="words"$/gm)?.length).toBe(2)
    })
  )

  it("begins MP3 with a burst of the last seconds and changes the label where the item begins", () => {
    const { host, live } = station()
    const start = host.mp3.nextFrame
    const label = (title: string) => new ItemLabel({ title, artist: null, kind: "music" })
    const run = (at: number) =>
      host.receive({ _tag: "Mp3", firstFrame: start + at * 4, frames: 4, bytes: new Uint8Array(4 * 384).fill(at) })
    host.mp3.label((start + 42) * 1_152 + 5, label("second"))
    for (let at = 0; at < 10; at++) run(at)
    const heard: Array<string | number> = []
    const {
      burst,
      close,
      label: now
    } = live.mp3(500, (chunk) => heard.push(chunk._tag === "Label" ? chunk.label.title : chunk.bytes[0]!))
    expect([now.title, burst.map((bytes) => bytes[0])]).toEqual(["Longwave", [5, 6, 7, 8, 9]])
    run(10)
    run(11)
    run(9)
    close()
    run(12)
    expect(heard).toEqual(["second", 10, 11])
  })
})
