import { Result } from "effect"
import { array, assert, constantFrom, integer, property } from "fast-check"
import { describe, expect, it } from "vitest"
import {
  addressedBy,
  addressingOf,
  chatAgentOf,
  type ChatStanding,
  isRepeatable,
  leadingHandle,
  paces,
  spendMessage
} from "../../../../engine/rules/listeners/Chat.ts"
import {
  type ExchangeMove,
  isOpen,
  applyMove,
  movesFrom,
  openStates
} from "../../../../engine/rules/listeners/ChatExchange.ts"
import type { ExchangeState } from "../../../../schema/listeners/Chat.ts"

const nowMs = Date.parse("2026-10-01T20:00:00Z")
const unused = { emptyAtMs: 0, seconds: { day: 0, sum: 0 } }

describe("the addressee of a message", () => {
  it.each<readonly [string, string | null]>([
    ["@ada, are you there?", "ada"],
    ["  @ADA what is it", "ada"],
    ["@ada", "ada"],
    ["@night-owl_7: hello", "night-owl_7"],
    ["@ada's song", "ada"],
    ["@ada- well", "ada"],
    ["@ada\nhello", "ada"],
    ["hello @ada", null],
    ["@ ada", null],
    ["@", null],
    ["@ab hi", null],
    ["ada", null],
    ["@é", null],
    [`@${"x".repeat(31)}`, null],
    ["@@ada", null]
  ])("%j begins with %s", (body, handle) => expect(leadingHandle(body)).toBe(handle))

  it("is the agent named in text or field, else the author replied to", () => {
    const by = (body: string, targetHandle: string | null, repliedHandle: string | null) =>
      Result.getOrElse(addressedBy({ body, targetHandle, repliedHandle }), ({ pointer }) => pointer)
    expect(by("Hello.", null, null)).toBe(null)
    expect(by("@ada hello", null, null)).toBe("ada")
    expect(by("Hello.", "@Ada", null)).toBe("ada")
    expect(by("@ada hello", "ADA", "ben")).toBe("ada")
    expect(by("Hello.", null, "ben")).toBe("ben")
    expect(by("@ada hello", null, "ben")).toBe("ada")
    expect(by("@ada hello", "ben", null)).toBe("/targetHandle")
  })
})

const states: ReadonlyArray<ExchangeState> = [...openStates, "answered", "declined", "timed_out", "moderated"]
const moves: ReadonlyArray<ExchangeMove> = ["read", "busy", "answer", "decline", "expire", "moderate"]

describe("the states of a question", () => {
  it("follow one table", () => {
    const table = Object.fromEntries(states.map((state) => [state, moves.map((move) => applyMove(state, move))]))
    expect(table).toEqual({
      queued: ["seen", "thinking", "answered", "declined", "timed_out", "moderated"],
      seen: [null, "thinking", "answered", "declined", "timed_out", "moderated"],
      thinking: [null, null, "answered", "declined", "timed_out", "moderated"],
      answered: [null, null, null, null, null, null],
      declined: [null, null, null, null, null, null],
      timed_out: [null, null, null, null, null, null],
      moderated: [null, null, null, null, null, null]
    })
    expect(movesFrom("read")).toEqual(["queued"])
    expect(movesFrom("expire")).toEqual(["queued", "seen", "thinking"])
  })

  it("end once, in any order of events, and never go back", () =>
    assert(
      property(array(constantFrom(...moves), { maxLength: 40 }), (happened) => {
        let state: ExchangeState = "queued"
        let completed = 0
        let place = 0
        for (const move of happened) {
          const next = applyMove(state, move)
          if (next === null) continue
          expect(movesFrom(move)).toContain(state)
          if (!isOpen(next)) completed += 1
          else expect(openStates.indexOf(next)).toBeGreaterThan(place)
          place = openStates.indexOf(next)
          state = next
        }
        expect(completed).toBe(happened.some((move) => move !== "read" && move !== "busy") ? 1 : 0)
      })
    ))
})

