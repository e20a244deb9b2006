import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import type { NowPlaying } from "../../../schema/air/Station.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { from, listener, newAddress, signInListener, song } from "../../support/listeners/Listeners.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"

const refused = ({ body, status }: Answer) => [status, body.code]
const engage = (token: string, body: object, query = "") =>
  call("POST", `/api/station/engage${query}`, { headers: { "x-listener-token": token }, body })
const streaks = (token: string) =>
  Effect.map(call("GET", "/api/listeners/me/streaks", { headers: { "x-listener-token": token } }), ({ body }) => body)
const playing = (id: string): NowPlaying =>
  ({
    item: {
      id,
      kind: "music",
      startedAt: "2026-06-01T00:00:00.000Z",
      endsAt: null,
      durationSec: null,
      positionSec: 0,
      airSample: 0
    },
    segment: null,
    track: {
      id: "trk_00000000000000000000000001",
      title: "A song",
      artist: null,
      genre: null,
      coverUrl: null,
      isInstrumental: true
    },
    script: null,
    displayText: null,
    lyrics: null,
    analysis: null,
    captionsUrl: null,
    next: null,
    factualMode: null,
    listenerLabel: "a listener",
    updatedAt: "2026-06-01T00:00:00.000Z"
  }) as unknown as NowPlaying
