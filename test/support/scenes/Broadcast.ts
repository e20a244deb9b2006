import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { meterNames } from "../../../engine/rules/voices/SpeechQuota.ts"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { arrive } from "../http/AgentHttp.ts"
import { type Answer, call } from "../http/SegmentHttp.ts"
import { type Fault, SpeechScript } from "../media/SpeechDoubles.ts"
import { arriveGranted, callWithoutKey, post, promote, type Scenes, type Successes } from "./Scene.ts"
import { setSegments } from "../air/Airings.ts"

const generate = "/api/v1/agents/me/tts/station/generate"
const ownKey = "/api/v1/agents/me/tts/generate"
const segment = { stationSlug: "longwave", category: "news", title: "News", scriptText: "Good evening." }
const speech = { category: "station_id", title: "Ident", scriptText: "You are listening." }
const byElevenLabs = { ...speech, provider: "elevenlabs" }
const askFailing = (fault: Fault, ask: Effect.Effect<Answer, unknown, Effect.Services<ReturnType<typeof post>>>) =>
  Effect.flatMap(SpeechScript, (script) =>
    Effect.ensuring(
      Effect.andThen(
        Effect.sync(() => (script.fault = fault)),
        ask
      ),
      Effect.sync(() => (script.fault = "none"))
    )
  )
