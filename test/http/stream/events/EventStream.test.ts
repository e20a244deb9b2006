import { layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { connect, type Socket } from "node:net"
import { expect } from "vitest"
import { EventBus } from "../../../../actors/runtime/EventBus.ts"
import { sseBacklogMaxBytes, ssePerAddressMax } from "../../../../engine/rules/http/limits.ts"
import type { NowPlaying } from "../../../../schema/air/Station.ts"
import { AgentHttp } from "../../../support/http/AgentHttp.ts"
import {
  awaitTrue as until,
  follow,
  portOf,
  type ToldEvent
} from "../../../../bench/instruments/clients/EventReader.ts"
import { playingSample } from "../../../../bench/instruments/data/NowPlayingSample.ts"
import { call } from "../../../support/http/SegmentHttp.ts"
import { from, newAddress } from "../../../support/listeners/Listeners.ts"

const listen = (over: { readonly lastEventId?: string; readonly query?: string } = {}) =>
  follow(
    `/api/now-playing?format=sse${over.query ?? ""}`,
    over.lastEventId === undefined ? {} : { "last-event-id": over.lastEventId }
  )
const on = (id: string): NowPlaying => playingSample({ id, title: `Song ${id}`, startMs: 0, lengthMs: 200_000 })
const heard = (reader: { readonly listEvents: () => ReadonlyArray<ToldEvent> }): ReadonlyArray<string> =>
  reader
    .listEvents()
    .filter(({ event }) => event === "now-playing")
    .map(({ data }) => data.item.id)
const change = Effect.fnUntraced(function* (id: string) {
  const bus = yield* EventBus
  yield* bus.put("nowPlaying", on(id))
  return yield* bus.publish({ _tag: "NowPlayingChanged", nowPlaying: on(id) })
})
const World = AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32" })
layer(World, { excludeTestServices: true })("the event stream of now-playing", (it) => {
  it.effect("begins with a snapshot, and reports every change once", () =>
    Effect.gen(function* () {
      expect((yield* call("GET", "/api/now-playing?format=sse")).body.code).toBe("NOW_PLAYING_UNAVAILABLE")
      yield* change("a")
      const reader = yield* listen()
      expect([
        reader.status,
        reader.headers["content-type"],
        reader.headers["cache-control"],
        reader.headers["x-accel-buffering"]
      ]).toEqual([200, "text/event-stream", "no-store", "no"])
      yield* until(() => heard(reader).length === 1)
      expect(reader.text().startsWith("retry: 3000\n\n")).toBe(true)
      for (const id of ["b", "c"]) yield* change(id)
      yield* until(() => heard(reader).length === 3)
      expect(heard(reader)).toEqual(["a", "b", "c"])
      const ids = reader.listEvents().flatMap(({ event, id }) => (event === "now-playing" ? [id!] : []))
      expect(ids.every((id) => /^\d+-\d+$/.test(id))).toBe(true)
      expect(ids.map((id) => Number(id.split("-")[1]))).toEqual(
        ids.map((id) => Number(id.split("-")[1])).sort((x, y) => x - y)
      )
      yield* until(() => reader.listEvents().some(({ event }) => event === "tick"))
    })
  )

  it.effect("resumes by header or by address, and begins anew if the position is unknown", () =>
    Effect.gen(function* () {
      yield* change("d")
      const first = yield* listen()
      yield* until(() => heard(first).length === 1)
      const lastEventId = first.listEvents().find(({ id }) => id !== undefined)!.id!
      first.leave()
      for (const id of ["e", "f"]) yield* change(id)
      for (const ask of [{ lastEventId }, { query: `&lastEventId=${lastEventId}` }]) {
        const back = yield* listen(ask)
        yield* until(() => heard(back).length >= 2)
        yield* change("g")
        yield* until(() => heard(back).length >= 3)
        expect(heard(back)).toEqual(["e", "f", "g"].slice(0, heard(back).length))
        yield* (yield* EventBus).publish({ _tag: "HouseProgress", done: 1, total: 2, what: "x" })
        back.leave()
      }
      for (const unknown of ["1-1", "nonsense", `${lastEventId.split("-")[0]}-999999`]) {
        const anew = yield* listen({ lastEventId: unknown })
        yield* until(() => heard(anew).length === 1)
        expect(heard(anew)).toEqual(["g"])
        anew.leave()
      }
    })
  )

  it.effect("loses nothing that happens while a stream begins", () =>
    Effect.gen(function* () {
      yield* change("h0")
      const readers = yield* Effect.all(
        [
          Effect.forEach(Array.from({ length: 20 }), () => listen(), { concurrency: "unbounded" }),
          Effect.forEach(
            Array.from({ length: 200 }, (_, n) => `h${n + 1}`),
            (id) =>
              Effect.andThen(
                Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
                change(id)
              ),
            { discard: true }
          )
        ],
        { concurrency: 2 }
      )
      for (const reader of readers[0]) {
        yield* until(() => heard(reader).at(-1) === "h200")
        const numbers = heard(reader).map((id) => Number(id.slice(1)))
        // From any position: each event once, without omissions.
        expect(numbers).toEqual(Array.from({ length: 201 - numbers[0]! }, (_, n) => numbers[0]! + n))
        reader.leave()
      }
    })
  )

  it.effect("allows fifty for an address, refuses the next and accepts it when one has left", () =>
    Effect.gen(function* () {
      yield* change("i")
      // A separate address: the station may not have noticed yet that earlier readers left.
      const headers = from(newAddress())
      const join = follow("/api/now-playing?format=sse", headers)
      const readers = yield* Effect.forEach(Array.from({ length: ssePerAddressMax }), () => join, { concurrency: 10 })
      expect(readers.every(({ status }) => status === 200)).toBe(true)
      const refused = yield* call("GET", "/api/now-playing?format=sse", { headers })
      expect([refused.status, refused.body.code, Number(refused.headers.get("retry-after")) > 0]).toEqual([
        503,
        "BUSY",
        true
      ])
      expect((yield* call("HEAD", "/api/now-playing?format=sse", { headers })).status).toBe(200)
      expect((yield* call("GET", "/api/now-playing", { headers })).status).toBe(200)
      readers[0]!.leave()
      const next = yield* join.pipe(
        Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: ({ status }) => status === 200 })
      )
      expect(next.status).toBe(200)
    })
  )

  it.effect("closes unread streams, and buffers at most a quarter of a megabyte for them", () =>
    Effect.gen(function* () {
      yield* change("j")
      const port = yield* portOf
      const stuck = yield* Effect.promise(
        () =>
          new Promise<Socket>((resolve) => {
            const socket = connect(port, "127.0.0.1", () => {
              socket.write("GET /api/now-playing?format=sse HTTP/1.1\r\nhost: x\r\n\r\n")
              socket.once("data", () => {
                socket.pause()
                resolve(socket)
              })
            })
          })
      )
      const nowPlaying = { ...on("long"), displayText: "x".repeat(60_000) }
      const bus = yield* EventBus
      // The kernel buffers some megabytes first.
      for (let sent = 0; sent < 12_000_000 + 4 * sseBacklogMaxBytes; sent += 60_000) {
        yield* bus.publish({ _tag: "NowPlayingChanged", nowPlaying })
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      yield* bus.publish({ _tag: "NowPlayingChanged", nowPlaying: on("after") })
      let text = ""
      let ended = false
      stuck
        .on("data", (bytes) => (text += bytes.toString()))
        .on("close", () => (ended = true))
        .on("end", () => (ended = true))
        .resume()
      yield* until(() => text.endsWith("0\r\n\r\n") || ended)
      expect(text).not.toContain("Song after")
      stuck.destroy()
    })
  )
})
