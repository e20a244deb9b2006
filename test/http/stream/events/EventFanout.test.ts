import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../../../actors/runtime/EventLog.ts"
import { sseBacklogMaxBytes, sseLifeHours } from "../../../../engine/rules/http/limits.ts"
import { EventFanout, type Piece, type Sink } from "../../../../http/stream/events/EventFanout.ts"
import { eventsIn } from "../../../../bench/instruments/clients/EventReader.ts"

const bounds = { max: 1_000, maxAgeMs: 3_600_000 }

/** A connection that keeps its input. `stuck` never drains. */
const makeSink = (over: { readonly stuck?: boolean } = {}) => {
  let text = ""
  let bytes = 0
  let closed: "end" | "drop" | null = null
  const pieces: Array<Piece> = []
  const sink: Sink = {
    write: (piece) => {
      pieces.push(piece)
      text += piece.plain.toString()
      if (over.stuck === true) bytes += piece.plain.length
    },
    backlogBytes: () => bytes,
    end: () => (closed = "end"),
    drop: () => (closed = "drop")
  }
  return { sink, pieces, told: () => eventsIn(text), text: () => text, closed: () => closed, drain: () => (bytes = 0) }
}

const makeStream = (over: Partial<typeof bounds> = {}) => {
  const log = new EventLog(7, { ...bounds, ...over })
  let waiting = false
  const snapshot = { name: "snapshot", data: { messages: [] } }
  const fanout = new EventFanout(
    log,
    () => snapshot,
    () => (waiting = true)
  )
  const settle = () => {
    while (fanout.slice()) continue
    waiting = false
  }
  return { log, fanout, settle, isWaiting: () => waiting }
}

type Act =
  | { readonly _tag: "append"; readonly only: string | null }
  | { readonly _tag: "beat" | "slice" | "settle" }
  | { readonly _tag: "come" | "go"; readonly who: number }

const acts: fc.Arbitrary<ReadonlyArray<Act>> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        _tag: fc.constant("append" as const),
        only: fc.constantFrom(null, null, null, "ada", "ben")
      })
    },
    {
      weight: 3,
      arbitrary: fc.record({ _tag: fc.constantFrom("beat" as const, "slice" as const, "settle" as const) })
    },
    {
      weight: 4,
      arbitrary: fc.record({
        _tag: fc.constantFrom("come" as const, "go" as const),
        who: fc.integer({ min: 0, max: 4 })
      })
    }
  ),
  { maxLength: 200 }
)

const viewers = [null, null, "ada", "ben", "ada"]

