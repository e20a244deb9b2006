import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ItemLabel } from "../../schema/Air.ts"
import { blockingTimeoutMs, partFrames, segmentFrames, windowSegments } from "../../engine/Limits.ts"
import type { LiveAnswer } from "../../engine/ports/Live.ts"
import { AirHost } from "../../media/AirHost.ts"
import { beginning } from "../../media/Beginning.ts"
import { Arrivals, makeLive } from "../../media/LiveService.ts"
import { PartPacker, silentFrame } from "../../media/PartPacker.ts"
import { msAt } from "../../media/StationClock.ts"
import { nothingKept } from "../../media/TimeShift.ts"
import { parse } from "../support/HlsValidator.ts"

const firstMsn = 6_834_083

const station = () => {
  const arrivals = new Arrivals()
  const host = new AirHost(beginning(null, { wallMs: () => msAt((firstMsn + 1) * segmentFrames * 1_024), monoMs: () => 0 }), {
    event: () => {}, part: () => arrivals.announce(), cut: () => {}, mp3: () => {}, journal: () => {}
  })
  let next = firstMsn * segmentFrames
  const packers = (["aac128", "aac64"] as const).map((variant) => new PartPacker(variant, next, (part) => host.receive({ _tag: "Part", part })))
  return {
    host,
    live: makeLive(host, arrivals, nothingKept),
    feed: (frames: number) => {
      for (const packer of packers) packer.feed(next, Array.from({ length: frames }, () => silentFrame))
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
  it.effect("holds a blocking request until its part is there, and wakes it with that part", () =>
    Effect.gen(function*() {
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
    }))

  it.effect("holds a request for a playlist until a whole segment is there", () =>
    Effect.gen(function*() {
      const { feed, live } = station()
      const asked = yield* Effect.forkChild(live.playlist("aac64", all))
      yield* Effect.yieldNow
      feed(segmentFrames)
      expect(list(yield* Fiber.join(asked)).segments.length).toBe(1)
    }))

  it.effect("says so when the origin is late", () =>
    Effect.gen(function*() {
      const { feed, live } = station()
      feed(segmentFrames)
      const asked = yield* Effect.forkChild(live.playlist("aac128", { msn: firstMsn + 1, part: null, skip: false }))
      yield* Effect.yieldNow
      yield* TestClock.adjust(blockingTimeoutMs)
      expect((yield* Fiber.join(asked))._tag).toBe("Late")
    }))

  it.effect("refuses what lies further ahead than two target durations, and a part without a segment", () =>
    Effect.gen(function*() {
      const { feed, live } = station()
      feed(segmentFrames)
      const tag = (msn: number | null, part: number | null) => Effect.map(live.playlist("aac128", { msn, part, skip: false }), (answer) => answer._tag)
      expect([yield* tag(firstMsn + 4, null), yield* tag(firstMsn + 3, 0), yield* tag(null, 3)]).toEqual(["Impossible", "Impossible", "Impossible"])
      expect([yield* tag(firstMsn, null), yield* tag(firstMsn - 5, 3)]).toEqual(["Found", "Found"])
    }))

  it.effect("gives parts and segments as long as they may be asked for", () =>
    Effect.gen(function*() {
      const { feed, live } = station()
      feed(segmentFrames * 2 * windowSegments)
      expect(live.segment("aac128", firstMsn)._tag).toBe("Found")
      expect((yield* live.part("aac128", firstMsn + 2, 3))._tag).toBe("Found")
      feed(segmentFrames)
      expect(live.segment("aac128", firstMsn)._tag).toBe("Gone")
      expect(live.segment("aac128", firstMsn + 500)._tag).toBe("Gone")
      expect((yield* live.part("aac128", firstMsn + 500, 0))._tag).toBe("Gone")
      expect((yield* live.part("aac128", firstMsn + 2, 12))._tag).toBe("Gone")
    }))

  it.effect("leaves out what an updating player knows", () =>
    Effect.gen(function*() {
      const { feed, live } = station()
      feed(segmentFrames * windowSegments)
      const delta = list(yield* live.playlist("aac128", { ...all, skip: true }))
      expect(delta.skipped).toBe(windowSegments - 6)
      expect(delta.segments[0]!.msn).toBe(firstMsn + delta.skipped)
    }))

  it("bursts the last seconds of MP3 and changes the label where the item begins", () => {
    const { host, live } = station()
    const start = host.mp3.nextFrame
    const label = (title: string) => new ItemLabel({ title, artist: null, kind: "music" })
    const run = (at: number) => host.receive({ _tag: "Mp3", firstFrame: start + at * 4, frames: 4, bytes: new Uint8Array(4 * 384).fill(at) })
    host.mp3.label((start + 42) * 1_152 + 5, label("second"))
    for (let at = 0; at < 10; at++) run(at)
    const heard: Array<string | number> = []
    const { burst, close, label: now } = live.mp3(500, (chunk) => heard.push(chunk._tag === "Label" ? chunk.label.title : chunk.bytes[0]!))
    expect([now.title, burst.map((bytes) => bytes[0])]).toEqual(["Longwave", [5, 6, 7, 8, 9]])
    run(10)
    run(11)
    run(9)
    close()
    run(12)
    expect(heard).toEqual(["second", 10, 11])
  })
})
