import { layer } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { countersOf } from "../../../actors/runtime/MessageCounters.ts"
import { airingsOfSubjects, marksOf } from "../../support/air/Airings.ts"
import { answersLost } from "../../support/http/AnswersLost.ts"
import { type Answer, call, makeClaimedAgent, operator, SegmentHttp } from "../../support/http/SegmentHttp.ts"
import { SpeechScript } from "../../support/media/SpeechDoubles.ts"
import { uniqueWords } from "../../support/segments/UniqueWords.ts"

const body = (over: Record<string, unknown> = {}) => ({
  stationSlug: "longwave",
  category: "news",
  title: "Evening news",
  scriptText: `Good evening. Number ${uniqueWords()} is the news.`,
  ...over
})
const speech = (over: Record<string, unknown> = {}) => ({
  category: "station_id",
  title: "Station ID",
  scriptText: `You are listening, take ${uniqueWords()}.`,
  ...over
})
const generatePath = "/api/v1/agents/me/tts/station/generate"

/** Cleared, with station speech. */
const broadcaster = Effect.gen(function* () {
  const agent = yield* makeClaimedAgent()
  const producer = yield* operator("producer")
  expect(
    (yield* call("PUT", `/api/ops/agents/${agent.id}/grants`, {
      key: producer,
      body: { freeAir: true, stationSpeech: true, reason: "a friend of the house" }
    })).status
  ).toBe(200)
  return agent
})

/** How many of those that came at once were taken in the end: whoever a busy station sent away comes again, one by one. */
const settled = Effect.fnUntraced(function* <E, R>(answers: ReadonlyArray<Answer>, once: Effect.Effect<Answer, E, R>) {
  for (const { body, headers, status } of answers) {
    expect([status, body.code]).toSatisfy(
      ([each, code]) => each === 201 || (each === 429 && code === "RATE_LIMITED") || (each === 503 && code === "BUSY")
    )
    if (status !== 201) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
  }
  let taken = answers.filter(({ status }) => status === 201).length
  for (let last = 201; last === 201; taken += last === 201 ? 1 : 0) last = (yield* once).status
  return taken
})

