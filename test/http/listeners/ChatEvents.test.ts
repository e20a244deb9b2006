import { layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { sseHeartbeatSec, sseLifeHours, sseTickSec } from "../../../engine/rules/http/limits.ts"
import type { Sink } from "../../../http/stream/events/EventFanout.ts"
import { EventStreams } from "../../../http/stream/events/EventStream.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { chatAgent, chatListener, followChat, roomKnows, say } from "../../support/listeners/ChatWorld.ts"
import { awaitTrue, eventsIn } from "../../../bench/instruments/clients/EventReader.ts"

/** Random values from a seed, so that a failing run can be repeated. */
const makeChance = (seed: number) => () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648

layer(AgentHttp(), { excludeTestServices: true })("the chat's stream over HTTP", (it) => {
  it.effect("loses and repeats nothing for readers that are cut off anywhere and reconnect", () =>
    Effect.gen(function* () {
      const ada = yield* chatAgent()
      yield* roomKnows(ada.handle)
      const { logs } = yield* EventBus
      const chance = makeChance(20261001)
      const authors = [yield* chatListener(), yield* chatListener()]
      const readers = [undefined, undefined, undefined, ...authors].map((voice) => ({
        voice,
        got: [] as Array<number>,
        last: undefined as string | undefined,
        from: 0,
        connection: null as Effect.Success<ReturnType<typeof followChat>> | null
      }))
      const only: Array<string | null> = []
      const leave = (reader: (typeof readers)[number]) => {
        const { connection } = reader
        if (connection === null) return
        connection.leave()
        for (const { data, event, id } of connection.listEvents()) {
          if (event === "said") reader.got.push(data.n)
          if (id !== undefined) reader.last = id
        }
        reader.connection = null
      }
      const come = Effect.fnUntraced(function* (reader: (typeof readers)[number]) {
        reader.connection = yield* followChat(
          reader.voice,
          reader.last === undefined
            ? {}
            : chance() < 0.5
              ? { lastEventId: reader.last }
              : { query: `?lastEventId=${reader.last}` }
        )
        yield* awaitTrue(() => reader.connection!.text().startsWith("retry: 3000\n\n"))
        if (reader.last !== undefined) return
        yield* awaitTrue(() => reader.connection!.listEvents().length > 0)
        const begun = reader.connection.listEvents()[0]!
        expect(begun.event).toBe("snapshot")
        reader.from = only.length
      })
      for (const reader of readers) yield* come(reader)
      for (let n = 0; n < 400; n++) {
        only.push(chance() < 0.3 ? authors[Math.floor(chance() * 2)]!.author : null)
        logs.chat.append("said", { n }, yield* Clock.currentTimeMillis, only[n])
        if (chance() < 0.2) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        if (chance() > 0.08) continue
        const reader = readers[Math.floor(chance() * readers.length)]!
        yield* reader.connection === null ? come(reader) : Effect.sync(() => leave(reader))
      }
      for (const reader of readers) {
        const due = only.flatMap((author, n) => (author === null || author === reader.voice?.author ? [n] : []))
        if (reader.connection === null) yield* come(reader)
        yield* awaitTrue(
          () =>
            reader.got.length + reader.connection!.listEvents().filter(({ event }) => event === "said").length >=
            due.length
        )
        leave(reader)
        expect(reader.got).toEqual(due)
      }
    })
  )

  it.effect("begins with the snapshot of the read, and reports joins, leaves and messages", () =>
    Effect.gen(function* () {
      const [ada, one] = [yield* chatAgent(), yield* chatListener()]
      yield* say(one, "Good evening.")
      yield* roomKnows(ada.handle)
      const reader = yield* followChat()
      yield* awaitTrue(() => reader.listEvents().length > 0)
      const [first] = reader.listEvents()
      expect([first!.event, first!.id, first!.data.messages[0].body]).toEqual([
        "snapshot",
        expect.stringMatching(/^\d+-\d+$/),
        "Good evening."
      ])
      expect(first!.data.chatAgents.map(({ handle }: { handle: string }) => handle)).toContain(ada.handle)
      const ben = yield* chatAgent()
      yield* awaitTrue(() =>
        reader
          .listEvents()
          .some(
            ({ data, event }) =>
              event === "agents" &&
              data.chatAgents.some(
                ({ availability, handle }: { availability: string; handle: string }) =>
                  handle === ben.handle && availability === "online"
              )
          )
      )
      yield* (yield* EventBus).put("nowPlaying", {
        item: { endsAt: "2999-01-01T00:00:00.000Z" },
        segment: { owner: { handle: ada.handle } }
      } as never)
      yield* awaitTrue(() =>
        reader
          .listEvents()
          .some(
            ({ data, event }) =>
              event === "agents" &&
              data.chatAgents.some(
                ({ activity, addressing, handle }: { activity: string; addressing: object; handle: string }) =>
                  handle === ada.handle &&
                  activity === "speaking" &&
                  JSON.stringify(addressing) === `{"open":false,"gate":"on_air","until":"2999-01-01T00:00:00.000Z"}`
              )
          )
      )
      expect((yield* say(one, `@${ada.handle} hello?`)).body).toMatchObject({
        message: { targetHandle: ada.handle },
        exchange: null
      })
    })
  )
})

layer(EventStreams.layer.pipe(Layer.provideMerge(EventBus.layer)))("event streams over time", (it) => {
  it.effect(
    "send a heartbeat every fifteen seconds and a tick every three during sound, and end after half a day",
    () =>
      Effect.gen(function* () {
        const { join } = yield* EventStreams
        const texts = { chat: "", nowPlaying: "" }
        const closed: Array<string> = []
        for (const stream of ["chat", "nowPlaying"] as const) {
          const sink: Sink = {
            write: ({ plain }) => (texts[stream] += plain.toString()),
            backlogBytes: () => 0,
            end: () => closed.push(stream),
            drop: () => undefined
          }
          join(stream, { sink, viewer: null }, null, yield* Clock.currentTimeMillis)
        }
        yield* TestClock.adjust(`${sseHeartbeatSec} seconds`)
        const told = (stream: keyof typeof texts, name: string) =>
          eventsIn(texts[stream]).filter(({ event }) => event === name)
        expect([
          told("chat", "heartbeat").length,
          told("nowPlaying", "heartbeat").length,
          told("chat", "tick").length
        ]).toEqual([1, 1, 0])
        expect(told("chat", "heartbeat")[0]).toEqual({
          id: undefined,
          event: "heartbeat",
          data: { at: new Date(yield* Clock.currentTimeMillis).toISOString() }
        })
        expect(told("nowPlaying", "tick")).toHaveLength(sseHeartbeatSec / sseTickSec)
        expect(told("nowPlaying", "tick")[0]).toEqual({
          id: undefined,
          event: "tick",
          data: { itemId: null, positionSec: 0, listenerCount: 0 }
        })
        yield* TestClock.adjust(`${sseLifeHours} hours`)
        expect(closed.toSorted()).toEqual(["chat", "nowPlaying"])
      })
  )
})