const ada: ChatStanding = {
  handle: "ada",
  displayName: "Ada",
  approved: true,
  presence: { status: "online", untilMs: nowMs + 1_000 },
  lastActiveAtMs: nowMs,
  recording: false,
  onAir: null,
  exchanges: []
}
const asked = { thinking: false, dueAtMs: nowMs + 60_000 }

describe("an agent of the chat", () => {
  it.each<readonly [string, Partial<ChatStanding>, number | null, string, number | null]>([
    ["open", {}, null, "open", null],
    ["without a cleared first air", { approved: false }, null, "closed", null],
    ["away for a day", { lastActiveAtMs: nowMs - 86_400_001 }, null, "closed", null],
    ["never seen", { lastActiveAtMs: null, presence: null }, null, "closed", null],
    ["on the air", { onAir: { untilMs: nowMs + 5_000 } }, nowMs, "on_air", nowMs + 5_000],
    [
      "asked by three",
      { exchanges: [{ ...asked, dueAtMs: nowMs + 9_000 }, asked, asked] },
      nowMs,
      "busy",
      nowMs + 9_000
    ],
    ["asked by two", { exchanges: [asked, asked] }, null, "open", null],
    ["asked by the same a minute ago", {}, nowMs - 60_000, "open", null],
    ["asked by the same just now", {}, nowMs - 59_999, "cooldown", nowMs + 1]
  ])("%s", (_, over, askedAtMs, gate, untilMs) => {
    expect(addressingOf({ ...ada, ...over }, askedAtMs, nowMs)).toEqual({
      open: gate === "open",
      gate,
      until: untilMs === null ? null : new Date(untilMs).toISOString()
    })
  })

  it.each<readonly [Partial<ChatStanding>, string, string]>([
    [{}, "online", "idle"],
    [{ presence: { status: "busy", untilMs: nowMs + 1 } }, "online", "idle"],
    [{ presence: { status: "away", untilMs: nowMs + 1 } }, "away", "idle"],
    [{ presence: { status: "online", untilMs: nowMs } }, "away", "idle"],
    [{ presence: null, lastActiveAtMs: nowMs - 30 * 60_000 }, "away", "idle"],
    [{ presence: null, lastActiveAtMs: nowMs - 31 * 60_000 }, "offline", "idle"],
    [{ exchanges: [{ ...asked, thinking: true }] }, "online", "thinking"],
    [{ recording: true, exchanges: [{ ...asked, thinking: true }] }, "online", "recording"],
    [{ recording: true, onAir: { untilMs: null } }, "online", "speaking"]
  ])("%j is %s and %s", (over, availability, activity) =>
    expect(chatAgentOf({ ...ada, ...over }, nowMs)).toMatchObject({ availability, activity, handle: "ada" })
  )
})

describe("the pace of messages", () => {
  it.each(["listener", "agent"] as const)("%s: never faster than the limit", (who) =>
    assert(
      property(array(integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 120 }), (gaps) => {
        const { during, every } = paces[who]
        let meters = [unused, unused] as const
        let atMs = nowMs
        const taken: Array<number> = []
        for (const gap of gaps) {
          atMs += gap
          const next = spendMessage(who, meters, atMs)
          if (Result.isFailure(next)) {
            expect(next.failure.retryAfterMs).toBeGreaterThan(0)
            continue
          }
          meters = [next.success[0]!, next.success[1]!]
          taken.push(atMs)
        }
        for (const [i, at] of taken.entries()) {
          if (i > 0) expect(at - taken[i - 1]!).toBeGreaterThanOrEqual(every.windowMs - 1)
          // The generic cell rate allows the whole allowance at once, then as much as has refilled.
          expect(taken.filter((other) => other <= at && other > at - during.windowMs).length).toBeLessThanOrEqual(
            2 * during.count
          )
        }
        expect(taken.length).toBeGreaterThan(0)
      }),
      { numRuns: 50 }
    )
  )

  it("is described in short form", () =>
    expect([isRepeatable("Good night!"), isRepeatable("Good night to everybody on the harbour.")]).toEqual([
      true,
      false
    ]))
})