layer(SegmentHttp, { excludeTestServices: true })("segments over HTTP", (it) => {
  it.effect("accepts a script and reports its state", () =>
    Effect.gen(function* () {
      const agent = yield* makeClaimedAgent()
      const made = yield* call("POST", "/api/segments", { key: agent.key, body: body() })
      expect(made.status).toBe(201)
      expect(made.body.segment).toMatchObject({
        agentId: agent.id,
        handle: agent.handle,
        status: "pending_review",
        isFirstAir: true,
        audioStatus: "none",
        audioUrl: null,
        stationSlug: "longwave"
      })
      expect(Object.keys(made.body.segment)).toHaveLength(27)
      for (const path of [
        "/api/segments",
        "/api/v1/agents/me/segments?status=pending_review&limit=100&since=2020-01-01T00:00:00%2B02:00"
      ]) {
        expect(
          (yield* call("GET", path, { key: agent.key })).body.segments.map(({ id }: { id: string }) => id)
        ).toEqual([made.body.segment.id])
      }
      expect((yield* call("GET", "/api/segments?status=aired", { key: agent.key })).body).toEqual({ segments: [] })
    })
  )

  it.effect("refuses with the contract's code, and changes nothing", () =>
    Effect.gen(function* () {
      const agent = yield* makeClaimedAgent()
      const cases: ReadonlyArray<readonly [unknown, number, string]> = [
        ["{", 400, "INVALID_JSON"],
        [[1], 400, "INVALID_JSON"],
        [{}, 400, "MISSING_FIELDS"],
        [body({ title: "  " }), 400, "MISSING_FIELDS"],
        [body({ stationSlug: undefined }), 400, "MISSING_FIELDS"],
        [body({ title: 7 }), 400, "INVALID_FIELD"],
        [body({ title: "x".repeat(141) }), 400, "INVALID_FIELD"],
        [body({ status: "queued" }), 400, "INVALID_FIELD"],
        [body({ status: "aired" }), 400, "INVALID_FIELD"],
        [body({ scheduledFor: "2020-01-01T00:00:00Z" }), 400, "INVALID_FIELD"],
        [body({ scheduledFor: "2099-01-01T00:00:00" }), 400, "INVALID_FIELD"],
        [body({ scheduledFor: "tomorrow" }), 400, "INVALID_FIELD"],
        [body({ category: "panel" }), 400, "INVALID_CATEGORY"],
        [body({ stationSlug: "otherwave" }), 404, "STATION_NOT_FOUND"],
        [body({ agentShowId: "show_1" }), 403, "FORBIDDEN"],
        [body({ scriptText: "word ".repeat(1_201) }), 413, "SCRIPT_TOO_LONG"],
        [body({ scriptText: "<b>bold</b>" }), 400, "INVALID_FIELD"]
      ]
      for (const [payload, status, code] of cases) {
        const answer = yield* call("POST", "/api/segments", { key: agent.key, body: payload })
        expect([JSON.stringify(payload).slice(0, 80), answer.status, answer.body.code]).toEqual([
          JSON.stringify(payload).slice(0, 80),
          status,
          code
        ])
        expect(answer.headers.get("content-type")).toContain("application/problem+json")
        expect(answer.body.errors).toBeInstanceOf(Array)
      }
      expect((yield* call("GET", "/api/segments", { key: agent.key })).body.segments).toEqual([])
      for (const query of ["limit=0", "limit=101", "limit=x", "status=nonsense", "since=yesterday", "cursor=seg_1"]) {
        expect((yield* call("GET", `/api/segments?${query}`, { key: agent.key })).body.code).toBe("INVALID_FIELD")
      }
      expect((yield* call("POST", "/api/segments", { body: body() })).status).toBe(401)
    })
  )

  it.effect("suggests where to cut a too long script, in the sender's characters", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      const scriptText = `\n  ${Array.from({ length: 260 }, (_, i) => `Line ${i} tells of the cafe\u0301 🎙 [pause] by the sea.`).join(" ")}\n\n`
      const refused = yield* call("POST", generatePath, { key: agent.key, body: speech({ scriptText }) })
      expect([refused.status, refused.body.code, refused.body.suggestedSplit.length > 5]).toEqual([
        413,
        "SCRIPT_TOO_LONG",
        true
      ])
      const parts: Array<string> = []
      for (const { endChar, index, preview, startChar, wordCount } of refused.body.suggestedSplit) {
        const part = [...scriptText].slice(startChar, endChar).join("")
        expect([part.startsWith(preview), wordCount >= 150, wordCount <= 300, parts.length]).toEqual([
          true,
          true,
          true,
          index
        ])
        const made = yield* call("POST", `${generatePath}?dryRun=true`, {
          key: agent.key,
          body: speech({ scriptText: part })
        })
        expect([made.status, made.body.wouldBe?.production.wordCount]).toEqual([200, wordCount])
        parts.push(part)
      }
      expect(parts.join(" ").split(/\s+/)).toEqual(scriptText.trim().split(/\s+/))
      expect(
        (yield* call("POST", "/api/segments", { key: agent.key, body: body({ scriptText: " \n Grüße.  " }) })).body
          .segment.scriptText
      ).toBe("Grüße.")
    })
  )

  it.effect("refuses null where nothing can be cleared", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      for (const field of ["agentShowId", "stationId", "title", "topicId", "longForm", "engine", "stationSlug"]) {
        const { body: problem, status } = yield* call("POST", `${generatePath}?dryRun=true`, {
          key: agent.key,
          body: speech({ [field]: null })
        })
        expect([field, status, problem.code, problem.errors?.[0]?.pointer]).toEqual([
          field,
          400,
          "INVALID_FIELD",
          `/${field}`
        ])
      }
      for (const over of [{ scheduledFor: null }, { bed: null }])
        expect(
          (yield* call("POST", `${generatePath}?dryRun=true`, { key: agent.key, body: speech(over) })).status
        ).toBe(200)
    })
  )

  it.effect("speaks by a paid provider where the operators approved it and have one", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      const script = yield* SpeechScript
      const ask = call("POST", generatePath, { key: agent.key, body: speech({ engine: "paid_cloud" }) })
      const refused = Effect.map(ask, ({ body, status }) => [status, body.code, body.detail])
      expect(yield* refused).toEqual([403, "FORBIDDEN", expect.stringContaining("approval")])
      yield* call("PUT", `/api/ops/agents/${agent.id}/grants`, {
        key: yield* operator("producer"),
        body: { paidSpeech: true }
      })
      expect(yield* refused).toEqual([403, "FORBIDDEN", expect.stringContaining("No paid provider")])
      script.paid.push("elevenlabs")
      const spoken = yield* call("POST", generatePath, { key: agent.key, body: speech({ engine: "paid_cloud" }) })
      script.paid.length = 0
      expect([spoken.status, spoken.body.production.engine]).toEqual([201, "PRIMARY"])
      expect(script.asked.at(-1)).toMatchObject({ role: "PRIMARY", isPaid: true })
      yield* call("POST", generatePath, { key: agent.key, body: speech({ engine: "PRIMARY" }) })
      expect(script.asked.at(-1)).not.toHaveProperty("isPaid")
    })
  )

  it.effect("takes the key from the body only without a header", () =>
    Effect.gen(function* () {
      const agent = yield* makeClaimedAgent()
      const made = yield* call("POST", "/api/segments", { body: body({ apiKey: agent.key }) })
      expect([made.status, made.body.detail]).toEqual([201, undefined])
      expect(JSON.stringify(made.body)).not.toContain(agent.key)
      expect(
        (yield* call("POST", "/api/segments", { key: "svc_agent_wrong", body: body({ apiKey: agent.key }) })).body.code
      ).toBe("INVALID_API_KEY")
      expect((yield* call("POST", generatePath, { body: speech({ apiKey: agent.key }) })).body.code).toBe(
        "INVALID_API_KEY"
      )
    })
  )

  it.effect("ignores fields of a body that the server sets", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      const other = yield* makeClaimedAgent()
      const {
        body: { segment }
      } = yield* call("POST", "/api/segments", {
        key: agent.key,
        body: body({
          id: "seg_1",
          agentId: other.id,
          handle: "mallory",
          isFirstAir: false,
          audioStatus: "ready",
          audioUrl: "https://x.example/y.mp3",
          airedAt: "2020-01-01T00:00:00Z",
          createdAt: "2020-01-01T00:00:00Z",
          production: { engine: "PRIMARY" },
          precheck: { flags: [], autoApproved: true }
        })
      })
      expect(segment).toMatchObject({
        agentId: agent.id,
        handle: agent.handle,
        status: "queued",
        audioStatus: "none",
        audioUrl: null,
        airedAt: null
      })
      expect(segment.id).not.toBe("seg_1")
      expect(segment.createdAt > "2024").toBe(true)
      expect((yield* call("GET", "/api/segments", { key: other.key })).body.segments).toEqual([])
      expect((yield* call("GET", `/api/segments?cursor=${segment.id}`, { key: other.key })).body.code).toBe(
        "INVALID_FIELD"
      )
      for (const key of [other.key, agent.key, undefined])
        expect((yield* call("GET", `/api/v1/segments/${segment.id}`, key === undefined ? {} : { key })).body.code).toBe(
          "SEGMENT_NOT_FOUND"
        )
    })
  )

  it.effect("makes speech once for one key, however often it is repeated", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      const payload = speech({ bed: { mood: "warm" } })
      const headers = { "idempotency-key": "take one" }
      const first = yield* call("POST", generatePath, { key: agent.key, body: payload, headers })
      expect(first.status).toBe(201)
      expect(first.body).toMatchObject({
        production: { engine: "PRIMARY", voiceId: "voice_shared", bedStatus: "source_unavailable", bedTrackId: null },
        durationSec: 4,
        segment: { status: "queued", audioStatus: "ready" }
      })
      expect(first.body.audioUrl).toBe(
        `http://radio.test/media/audio/${/mas_[0-9a-z]{26}/.exec(first.body.audioUrl)?.[0]}.mp3`
      )
      const again = yield* call("POST", generatePath, { key: agent.key, body: payload, headers })
      expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([201, first.body, "true"])
      expect((yield* call("POST", generatePath, { key: agent.key, body: speech(), headers })).body.code).toBe(
        "IDEMPOTENCY_KEY_CONFLICT"
      )
      const script = yield* SpeechScript
      script.asked.length = 0
      yield* answersLost
      const lost = yield* call("POST", generatePath, { key: agent.key, body: payload, headers })
      expect([lost.status, lost.body, script.asked]).toEqual([201, first.body, []])
      const racing = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () =>
          call("POST", generatePath, {
            key: agent.key,
            body: speech({ scriptText: "One race only." }),
            headers: { "idempotency-key": "race" }
          }),
        { concurrency: 10 }
      )
      for (const {
        body: { code },
        status
      } of racing)
        expect(status === 201 || code === "IDEMPOTENCY_KEY_IN_PROGRESS").toBe(true)
      expect(script.asked).toHaveLength(1)
    })
  )

  it.effect("stores no key for dry runs, nor for refilled meters, nor across agents of one address", () =>
    Effect.gen(function* () {
      const [agent, other] = yield* Effect.all([broadcaster, broadcaster])
      const headers = { "idempotency-key": "asked first" }
      const payload = speech()
      expect(
        (yield* call("POST", `${generatePath}?dryRun=true`, { key: agent.key, body: payload, headers })).status
      ).toBe(200)
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO meters (name, empty_at_ms) VALUES ('speech:station', 1e15) ON CONFLICT (name) DO UPDATE SET empty_at_ms = 1e15`
      const full = yield* call("POST", generatePath, { key: agent.key, body: payload, headers })
      expect([full.status, full.body.code, full.body.meter, Number(full.headers.get("retry-after")) > 0]).toEqual([
        403,
        "STATION_TTS_QUOTA_EXHAUSTED",
        "station",
        true
      ])
      yield* sql`UPDATE meters SET empty_at_ms = 0 WHERE name = 'speech:station'`
      const made = yield* call("POST", generatePath, { key: agent.key, body: payload, headers })
      expect([made.status, made.headers.get("idempotent-replayed")]).toEqual([201, null])
      for (const { key } of [agent, other])
        expect(
          (yield* call("POST", "/api/segments", {
            body: body({ apiKey: key }),
            headers: { "idempotency-key": "same address" }
          })).status
        ).toBe(201)
    })
  )

  it.effect("names the failed engine, and repeats no failure", () =>
    Effect.gen(function* () {
      const newcomer = yield* makeClaimedAgent()
      expect(
        (yield* call("POST", generatePath, { key: newcomer.key, body: speech({ category: "news" }) })).body.code
      ).toBe("PRIMARY_TTS_NOT_ALLOWED")
      expect(
        (yield* call("POST", generatePath, { key: newcomer.key, body: speech({ engine: "SPEED" }) })).body.code
      ).toBe("SPEED_TTS_NOT_ALLOWED")
      const agent = yield* broadcaster
      expect((yield* call("POST", generatePath, { key: agent.key, body: speech({ engine: "SPEED" }) })).body.code).toBe(
        "SPEED_VOICE_NOT_FOUND"
      )
      const script = yield* SpeechScript
      script.fault = "crashes"
      const payload = speech()
      const failed = yield* call("POST", generatePath, {
        key: agent.key,
        body: payload,
        headers: { "idempotency-key": "k" }
      })
      expect([failed.status, failed.body.code]).toEqual([502, "PRIMARY_TTS_FAILED"])
      script.fault = "disk_full"
      const full = yield* call("POST", generatePath, { key: agent.key, body: speech() })
      expect([full.status, full.body.code, Number(full.headers.get("retry-after")) > 0]).toEqual([503, "BUSY", true])
      script.fault = "none"
      expect(
        (yield* call("POST", generatePath, { key: agent.key, body: payload, headers: { "idempotency-key": "k" } }))
          .status
      ).toBe(201)
    })
  )

  it.effect("counts exactly: sixteen of two hundred is one too many", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }),
        () => call("POST", generatePath, { key: agent.key, body: speech() }),
        { concurrency: 200 }
      )
      const once = Effect.suspend(() => call("POST", generatePath, { key: agent.key, body: speech() }))
      expect(yield* settled(answers, once)).toBe(15)
      const refused = [...answers.filter(({ status }) => status === 429), yield* once]
      for (const { body, headers, status } of refused)
        expect([status, body.code, body.meter, body.error, headers.get("retry-after") !== null]).toEqual([
          429,
          "RATE_LIMITED",
          "agent",
          "rate_limited",
          true
        ])
      for (const { headers } of refused) {
        expect(headers.get("ratelimit")).toMatch(/^"station_speech_per_hour";r=0;t=\d+, /)
        expect(headers.get("ratelimit-policy")).toMatch(
          /"station_speech_per_hour";q=15;w=3600.*"owner_speech_per_hour";q=60;w=3600/
        )
      }
    })
  )

  it.effect("accepts ten of two hundred simultaneous scripts", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }),
        () => call("POST", "/api/segments", { key: agent.key, body: body() }),
        { concurrency: 200 }
      )
      expect(
        yield* settled(
          answers,
          Effect.suspend(() => call("POST", "/api/segments", { key: agent.key, body: body() }))
        )
      ).toBe(10)
    })
  )

  it.effect("reports the remaining scripts of the day with each, and a dry run the coming refusal", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      const path = "/api/segments"
      const told: Array<string | undefined> = []
      for (let n = 0; n < 10; n++)
        told.push(
          /"segment_submissions_per_day";(r=\d+)/.exec(
            (yield* call("POST", path, { key: agent.key, body: body() })).headers.get("ratelimit") ?? ""
          )?.[1]
        )
      expect(told).toEqual(["r=9", "r=8", "r=7", "r=6", "r=5", "r=4", "r=3", "r=2", "r=1", "r=0"])
      for (const query of ["", "?dryRun=true"]) {
        const {
          body: problem,
          headers,
          status
        } = yield* call("POST", `${path}${query}`, { key: agent.key, body: body() })
        expect([
          status,
          problem.code,
          headers.get("ratelimit")?.startsWith(`"segment_submissions_per_day";r=0;t=`)
        ]).toEqual([429, "RATE_LIMITED", true])
        const untilMidnight = /t=(\d+)/.exec(headers.get("ratelimit")!)![1]
        expect(Math.abs(Number(headers.get("retry-after")) - Number(untilMidnight))).toBeLessThanOrEqual(2)
      }
      expect(
        (yield* call("GET", "/api/v1/agents/me/segments?limit=100", { key: agent.key })).body.segments
      ).toHaveLength(10)
    })
  )

  it.effect("changes nothing in a dry run", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      expect(yield* call("POST", "/api/segments?dryRun=true", { key: agent.key, body: body() })).toMatchObject({
        status: 200,
        body: { dryRun: true, status: 201, wouldBe: { status: "queued" } }
      })
      expect(
        (yield* call("POST", `${generatePath}?dryRun=true`, { key: agent.key, body: speech() })).body
      ).toMatchObject({ dryRun: true })
      expect((yield* call("GET", "/api/segments", { key: agent.key })).body.segments).toEqual([])
    })
  )

  it.effect("leads a first air through review to the listener", () =>
    Effect.gen(function* () {
      const agent = yield* makeClaimedAgent()
      const reviewer = yield* operator("reviewer")
      const {
        body: { segment }
      } = yield* call("POST", generatePath, { key: agent.key, body: speech() })
      const queue = yield* call("GET", "/api/ops/reviews?kind=first_air", { key: reviewer })
      const item = queue.body.items.find(({ subject }: { subject: { id: string } }) => subject.id === segment.id)
      expect(item).toMatchObject({
        kind: "first_air",
        author: { handle: agent.handle },
        audioUrl: segment.audioUrl,
        transcript: segment.scriptText,
        status: "open"
      })
      expect(queue.body.counts.first_air).toBeGreaterThan(0)
      expect(
        (yield* call("POST", `/api/ops/reviews/${item.id}/decision`, {
          key: yield* operator("viewer"),
          body: { decision: "approve" }
        })).status
      ).toBe(403)
      expect(
        (yield* call("POST", `/api/ops/reviews/${item.id}/decision`, { key: agent.key, body: { decision: "approve" } }))
          .body.code
      ).toBe("OPERATOR_REQUIRED")
      expect(
        (yield* call("POST", `/api/ops/reviews/${item.id}/decision`, {
          key: reviewer,
          body: { decision: "maybe", reason: "x" }
        })).body.code
      ).toBe("INVALID_FIELD")
      const decided = yield* call("POST", `/api/ops/reviews/${item.id}/decision`, {
        key: reviewer,
        body: { decision: "approve", reason: "clear and kind" }
      })
      expect(decided.body.review).toMatchObject({ status: "approved", reason: "clear and kind" })
      expect((yield* call("GET", `/api/ops/reviews/${item.id}`, { key: reviewer })).body).toMatchObject({
        segment: { status: "queued" },
        history: [{ action: "review.approve", reason: "clear and kind" }]
      })
      const air = yield* Effect.provide(marksOf, airingsOfSubjects)
      yield* air.place(segment.id, 1, 1)
      yield* air.begin(segment.id, 1, 1_790_000_000_000)
      expect((yield* call("GET", `/api/v1/segments/${segment.id}`)).status).toBe(404)
      yield* air.end(segment.id, 1, 1, 1_790_000_009_000)
      expect((yield* call("GET", `/api/v1/segments/${segment.id}`)).body.segment).toEqual({
        id: segment.id,
        title: segment.title,
        category: "station_id",
        displayText: segment.displayText,
        owner: { handle: agent.handle, displayName: segment.displayName ?? expect.any(String), avatarUrl: null },
        show: null,
        airedAt: "2026-09-21T14:13:20.000Z",
        durationSec: 4,
        audioUrl: segment.audioUrl,
        synthetic: {
          digitalSourceType: "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia",
          generator: "Scripted engine",
          disclosure: `AI voice. Spoken by a speech model for the AI agent @${segment.handle}.`
        }
      })
      expect((yield* call("POST", `/api/ops/reviews/${item.id}/undo`, { key: reviewer, body: {} })).body.code).toBe(
        "REVIEW_CONFLICT"
      )
      expect((yield* call("GET", `/api/ops/agents/${agent.id}`, { key: reviewer })).body.agent).toMatchObject({
        handle: agent.handle,
        broadcastGate: { state: "cleared", reason: "clear and kind" },
        segments: { aired: 1 }
      })
    })
  )

  it.effect("answers an internal error with 500 once, without details, and keeps its state", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      const before = yield* call("POST", "/api/segments", { key: agent.key, body: body() })
      const sql = yield* SqlClient.SqlClient
      const { count: diedBefore } = yield* Metric.value(countersOf("Studio").died)
      yield* sql`ALTER TABLE meters RENAME TO meters_away`
      const poisoned = yield* call("POST", generatePath, { key: agent.key, body: speech() })
      yield* sql`ALTER TABLE meters_away RENAME TO meters`
      expect([poisoned.status, poisoned.body.code]).toEqual([500, "INTERNAL_ERROR"])
      expect(Number((yield* Metric.value(countersOf("Studio").died)).count) - Number(diedBefore)).toBe(1)
      expect(JSON.stringify(poisoned.body)).not.toMatch(/meters|relation|sql/i)
      expect((yield* call("POST", generatePath, { key: agent.key, body: speech() })).status).toBe(201)
      expect(
        (yield* call("GET", "/api/segments", { key: agent.key })).body.segments.map(({ id }: { id: string }) => id)
      ).toContain(before.body.segment.id)
    })
  )

  it.effect("returns the same answer to a repeat after an interruption", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      const payload = body()
      const first = yield* call("POST", "/api/segments", {
        key: agent.key,
        body: payload,
        headers: { "idempotency-key": "lost" }
      })
      yield* answersLost
      const again = yield* call("POST", "/api/segments", {
        key: agent.key,
        body: payload,
        headers: { "idempotency-key": "lost" }
      })
      expect([again.status, again.body.segment.id]).toEqual([201, first.body.segment.id])
      expect((yield* call("GET", "/api/segments", { key: agent.key })).body.segments).toHaveLength(1)
    })
  )

  it.effect("lists voices, and the available ways to one", () =>
    Effect.gen(function* () {
      const agent = yield* makeClaimedAgent({ gender: "female", role: "dj" })
      const catalog = yield* call("GET", "/api/v1/agents/me/tts/voices", { key: agent.key })
      expect(catalog.body.voices.map(({ voiceId }: { voiceId: string }) => voiceId)).toEqual([
        "voice_shared",
        "voice_ada",
        "voice_bo",
        "voice_cleo"
      ])
      expect(catalog.body.suggestedVoiceIds[0]).toBe("voice_cleo")
      expect(catalog.body.selectionGuide.byRole.dj).toEqual(["voice_cleo"])
      const page = yield* call("GET", "/api/v1/agents/me/tts/voices?availableOnly=1&provider=SPEED&limit=2", {
        key: agent.key
      })
      expect([page.body.voices.length, page.body.nextCursor]).toEqual([2, "voice_bo"])
      expect(
        (yield* call("GET", `/api/v1/agents/me/tts/voices?availableOnly=true&limit=2&cursor=voice_bo`, {
          key: agent.key
        })).body.voices
      ).toHaveLength(1)
      expect(
        (yield* call("GET", "/api/v1/agents/me/tts/voices?availableOnly=maybe", { key: agent.key })).body.code
      ).toBe("INVALID_FIELD")
      expect((yield* call("GET", "/api/v1/agents/me/tts/voices/voice_ada", { key: agent.key })).body).toMatchObject({
        voice: { voiceId: "voice_ada", claimedBy: null },
        voiceProfile: { name: "ada", sampleUrl: "http://radio.test/media/voices/voice_ada.mp3" }
      })
      expect(yield* call("GET", "/media/voices/voice_ada.mp3", { headers: { range: "bytes=0-3" } })).toMatchObject({
        status: 206,
        body: "abcd"
      })
      expect((yield* call("GET", "/media/voices/voice_ada.mp3")).headers.get("cache-control")).toBe(
        "public, max-age=86400"
      )
      for (const file of ["voice_house.mp3", "voice_none.mp3", "voice_ada", "..%2fx.mp3"])
        expect((yield* call("GET", `/media/voices/${file}`)).status).toBe(404)
      for (const id of ["voice_house", "voice_none"])
        expect((yield* call("GET", `/api/v1/agents/me/tts/voices/${id}`, { key: agent.key })).body.code).toBe(
          "VOICE_NOT_FOUND"
        )
      const { body } = yield* call("GET", "/api/v1/agents/me/tts/capabilities", { key: agent.key })
      expect(body).toMatchObject({
        canUseStationTts: false,
        canUseByokTts: true,
        pocketEngine: { state: "ready" },
        paths: [
          { id: "primary", available: true },
          { id: "speed", available: false },
          { id: "byok", available: false, reason: expect.stringMatching(/^You have the right \(canUseByokTts\), but/) },
          { id: "paid_cloud" },
          { id: "house_read", available: false }
        ]
      })
      // The right is there from the claim on; what it lacks is the key.
      expect(body.byok).toMatchObject({ enabled: true, hasKey: false })
      expect(body.quota[0]).toMatchObject({
        name: "station_speech_per_hour",
        limit: 15,
        used: 0,
        remaining: 15,
        windowSec: 3_600
      })
    })
  )

  it.effect("lets only the agent and operators hear a sound before it airs", () =>
    Effect.gen(function* () {
      const agent = yield* broadcaster
      const {
        body: { audioUrl }
      } = yield* call("POST", generatePath, { key: agent.key, body: speech() })
      const path = new URL(audioUrl).pathname
      for (const ask of [{}, { key: (yield* makeClaimedAgent()).key }])
        expect((yield* call("GET", path, ask)).status).toBe(404)
      for (const key of [agent.key, yield* operator("viewer")]) {
        expect(yield* call("GET", path, { key, headers: { range: "bytes=2-5" } })).toMatchObject({
          status: 206,
          body: "cdef"
        })
        expect(yield* call("GET", path, { key })).toMatchObject({ status: 200, body: "abcdefghij" })
        expect((yield* call("GET", path, { key, headers: { range: "bytes=99-" } })).status).toBe(416)
      }
      expect((yield* call("GET", "/media/audio/..%2f..%2fetc%2fpasswd.mp3", { key: agent.key })).status).toBe(404)
    })
  )
})
