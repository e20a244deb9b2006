import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Socket } from "node:net"
import {
  mp3BatchMs,
  mp3BurstMs,
  mp3GroupsCount,
  mp3LateMs,
  mp3SettledAfterMs,
  mp3SettledBatches,
  mp3StallMs,
  mp3WelcomeBytes
} from "../../../engine/rules/air/limits.ts"
import { frameBytes, frameMs, FrameChecker, numberedFrames } from "../../../bench/instruments/sounds/NumberedFrames.ts"
import { Mp3Fanout } from "../../../http/stream/Mp3Fanout.ts"
import { ItemLabel } from "../../../schema/air/Air.ts"

const label = new ItemLabel({ title: "Longwave", artist: null, kind: "other" })

class SocketDouble {
  readonly checker = new FrameChecker()
  readonly writes: Array<number> = []
  readonly buffers = new Set<Buffer>()
  writableLength = 0
  destroyed = false
  broken = false
  write(bytes: Buffer): void {
    if (this.broken) throw new Error("broken on purpose")
    this.writes.push(bytes.length)
    this.buffers.add(bytes)
    this.checker.take(bytes)
  }
  get socket(): Socket {
    return this as unknown as Socket
  }
}

/** A burst of three seconds as the station holds it, in runs of five frames. */
const burstTo = (end: number): ReadonlyArray<Uint8Array> => {
  const first = Math.max(0, end - Math.floor(mp3BurstMs / frameMs))
  return Array.from({ length: Math.ceil((end - first) / 5) }, (_, run) =>
    numberedFrames(first + run * 5, Math.min(5, end - first - run * 5))
  )
}

/** Feeds one frame every frame duration and ticks in time, from 0 to `untilMs`. */
const world = () => {
  const faults: Array<unknown> = []
  const fanout = new Mp3Fanout((fault) => faults.push(fault))
  let nowMs = 0
  let sent = 0
  const lost: Array<Socket> = []
  const push = () => {
    for (; (sent + 1) * frameMs <= nowMs; sent++)
      fanout.push({ _tag: "Frames", bytes: numberedFrames(sent, 1), firstSample: sent })
  }
  return {
    fanout,
    faults,
    lost,
    sent: () => sent,
    now: () => nowMs,
    join: (double: SocketDouble, isEdge = false) =>
      fanout.join(double.socket, "", burstTo(sent), label, false, nowMs, isEdge),
    run: (ms: number, hasSound = true) => {
      for (const untilMs = nowMs + ms; nowMs < untilMs; nowMs += Mp3Fanout.tickMs) {
        if (hasSound) push()
        lost.push(...fanout.tick(nowMs))
      }
    }
  }
}