/** Moves the last heartbeat that far into the past. */
const earlier = (who: string, ms: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE meters SET empty_at_ms = empty_at_ms - ${ms} WHERE name = ${`listening:${who}`}`
  )

layer(QuietStation.pipe(Layer.provideMerge(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32" }))), {
  excludeTestServices: true
})("presence reports", (it) => {
  it.effect("count a minute for each that passes, however often they come", () =>
    Effect.gen(function* () {
      const { id, token } = yield* listener()
      const beat = Effect.map(engage(token, { kind: "listening" }), ({ body }) => [
        body.recorded,
        body.streak.todayMinutes
      ])
      expect(yield* beat).toEqual([true, 1])
      const flood = yield* Effect.forEach(Array.from({ length: 50 }), () => engage(token, { kind: "listening" }), {
        concurrency: 25
      })
      expect(
        flood.every(({ body, status }) => status === 200 && !body.recorded && body.streak.todayMinutes === 1)
      ).toBe(true)
      yield* earlier(id, 60_000)
      const dry = yield* engage(token, { kind: "listening" }, "?dryRun=true")
      expect(dry.body.wouldBe).toEqual({ recorded: true, streak: { current: 0, longest: 0, todayMinutes: 2 } })
      const together = yield* Effect.forEach(Array.from({ length: 30 }), () => engage(token, { kind: "listening" }), {
        concurrency: 30
      })
      expect(together.filter(({ body }) => body.recorded).length).toBe(1)
      for (const minutes of [3, 4]) {
        yield* earlier(id, 60_000)
        expect(yield* beat).toEqual([true, minutes])
      }
      expect((yield* streaks(token)).streak).toEqual({ current: 0, longest: 0, lastDay: null, todayMinutes: 4 })
      yield* earlier(id, 60_000)
      expect((yield* engage(token, { kind: "listening" })).body).toEqual({
        recorded: true,
        streak: { current: 1, longest: 1, todayMinutes: 5 }
      })
    })
  )

  it.effect("make a streak that lasts until the end of the next day", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, token } = yield* listener()
      const today = new Date().toISOString().slice(0, 10)
      const dayOf = (ago: number) => new Date(Date.parse(today) - ago * 86_400_000).toISOString().slice(0, 10)
      for (const [ago, minutes] of [
        [1, 5],
        [2, 90],
        [3, 4],
        [4, 10],
        [5, 10],
        [6, 10],
        [100, 30]
      ] as const)
        yield* sql`INSERT INTO listener_days (listener_id, day, minutes, reactions, others) VALUES (${id}, ${dayOf(ago)}::date, ${minutes}, 2, 1)`
      const { history, listenerId, streak, totals } = yield* streaks(token)
      expect([listenerId, streak, totals]).toEqual([
        id,
        { current: 2, longest: 3, lastDay: dayOf(1), todayMinutes: 0 },
        { minutes: 159, votes: 0, requests: 0, writeIns: 0, callIns: 0, reactions: 14 }
      ])
      expect(history).toEqual(
        [
          [1, 5],
          [2, 90],
          [3, 4],
          [4, 10],
          [5, 10],
          [6, 10]
        ].map(([ago, minutes]) => ({ day: dayOf(ago!), minutes, actions: 3 }))
      )
      yield* sql`DELETE FROM listener_days WHERE listener_id = ${id} AND day = ${dayOf(1)}::date`
      expect((yield* streaks(token)).streak).toMatchObject({ current: 0, longest: 3, lastDay: dayOf(2) })
      expect(refused(yield* call("GET", "/api/listeners/me/streaks"))).toEqual([401, "LISTENER_TOKEN_REQUIRED"])
    })
  )

  it.effect("carry reactions to the item on the air, ten a minute over all of a listener's devices", () =>
    Effect.gen(function* () {
      const bus = yield* EventBus
      const { human, token } = yield* signInListener()
      yield* bus.put("nowPlaying", playing("itm_00000000000000000000000001"))
      const react = (value: string, subject?: object) =>
        engage(token, { kind: "reaction", value, ...(subject === undefined ? {} : { subject }) })
      const begunMs = Date.now()
      expect((yield* react("love")).body.recorded).toBe(true)
      expect((yield* react("fire", { type: "item", id: "itm_00000000000000000000000001" })).body.recorded).toBe(true)
      expect((yield* react("sad", { type: "track", id: "trk_00000000000000000000000001" })).body.recorded).toBe(true)
      for (const subject of [
        { type: "item", id: "itm_00000000000000000000000002" },
        { type: "segment", id: "trk_00000000000000000000000001" }
      ])
        expect(refused(yield* react("love", subject))).toEqual([400, "INVALID_FIELD"])
      for (const value of ["hate", "", "toString"]) expect(refused(yield* react(value))).toEqual([400, "INVALID_FIELD"])
      const answers = yield* Effect.forEach(Array.from({ length: 40 }), () => react("wow"), { concurrency: 20 })
      // Three of its ten are spent, and one returns every six seconds.
      const taken = answers.filter(({ status }) => status === 200).length
      expect([
        answers.filter(({ status }) => status === 429).length,
        taken >= 7,
        taken <= 7 + Math.floor((Date.now() - begunMs) / 6_000)
      ]).toEqual([40 - taken, true, true])
      const limited = answers.find(({ status }) => status === 429)!
      expect([
        limited.body.code,
        Number(limited.headers.get("retry-after")) > 0,
        limited.headers.get("ratelimit")?.includes("reactions")
      ]).toEqual(["RATE_LIMITED", true, true])
      expect((yield* streaks(token)).totals.reactions).toBe(3 + taken)
      // The count is in the store: a restart forgets nothing.
      const sql = yield* SqlClient.SqlClient
      expect(
        (yield* sql<{
          full: boolean
        }>`SELECT empty_at_ms >= ${begunMs + 60_000} AS full FROM meters WHERE name = ${`reactions:${human.id}`}`)[0]!
          .full
      ).toBe(true)
    })
  )

  it.effect("count other actions, and refuse unknown ones", () =>
    Effect.gen(function* () {
      const { token } = yield* listener()
      for (const kind of ["tune_in", "share", "poll"])
        expect((yield* engage(token, { kind, value: "anything", clientSentAt: "whenever" })).body.recorded).toBe(true)
      expect((yield* streaks(token)).history[0].actions).toBe(3)
      expect(refused(yield* engage(token, {}))).toEqual([400, "MISSING_FIELDS"])
      expect(refused(yield* engage(token, { kind: "dance" }))).toEqual([400, "INVALID_FIELD"])
      expect(refused(yield* engage("nonsense", { kind: "listening" }))).toEqual([401, "LISTENER_TOKEN_REQUIRED"])
      const cookie = { cookie: `listener=${token}`, "sec-fetch-site": "cross-site" }
      expect(refused(yield* call("POST", "/api/station/engage", { headers: cookie, body: { kind: "share" } }))).toEqual(
        [403, "FORBIDDEN"]
      )
      expect(
        (yield* call("POST", "/api/station/engage", {
          headers: { ...cookie, "sec-fetch-site": "same-origin" },
          body: { kind: "share" }
        })).status
      ).toBe(200)
    })
  )

  it.effect("count requests and write-ins with the listener's days", () =>
    Effect.gen(function* () {
      const { human, token } = yield* signInListener()
      const headers = { ...from(newAddress()), "x-listener-token": token }
      const [heard, resting] = [yield* song(), yield* song()]
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE tracks SET rested_until = now() + interval '1 day' WHERE id = ${resting}`
      const ask = (id: string) => call("POST", `/api/v1/tracks/${id}/request`, { headers, body: {} })
      expect([refused(yield* ask(resting)), (yield* ask(heard)).status]).toEqual([[404, "TRACK_NOT_FOUND"], 200])
      const writeIn = (query: string) =>
        call("POST", `/api/station/write-in${query}`, {
          headers,
          body: { content: "The lighthouse is dark tonight, and the harbour sings along." }
        })
      expect([(yield* writeIn("?dryRun=true")).status, (yield* writeIn("")).status]).toEqual([200, 200])
      const { history, totals } = yield* streaks(token)
      expect([totals, history[0].actions]).toEqual([
        { minutes: 0, votes: 0, requests: 1, writeIns: 1, callIns: 0, reactions: 0 },
        2
      ])
      const whole = yield* call("GET", `/api/ops/users/${human.id}`, { key: yield* operator("admin") })
      expect(whole.body.user.listeners).toHaveLength(1)
    })
  )
})