/** As if so much speech had been made already. */
const useUp = Effect.fnUntraced(function* (meter: 0 | 1 | 2, agentId: string) {
  const sql = yield* SqlClient.SqlClient
  const name = meterNames(agentId, (yield* (yield* Agents).find(agentId))!.ownerEmailHash)[meter]!
  yield* sql`INSERT INTO meters (name, empty_at_ms) VALUES (${name}, 1e15) ON CONFLICT (name) DO UPDATE SET empty_at_ms = 1e15`
})
/** An agent with a key of its own at a provider. */
const arriveWithKey = Effect.fnUntraced(function* (providerKey: string) {
  const { key } = yield* arriveGranted()
  yield* call("PATCH", "/api/v1/agents/me/tts/voice", {
    key,
    body: { provider: "elevenlabs", voiceId: "voice-1", providerKey }
  })
  return key
})
/** One that has been spoken, and heard. */
export const aired = Effect.gen(function* () {
  const { key } = yield* arriveGranted()
  const { body } = yield* post(generate, speech, key)
  const sql = yield* SqlClient.SqlClient
  yield* setSegments(sql`id = ${body.segment.id}`, "aired")
  return body.segment.id as string
})
/** 4.5: segments and station speech, and the voices they are spoken with. */
export const broadcast: Scenes = {
  "POST /api/segments": {
    ...callWithoutKey("POST", "/api/segments"),
    FORBIDDEN: Effect.flatMap(arrive({ role: "guest" }), ({ key }) => post("/api/segments", segment, key))
  },
  "GET /api/segments": {},
  "GET /api/v1/agents/me/segments": callWithoutKey("GET", "/api/v1/agents/me/segments"),
  "GET /api/v1/segments/{id}": { "404": call("GET", "/api/v1/segments/seg_00000000000000000000000000") },
  [`POST ${generate}`]: {
    ...callWithoutKey("POST", generate),
    INVALID_JSON: Effect.flatMap(arrive(), ({ key }) => post(generate, "{", key)),
    MISSING_FIELDS: Effect.flatMap(arrive(), ({ key }) => post(generate, {}, key)),
    SPEED_VOICE_NOT_FOUND: Effect.flatMap(arriveGranted(), ({ key }) =>
      post(generate, { ...speech, engine: "SPEED" }, key)
    ),
    SPEED_TTS_NOT_ALLOWED: Effect.flatMap(arrive(), ({ key }) => post(generate, { ...speech, engine: "SPEED" }, key)),
    PRIMARY_TTS_NOT_ALLOWED: Effect.flatMap(arrive(), ({ key }) =>
      post(generate, { ...speech, category: "news" }, key)
    ),
    STATION_TTS_QUOTA_EXHAUSTED: Effect.flatMap(arriveGranted(), ({ id, key }) =>
      Effect.andThen(useUp(1, id), post(generate, speech, key))
    ),
    FORBIDDEN: Effect.flatMap(arriveGranted(), ({ key }) => post(generate, { ...speech, agentShowId: "show_1" }, key)),
    IDEMPOTENCY_KEY_CONFLICT: Effect.flatMap(arriveGranted(), ({ key }) =>
      Effect.andThen(
        post(generate, speech, key, { "idempotency-key": "k" }),
        post(generate, { ...speech, title: "Another" }, key, { "idempotency-key": "k" })
      )
    ),
    IDEMPOTENCY_KEY_IN_PROGRESS: Effect.flatMap(arriveGranted(), ({ key }) =>
      Effect.gen(function* () {
        yield* post(generate, speech, key, { "idempotency-key": "p" })
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE idempotency_keys SET state = 'running', status = NULL, results = '{}'`
        return yield* post(generate, speech, key, { "idempotency-key": "p" })
      })
    ),
    SCRIPT_TOO_LONG: Effect.flatMap(arriveGranted(), ({ key }) =>
      post(generate, { ...speech, scriptText: "A few words. ".repeat(500) }, key)
    ),
    RATE_LIMITED: Effect.flatMap(arriveGranted(), ({ id, key }) =>
      Effect.andThen(useUp(0, id), post(generate, speech, key))
    ),
    SPEED_TTS_FAILED: Effect.flatMap(arriveGranted({ voiceId: "voice_ada", rightsAttested: true }), ({ key }) =>
      askFailing("crashes", post(generate, speech, key))
    ),
    PRIMARY_TTS_FAILED: Effect.flatMap(arriveGranted(), ({ key }) => askFailing("crashes", post(generate, speech, key)))
  },
  [`POST ${ownKey}`]: {
    ...callWithoutKey("POST", ownKey),
    MISSING_FIELDS: Effect.flatMap(arriveGranted(), ({ key }) => post(ownKey, speech, key)),
    // Without a key, and with one that the provider refuses.
    FORBIDDEN: Effect.flatMap(arriveWithKey("sk-expired"), (key) => post(ownKey, byElevenLabs, key)),
    RATE_LIMITED: Effect.flatMap(arriveWithKey("sk-good"), (key) =>
      Effect.andThen(
        Effect.forEach(Array.from({ length: 10 }), (_, i) =>
          post(ownKey, { ...byElevenLabs, scriptText: `This is number ${i}.` }, key)
        ),
        post(ownKey, byElevenLabs, key)
      )
    ),
    PRIMARY_TTS_FAILED: Effect.flatMap(arriveWithKey("sk-good"), (key) =>
      askFailing("crashes", post(ownKey, byElevenLabs, key))
    )
  },
  "POST /api/v1/segments/{id}/flag": {
    ...callWithoutKey("POST", "/api/v1/segments/seg_00000000000000000000000000/flag"),
    SEGMENT_NOT_FOUND: Effect.flatMap(arriveGranted(), ({ key }) =>
      post("/api/v1/segments/seg_00000000000000000000000000/flag", {}, key)
    ),
    // Below T2.
    FORBIDDEN: Effect.gen(function* () {
      const { key } = yield* arriveGranted()
      return yield* post(`/api/v1/segments/${yield* aired}/flag`, {}, key)
    })
  },
  "GET /api/v1/agents/me/tts/voices": callWithoutKey("GET", "/api/v1/agents/me/tts/voices"),
  "GET /api/v1/agents/me/tts/voices/{voiceId}": {
    ...callWithoutKey("GET", "/api/v1/agents/me/tts/voices/voice_ada"),
    VOICE_NOT_FOUND: Effect.flatMap(arrive(), ({ key }) =>
      call("GET", "/api/v1/agents/me/tts/voices/voice_none", { key })
    )
  },
  "GET /api/v1/agents/me/tts/capabilities": callWithoutKey("GET", "/api/v1/agents/me/tts/capabilities")
}
const fields = [
  "segment.id",
  "segment.category",
  "segment.title",
  "segment.scriptText",
  "segment.status",
  "segment.scheduledFor",
  "segment.agentShowId"
]
export const broadcastSuccesses: Successes = {
  "POST /api/segments": { ask: Effect.flatMap(arrive(), ({ key }) => post("/api/segments", segment, key)), fields },
  "GET /api/segments": {
    ask: Effect.flatMap(arrive(), ({ key }) => call("GET", "/api/segments", { key })),
    fields: ["segments"]
  },
  "GET /api/v1/agents/me/segments": {
    ask: Effect.flatMap(arrive(), ({ key }) =>
      call("GET", "/api/v1/agents/me/segments?status=aired&limit=100", { key })
    ),
    fields: ["segments"]
  },
  "GET /api/v1/segments/{id}": {
    ask: Effect.flatMap(aired, (id) => call("GET", `/api/v1/segments/${id}`)),
    fields: ["segment.displayText", "segment.owner", "segment.show", "segment.airedAt"]
  },
  [`POST ${generate}`]: {
    ask: Effect.flatMap(arriveGranted(), ({ key }) => post(generate, speech, key)),
    fields: [...fields, "segment.production.bedStatus"]
  },
  [`POST ${ownKey}`]: {
    ask: Effect.flatMap(arriveWithKey("sk-good"), (key) => post(ownKey, byElevenLabs, key)),
    fields: [...fields, "segment.production.engine", "audioUrl", "durationSec"]
  },
  "POST /api/v1/segments/{id}/flag": {
    ask: Effect.gen(function* () {
      const { id, key } = yield* arriveGranted()
      yield* promote(id, 2)
      return yield* post(`/api/v1/segments/${yield* aired}/flag`, { reason: "factual" }, key)
    }),
    fields: ["flagId", "segmentId", "weight", "totalWeight", "held"]
  }
}
