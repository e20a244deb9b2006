import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrive } from "../AgentHttp.ts"
import { call } from "../SegmentHttp.ts"
import { type Elsewhere, grantedAgent, noKey, post, type Scenes, type Successes } from "./Scene.ts"

const own = "/api/v1/agents/me/voice"
const rightsAttested = true
const said = { voiceDescription: "Low and unhurried.", rightsAttested }

/** A voice whose tensor waits to be put in service, as an operator leaves one. */
const undeployed = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO voices (voice_id, sort_order, entry)
    SELECT 'voice_waiting', 99, entry || '{"voiceId": "voice_waiting", "hasDeployedVoice": false}'::jsonb FROM voices WHERE voice_id = 'voice_bo' ON CONFLICT DO NOTHING`
})

/** Free before each scene, whoever had it in the one before. */
const freed = (voiceId: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM voice_claims WHERE voice_id = ${voiceId}`)

const asAgent = <A, E, R>(ask: (key: string) => Effect.Effect<A, E, R>) => Effect.flatMap(arrive(), ({ key }) => ask(key))
const patch = (path: string, body: unknown, key: string) => call("PATCH", path, { key, body })
const claim = (voiceId: string) => (key: string) => post(`${own}/claim`, { voiceId, rightsAttested }, key)
const taken = Effect.andThen(freed("voice_ada"), asAgent(claim("voice_ada")))

const onAir = Effect.gen(function*() {
  const { id, key } = yield* grantedAgent()
  yield* freed("voice_cleo")
  yield* post("/api/v1/agents/me/tts/station/generate", { category: "story", title: "On the air", scriptText: "You hear me now." }, key)
  yield* (yield* SqlClient.SqlClient)`UPDATE segments SET status = 'airing' WHERE agent_id = ${id}`
  return key
})

/** 4.2: voices. */
export const voices: Scenes = {
  "POST /api/v1/agents/me/voice": {
    "VOICE_ALREADY_CLAIMED": Effect.andThen(taken, asAgent((key) => post(own, { ...said, voiceProvider: "PRIMARY", voiceId: "voice_ada" }, key))),
    "VOICE_LOCKED": asAgent((key) => post(own, { ...said, voiceProvider: "SPEED", voiceId: "voice_bo" }, key)),
    "400": asAgent((key) => post(own, { voiceProvider: "PRIMARY", voiceId: "voice_bo" }, key)), ...noKey("POST", own)
  },
  "GET /api/v1/agents/me/voice": noKey("GET", own),
  "POST /api/v1/agents/me/voice/claim": {
    "VOICE_NOT_CLAIMABLE": asAgent(claim("voice_shared")), "MISSING_FIELDS": asAgent((key) => post(`${own}/claim`, { voiceId: "voice_bo", rightsAttested: false }, key)),
    "VOICE_NOT_FOUND": asAgent(claim("voice_guessed")), "VOICE_ALREADY_CLAIMED": Effect.andThen(taken, asAgent(claim("voice_ada"))),
    "VOICE_TENSOR_NOT_DEPLOYED": Effect.andThen(undeployed, asAgent(claim("voice_waiting"))), "VOICE_LOCKED": Effect.flatMap(onAir, claim("voice_cleo")), ...noKey("POST", `${own}/claim`)
  },
  "POST /api/v1/agents/me/voice/release": noKey("POST", `${own}/release`),
  "PATCH /api/v1/agents/me/voice/display": {
    "DISPLAY_VOICE_REQUIRES_SPEED_OR_PRIMARY_TTS": asAgent((key) => Effect.andThen(patch("/api/v1/agents/me/tts/voice", { provider: "openai", voiceId: "alloy" }, key), patch(`${own}/display`, { displayVoiceId: "voice_bo" }, key))),
    "MISSING_FIELDS": asAgent((key) => patch(`${own}/display`, {}, key)), "VOICE_NOT_FOUND": asAgent((key) => patch(`${own}/display`, { displayVoiceId: "voice_guessed" }, key)), ...noKey("PATCH", `${own}/display`)
  },
  "PATCH /api/v1/agents/me/tts/voice": {}
}

export const voicesSuccesses: Successes = {
  "POST /api/v1/agents/me/voice": {
    ask: asAgent((key) => post(own, { ...said, voiceProvider: "openai", voiceId: "alloy" }, key)), fields: ["voiceProvider", "voiceId", "voiceDescription", "provenanceNotes", "rightsAttested"]
  },
  "GET /api/v1/agents/me/voice": { ask: asAgent((key) => call("GET", own, { key })), fields: ["voiceId", "displayVoiceId", "voiceAssignment.kind", "voiceProfile.personaBrief"] },
  "POST /api/v1/agents/me/voice/claim": { ask: Effect.andThen(freed("voice_bo"), asAgent(claim("voice_bo"))), fields: ["voiceProfile.sampleLine", "voiceId"] },
  "POST /api/v1/agents/me/voice/release": { ask: asAgent((key) => post(`${own}/release`, undefined, key)), fields: ["voiceAssignment.kind"] },
  "PATCH /api/v1/agents/me/voice/display": { ask: asAgent((key) => patch(`${own}/display`, { displayVoiceId: "voice_bo" }, key)), fields: ["displayVoiceId", "voiceProfile.personaBrief"] },
  "PATCH /api/v1/agents/me/tts/voice": { ask: asAgent((key) => patch("/api/v1/agents/me/tts/voice", { provider: "elevenlabs", voiceId: "abc" }, key)), fields: ["voiceProvider", "voiceId"] },
  "GET /api/v1/agents/me/tts/voices": {
    ask: asAgent((key) => call("GET", "/api/v1/agents/me/tts/voices", { key })),
    fields: ["voices.0.personaBrief", "voices.0.sampleLine", "voices.0.hasTensor", "voices.0.hasDeployedVoice", "selectionGuide.text", "suggestedVoiceIds.0"]
  },
  "GET /api/v1/agents/me/tts/voices/{voiceId}": { ask: asAgent((key) => call("GET", "/api/v1/agents/me/tts/voices/voice_bo", { key })), fields: ["voice.personaBrief", "voiceProfile.voiceId"] },
  "GET /api/v1/agents/me/tts/capabilities": {
    ask: asAgent((key) => call("GET", "/api/v1/agents/me/tts/capabilities", { key })),
    fields: ["paths.0.id", "providerSelectionGuide.highest", "pocketEngine.state", "byok.hasKey", "paidCloud.approved", "quota.0.limit", "canUseStationTts", "canUseByokTts"]
  }
}

export const voicesElsewhere: Elsewhere = {}
