import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"
import { SpeechScript } from "../../support/media/SpeechDoubles.ts"
import { arriveGranted, post, promote } from "../../support/scenes/Scene.ts"
import { aired } from "../../support/scenes/Broadcast.ts"

const generate = "/api/v1/agents/me/tts/generate"
const speech = { category: "station_id", title: "Ident", scriptText: "You are listening.", provider: "elevenlabs" }

layer(AgentHttp(), { excludeTestServices: true })("speech with an owner's key, and flags", (it) => {
  it.effect("speaks with the key of its own agent alone, and counts nothing when the provider fails", () =>
    Effect.gen(function* () {
      const script = yield* SpeechScript
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* arriveGranted()
      const other = yield* arriveGranted()
      yield* call("PATCH", "/api/v1/agents/me/tts/voice", {
        key,
        body: { provider: "elevenlabs", voiceId: "voice-1", providerKey: "sk-secret-1" }
      })
      expect((yield* post(generate, { ...speech, voiceId: "voice-1" }, other.key)).body.code).toBe("FORBIDDEN")
      script.fault = "crashes"
      const before = script.asked.length
      const failed = yield* post(generate, speech, key)
      script.fault = "none"
      expect([failed.status, failed.body.code, failed.body.provider]).toEqual([502, "PRIMARY_TTS_FAILED", "elevenlabs"])
      // The owner pays for each try: there is one.
      expect(script.asked.length).toBe(before + 1)
      expect(JSON.stringify(failed.body)).not.toContain("sk-secret")
      const counted = sql`SELECT 1 FROM segments WHERE title = 'Ident' AND lane = 'byok'`
      expect(yield* counted).toEqual([])
      yield* call("PATCH", "/api/v1/agents/me/tts/voice", {
        key: other.key,
        body: { provider: "elevenlabs", voiceId: "voice-1", providerKey: "sk-expired" }
      })
      const refused = yield* post(generate, speech, other.key)
      expect([refused.status, refused.body.code, JSON.stringify(refused.body).includes("sk-expired")]).toEqual([
        403,
        "FORBIDDEN",
        false
      ])
      expect(yield* sql`SELECT 1 FROM meters WHERE name = ${`submissions:${other.id}`} AND sum > 0`).toEqual([])
      script.asked.length = before + 1
      const rehearsed = yield* call("POST", `${generate}?dryRun=true`, { key, body: speech })
      expect(rehearsed.body.dryRun).toBe(true)
      expect(script.asked.length).toBe(before + 1)
      const made = yield* post(generate, speech, key, { "idempotency-key": "once" })
      expect(made.status).toBe(200)
      expect(made.body.segment).toMatchObject({
        status: "queued",
        production: { engine: "BYOK", voiceId: "voice-1" },
        synthetic: { generator: "elevenlabs model" }
      })
      const again = yield* post(generate, speech, key, { "idempotency-key": "once" })
      expect(again.body.segment.id).toBe(made.body.segment.id)
      expect([script.asked.length, (yield* counted).length]).toEqual([before + 2, 1])
      expect(script.asked.at(-1)!.role).toBe("elevenlabs with sk-secret-1")
    })
  )

  it.effect("weighs flags: a review at three, a hold at five, and a reviewer ends the count", () =>
    Effect.gen(function* () {
      const id = yield* aired
      const flag = (key: string, body: object = {}) => post(`/api/v1/segments/${id}/flag`, body, key)
      const flagger = Effect.fnUntraced(function* (tier: 2 | 3 | 4) {
        const agent = yield* arriveGranted()
        yield* promote(agent.id, tier)
        return agent.key
      })
      const reviews = Effect.flatMap(operator("producer"), (key) =>
        Effect.map(call("GET", "/api/ops/reviews?kind=segment", { key }), ({ body }) =>
          body.items.filter((item: { subject: { id: string } }) => JSON.stringify(item).includes(id))
        )
      )
      const first = yield* flagger(3)
      expect((yield* flag(first, { reason: "factual", note: "It is nine." })).body).toMatchObject({
        segmentId: id,
        weight: 2,
        totalWeight: 2,
        held: false
      })
      expect(yield* reviews).toEqual([])
      // A second flag of the same agent changes nothing.
      expect((yield* flag(first, { reason: "abuse" })).body.totalWeight).toBe(2)
      expect((yield* flag(yield* flagger(2))).body).toMatchObject({ totalWeight: 3, held: false })
      const [review] = yield* reviews
      expect((yield* call("GET", `/api/v1/segments/${id}`)).status).toBe(200)
      expect((yield* flag(yield* flagger(4))).body).toMatchObject({ weight: 3, totalWeight: 6, held: true })
      expect((yield* call("GET", `/api/v1/segments/${id}`)).status).toBe(404)
      const decided = yield* call("POST", `/api/ops/reviews/${review.id}/decision`, {
        key: yield* operator("producer"),
        body: { decision: "approve", reason: "It was right." }
      })
      expect(decided.status).toBe(200)
      expect((yield* call("GET", `/api/v1/segments/${id}`)).status).toBe(200)
      expect((yield* flag(yield* flagger(2))).body).toMatchObject({ totalWeight: 1, held: false })
    })
  )
})
