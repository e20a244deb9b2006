import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { connect } from "node:net"
import { hlsSessionSec, listenerSmoothingSec } from "../../../engine/rules/air/limits.ts"
import { client, awaitTrue, get, serve } from "../../support/http/ListenServer.ts"

interface Player {
  readonly address: string
  readonly session: string | null
  readonly userAgent: string
}

const addressOf = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
/** Three thousand single listeners, and four hundred homes with three players each, distinguished by their user agents. */
const players: ReadonlyArray<Player> = [
  ...Array.from({ length: 3_000 }, (_, n) => ({
    address: addressOf(n),
    session: n % 2 === 0 ? `s${n}` : null,
    userAgent: "player"
  })),
  ...Array.from({ length: 1_200 }, (_, n) => ({
    address: addressOf(10_000 + Math.floor(n / 3)),
    session: n % 2 === 0 ? null : `h${n}`,
    userAgent: `player ${n % 3}`
  }))
]
const radios = Array.from({ length: 800 }, (_, n) => addressOf(20_000 + n))

/** A proxy: a few connections that carry all requests, each with its client's address. */
const through = (port: number, asking: ReadonlyArray<Player>, connections = 16) =>
  Effect.promise(() =>
    Promise.all(
      Array.from(
        { length: connections },
        (_, at) =>
          new Promise<void>((resolve, reject) => {
            const mine = asking.filter((_, n) => n % connections === at)
            if (mine.length === 0) return resolve()
            const socket = connect(port, "127.0.0.1")
            let answers = 0
            socket.on("error", reject)
            socket.on("data", (bytes) => {
              answers += bytes.toString("latin1").split("HTTP/1.1 200").length - 1
              if (answers < mine.length) return
              socket.destroy()
              resolve()
            })
            socket.write(
              mine
                .map(({ address, session, userAgent }) =>
                  get(
                    `/live/aac128/s1.m4s${session === null ? "" : `?session=${session}`}`,
                    `x-forwarded-for: ${address}`,
                    `user-agent: ${userAgent}`
                  )
                )
                .join("")
            )
          })
      )
    )
  )

it.effect(
  "counts five thousand listeners behind one proxy, as they come, stay and go, and nobody twice",
  () =>
    Effect.gen(function* () {
      const { listeners, port } = yield* serve({ TRUSTED_PROXIES: "127.0.0.0/8", LISTENERS_MAX: "20000" })
      const clock = yield* Clock.Clock
      const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
      const isNear = (wanted: number) => {
        const { hls, mp3, total } = listeners.count(nowMs())
        expect([hls >= 0, mp3 >= 0, total === hls + mp3]).toEqual([true, true, true])
        expect([wanted, total, Math.abs(total - wanted) <= wanted * 0.02]).toEqual([wanted, total, true])
      }
      const open = yield* Effect.forEach(
        radios,
        (address) => client(port, get("/live.mp3", `x-forwarded-for: ${address}`)),
        { concurrency: 100 }
      )
      yield* Effect.forEach(open, ({ head }) => head, { concurrency: "unbounded" })
      yield* through(port, players)
      isNear(5_000)
      // They continue, each fetching sound every few seconds, and count as the same listeners.
      yield* TestClock.adjust("10 seconds")
      yield* through(port, players)
      isNear(5_000)
      // A thousand leave: HLS players stop requesting, MP3 players close their connections.
      for (const { socket } of open.slice(0, 200)) socket.destroy()
      yield* awaitTrue(() => listeners.count(nowMs()).mp3 === 600)
      for (let half = 0; half < 2; half++) {
        yield* TestClock.adjust(hlsSessionSec * 500)
        yield* through(port, players.slice(800))
      }
      isNear(4_000)
      // The displayed count has followed by then.
      listeners.smooth(nowMs())
      yield* TestClock.adjust(listenerSmoothingSec * 999)
      expect(Math.abs(listeners.smooth(nowMs()).total - 4_000)).toBeLessThanOrEqual(4_000 * 0.05)
      for (const { socket } of open) socket.destroy()
      yield* awaitTrue(() => listeners.count(nowMs()).mp3 === 0)
      yield* TestClock.adjust(`${hlsSessionSec} seconds`)
      isNear(0)
    }).pipe(Effect.scoped),
  300_000
)

it.effect("ignores an address that an untrusted client sends", () =>
  Effect.gen(function* () {
    const { listeners, port } = yield* serve({ TRUSTED_PROXIES: "192.0.2.0/24" })
    yield* through(
      port,
      players.slice(0, 100).map(({ address }) => ({ address, session: null, userAgent: "player" }))
    )
    expect(listeners.count(0).hls).toBe(1)
  }).pipe(Effect.scoped)
)
