import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { hlsSessionSec, hlsSessionsPerAddressMax } from "../../../engine/rules/air/limits.ts"
import { ListenerCount } from "../../../http/stream/ListenerCount.ts"

const caller = (name: string, address = "192.0.2.1") => ({ address, session: name, userAgent: "player" })

describe("Listeners", () => {
  it("gives no address more names than its share, and frees them with time", () => {
    const listeners = new ListenerCount(hlsSessionsPerAddressMax + 3)
    for (let name = 0; name < 10 * hlsSessionsPerAddressMax; name++)
      expect(listeners.recordHls(caller(String(name)), 0)).toBe(true)
    expect(listeners.count(0).hls).toBe(hlsSessionsPerAddressMax + 1)
    expect([
      listeners.recordHls(caller("a", "192.0.2.2"), 0),
      listeners.recordHls(caller("b", "192.0.2.3"), 0),
      listeners.recordHls(caller("c", "192.0.2.4"), 0)
    ]).toEqual([true, true, false])
    expect([
      listeners.hasRoomFor(caller("7"), 0),
      listeners.hasRoomFor(caller("made up"), 0),
      listeners.hasRoomFor(caller("c", "192.0.2.4"), 0)
    ]).toEqual([true, true, false])
    const laterMs = hlsSessionSec * 1_000
    expect(listeners.count(laterMs).hls).toBe(0)
    expect(listeners.recordHls(caller("0"), laterMs)).toBe(true)
    expect(listeners.recordHls(caller("1"), laterMs)).toBe(true)
    expect(listeners.count(laterMs).hls).toBe(2)
  })

  it("counts open sockets and live sessions, never below zero and never above the limit", () => {
    const act = fc.record({
      what: fc.constantFrom("join", "leave", "seen", "later"),
      who: fc.integer({ min: 0, max: 9 }),
      address: fc.integer({ min: 0, max: 2 }),
      sec: fc.integer({ min: 0, max: 20 })
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(act, { maxLength: 200 }), (max, acts) => {
        const listeners = new ListenerCount(max)
        const sockets = Array.from({ length: 10 }, (_, who) => ({ who }))
        const open = new Set<number>()
        const seen = new Map<number, number>()
        let nowMs = 0
        const sessions = () => [...seen.values()].filter((ms) => ms > nowMs - hlsSessionSec * 1_000).length
        for (const { address, sec, what, who } of acts) {
          const isFull = open.size + sessions() >= max
          if (what === "later") nowMs += sec * 1_000
          if (what === "leave") {
            listeners.leaveMp3(sockets[who]!)
            open.delete(who)
          }
          if (what === "join" && listeners.joinMp3(sockets[who]!, `a${address}`, nowMs) === "joined") open.add(who)
          if (what === "seen") {
            const isKnown = (seen.get(who) ?? -Infinity) > nowMs - hlsSessionSec * 1_000
            expect(listeners.recordHls(caller(`s${who}`), nowMs)).toBe(isKnown || !isFull)
            if (isKnown || !isFull) seen.set(who, nowMs)
          }
          expect(listeners.count(nowMs)).toEqual({ hls: sessions(), mp3: open.size, total: sessions() + open.size })
          expect(open.size + sessions()).toBeLessThanOrEqual(max)
          expect(listeners.smooth(nowMs).total).toBeGreaterThanOrEqual(0)
        }
        for (const { who } of sockets) listeners.leaveMp3(sockets[who]!)
        const free = Array.from({ length: max }, () => listeners.joinMp3({}, "a0", nowMs + 60_000))
        expect(free.every((place) => place === "joined")).toBe(true)
      })
    )
  })
})