describe("Mp3Fanout", () => {
  it("holds its sound once for a crowd that joins together, not once for each of it", () => {
    const { fanout, join, run, sent } = world()
    run(2_000)
    const crowd = Array.from({ length: 1_000 }, () => new SocketDouble())
    // The burst is the same while no frame arrives.
    const burst = burstTo(sent())
    for (const { socket } of crowd) fanout.join(socket, "", burst, label, false, 2_000)
    // Sound for everybody comes before a reserve for anybody.
    for (const { writes } of crowd) expect(writes[0]).toBeLessThan(mp3WelcomeBytes + 5 * frameBytes)
    const heardMs = mp3SettledAfterMs + 3_000
    run(heardMs)
    for (const { checker } of crowd) expect([checker.faults, checker.strayBytes]).toEqual([0, 0])
    // Two for the burst, and at every tick one for the group of new listeners and one for the group of settled ones.
    const buffers = new Set(crowd.flatMap(({ buffers }) => [...buffers]))
    expect(buffers.size).toBeLessThanOrEqual(2 + (2 * heardMs) / Mp3Fanout.tickMs)
    const alone = new SocketDouble()
    join(alone)
    for (const { socket } of [...crowd, alone]) fanout.leave(socket)
    const before = crowd.map(({ writes }) => writes.length)
    run(2_000)
    expect(crowd.map(({ writes }) => writes.length)).toEqual(before)
  })

  it("gives every listener every frame once and in order, whoever comes, goes and settles", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 2_000 }), leaves: fc.boolean() }), {
          minLength: 1,
          maxLength: 30
        }),
        (visits) => {
          const { fanout, join, lost, run, sent } = world()
          run(1_000)
          const here: Array<SocketDouble> = []
          for (const { afterMs, leaves } of visits) {
            run(afterMs)
            const gone = leaves ? here.pop() : undefined
            if (gone !== undefined) fanout.leave(gone.socket)
            const double = new SocketDouble()
            join(double)
            here.push(double)
          }
          run(mp3SettledAfterMs + 2_000)
          for (const { checker } of here) {
            expect([checker.faults, checker.strayBytes]).toEqual([0, 0])
            // No listener is further behind than the longest batch.
            expect(sent() - 1 - checker.last).toBeLessThanOrEqual(
              Math.ceil((Mp3Fanout.tickMs * mp3GroupsCount * mp3SettledBatches) / frameMs) + 1
            )
          }
          expect(lost).toEqual([])
        }
      ),
      { numRuns: 60 }
    )
  })

  it("gives listeners who join together the same bytes, and later ones their own", () => {
    const fanout = new Mp3Fanout(() => {})
    const given: Array<Buffer> = []
    const join = (burst: ReadonlyArray<Uint8Array>, head = "head") =>
      fanout.join(
        { write: (bytes: Buffer) => void given.push(bytes) } as unknown as Socket,
        head,
        burst,
        label,
        false,
        0
      )
    const frames = [0, 1, 2].map((at) => numberedFrames(at, 1))
    for (let listener = 0; listener < 5_000; listener++) join(frames.slice(0, 2))
    expect(new Set(given).size).toBe(1)
    join(frames.slice(1))
    join(frames.slice(1), "other head")
    expect(given.slice(-2).map((bytes) => bytes.toString("latin1"))).toEqual(
      ["head", "other head"].map((head) => head + Buffer.concat(frames.slice(1)).toString("latin1"))
    )
  })

  it("writes once to a settled listener and twice to a new one", () => {
    const { join, run } = world()
    run(3_000)
    const double = new SocketDouble()
    join(double)
    const writesIn = (ms: number) => {
      const before = double.writes.length
      run(ms)
      return double.writes.length - before
    }
    // The rest of the burst is one more.
    expect(writesIn(5_000)).toBe(1 + 10)
    run(mp3SettledAfterMs)
    expect(writesIn(10_000)).toBe(10)
  })

  it("sends an edge all of its burst at once, and then each batch as soon as a new listener", () => {
    const { join, run, sent } = world()
    run(4_000)
    const edge = new SocketDouble()
    join(edge, true)
    expect(edge.checker.last).toBe(sent() - 1)
    run(2 * mp3SettledAfterMs)
    for (let tick = 0; tick < mp3GroupsCount * mp3SettledBatches; tick++) {
      run(Mp3Fanout.tickMs)
      expect((sent() - 1 - edge.checker.last) * frameMs).toBeLessThan(mp3BatchMs + frameMs)
    }
  })

  it("sends what comes after a pause to everybody at once", () => {
    const { join, run, sent } = world()
    run(2_000)
    const listeners = Array.from({ length: 50 }, () => new SocketDouble())
    for (const listener of listeners) join(listener)
    run(2 * mp3SettledAfterMs)
    run(mp3LateMs + mp3BatchMs * mp3SettledBatches, false)
    run(2 * Mp3Fanout.tickMs)
    const late = Math.floor((2 * Mp3Fanout.tickMs) / frameMs)
    for (const { checker } of listeners) expect(checker.last).toBeGreaterThanOrEqual(sent() - 1 - late)
    run(mp3SettledAfterMs)
    for (const { checker } of listeners) expect([checker.faults, checker.strayBytes]).toEqual([0, 0])
  })

  it("closes the one connection with a defect, and reports it once", () => {
    const { faults, join, lost, run } = world()
    const [broken, neighbour] = [new SocketDouble(), new SocketDouble()]
    join(broken)
    run(mp3GroupsCount * Mp3Fanout.tickMs)
    // So many that both are in one group.
    for (let other = 1; other < mp3GroupsCount; other++) join(new SocketDouble())
    join(neighbour)
    broken.broken = true
    run(3_000)
    expect([faults.length, lost]).toEqual([1, [broken.socket]])
    expect([neighbour.checker.faults, neighbour.checker.last > 100]).toEqual([0, true])
  })

  it("closes a listener whose socket did not drain in time, and no other", () => {
    const { join, lost, run } = world()
    const [stalled, slow] = [new SocketDouble(), new SocketDouble()]
    join(stalled)
    join(slow)
    stalled.writableLength = slow.writableLength = 100_000
    run(mp3StallMs - 2_000)
    expect(lost).toEqual([])
    slow.writableLength = 0
    run(1_500)
    slow.writableLength = 100_000
    run(3_000)
    expect(lost).toEqual([stalled.socket])
    // The backlog of a listener that doesn't read is bounded by the tolerated time.
    const bytesPerMs = numberedFrames(0, 1).length / frameMs
    expect(stalled.writes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan((mp3StallMs + 3_000) * bytesPerMs)
  })
})