describe("an event stream to many readers", () => {
  it("gives each reader all its permitted events, once and in order, however often it reconnects", () =>
    fc.assert(
      fc.property(acts, (happened) => {
        const { fanout, log, settle } = makeStream()
        const all: Array<{ readonly id: string; readonly only: string | null }> = []
        const readers = viewers.map((viewer) => ({
          viewer,
          connection: null as ReturnType<typeof makeSink> | null,
          leave: () => {},
          from: null as number | null,
          got: [] as Array<string>,
          last: null as string | null
        }))
        const leave = (reader: (typeof readers)[number]) => {
          if (reader.connection === null) return
          reader.leave()
          for (const { event, id } of reader.connection.told()) {
            if (event === "said") reader.got.push(id!)
            if (id !== undefined) reader.last = id
          }
          reader.connection = null
        }
        for (const act of happened) {
          switch (act._tag) {
            case "append": {
              const { id, only } = log.append("said", { n: all.length }, 0, act.only)
              all.push({ id, only })
              break
            }
            case "beat":
              fanout.beat("heartbeat", {})
              break
            case "slice":
              fanout.slice()
              break
            case "settle":
              settle()
              break
            case "come": {
              const reader = readers[act.who]!
              if (reader.connection !== null) break
              reader.from ??= all.length
              reader.connection = makeSink()
              reader.leave = fanout.join({ sink: reader.connection.sink, viewer: reader.viewer }, reader.last, 0)
              break
            }
            case "go":
              leave(readers[act.who]!)
          }
        }
        settle()
        for (const reader of readers) {
          leave(reader)
          const due =
            reader.from === null
              ? []
              : all
                  .slice(reader.from)
                  .filter(({ only }) => only === null || only === reader.viewer)
                  .map(({ id }) => id)
          // A reader that is behind at the end has the beginning of it.
          expect(reader.got).toEqual(due.slice(0, reader.got.length))
          expect(reader.got.length === due.length || reader.leave !== null).toBe(true)
          const back = makeSink()
          fanout.join({ sink: back.sink, viewer: reader.viewer }, reader.last, 0)
          if (reader.from !== null)
            expect([
              ...reader.got,
              ...back
                .told()
                .filter(({ event }) => event === "said")
                .map(({ id }) => id)
            ]).toEqual(due)
        }
      }),
      { numRuns: 150 }
    ))

  it("begins anew if missed events are unknown: another epoch, no id, too many events, too long ago", () => {
    const { fanout, log } = makeStream({ max: 3 })
    for (let n = 0; n < 5; n++) log.append("said", { n }, 0)
    const begun = (id: string | null, nowMs = 0) => {
      const { sink, told } = makeSink()
      fanout.join({ sink, viewer: null }, id, nowMs)
      return told().map(({ event, id }) => `${event} ${id}`)
    }
    expect(begun("7-2")).toEqual(["said 7-3", "said 7-4", "said 7-5"])
    expect(begun("7-5")).toEqual([])
    for (const id of [null, "7-1", "7-6", "6-5", "nonsense", "7-", ""])
      expect([id, begun(id)]).toEqual([id, ["snapshot 7-5"]])
    expect(begun("7-2", bounds.maxAgeMs)).toEqual(["snapshot 7-5"])
    expect(begun("7-2", bounds.maxAgeMs - 1)).toHaveLength(3)
  })

  it("writes common events as the same bytes to all, also in chunks, and batches simultaneous ones", () => {
    const { fanout, log, settle } = makeStream()
    const sinks = Array.from({ length: 300 }, () => makeSink())
    for (const { sink } of sinks) fanout.join({ sink, viewer: null }, null, 0)
    // Readers that joined at the same moment began with the same snapshot.
    expect(new Set(sinks.map(({ pieces }) => pieces[1])).size).toBe(1)
    log.append("said", { n: 1 }, 0)
    log.append("said", { n: 2 }, 0)
    expect(fanout.slice()).toBe(true)
    // Events that arrive meanwhile wait for the next round.
    log.append("said", { n: 3 }, 0)
    settle()
    const last = sinks.map(({ pieces }) => pieces.slice(2))
    expect(last.every((pieces) => pieces.length === 2 && pieces[0] === last[0]![0] && pieces[1] === last[0]![1])).toBe(
      true
    )
    expect(eventsIn(last[0]![0]!.plain.toString())).toHaveLength(2)
    const { chunked, plain } = last[0]![0]!
    expect(chunked.toString()).toBe(`${plain.length.toString(16)}\r\n${plain.toString()}\r\n`)
    expect(fanout.slice()).toBe(false)
  })

  it("closes readers that fall behind, but not for their backlog, and all after half a day", () => {
    const { fanout, log, settle } = makeStream()
    for (let n = 0; n < 10; n++) log.append("said", { text: "x".repeat(sseBacklogMaxBytes / 4) }, 0)
    const [behind, back, old] = [makeSink({ stuck: true }), makeSink({ stuck: true }), makeSink()]
    fanout.join({ sink: behind.sink, viewer: null }, "7-10", 0)
    fanout.join({ sink: back.sink, viewer: null }, "7-0", 0)
    fanout.join({ sink: old.sink, viewer: null }, "7-10", 0)
    for (let n = 0; n < 5; n++) {
      log.append("said", { text: "x".repeat(sseBacklogMaxBytes / 5) }, 0)
      settle()
      if (n === 3) back.drain()
    }
    expect([behind.closed(), back.closed(), old.closed(), fanout.size]).toEqual(["drop", null, null, 2])
    for (let n = 0; n < 5; n++) {
      log.append("said", { text: "x".repeat(sseBacklogMaxBytes / 5) }, 0)
      settle()
    }
    expect([back.closed(), fanout.size]).toEqual(["drop", 1])
    fanout.expire(sseLifeHours * 3_600_000 - 1)
    expect(old.closed()).toBe(null)
    fanout.expire(sseLifeHours * 3_600_000)
    expect([old.closed(), fanout.size]).toEqual(["end", 0])
    const next = makeSink()
    fanout.join({ sink: next.sink, viewer: null }, null, 0)
    fanout.close()
    expect([next.closed(), fanout.size]).toEqual(["end", 0])
    log.append("said", {}, 0)
    expect(next.told().map(({ event }) => event)).toEqual(["snapshot"])
  })
})
