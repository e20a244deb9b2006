import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrive } from "../http/AgentHttp.ts"
import { call } from "../http/SegmentHttp.ts"
import { type Elsewhere, arriveGranted, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"
import { setSegments } from "../air/Airings.ts"

const own = "/api/v1/agents/me/voice"
const rightsAttested = true
const said = { voiceDescription: "Low and unhurried.", rightsAttested }

/** Voices of these scenes alone: the doubles' few are other scenes' to claim. They are free before each scene, whoever had them in the one before. */
export const aviary = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const [name, deployed] of [
    ["tern", true],
    ["gannet", true],
    ["waiting", false]
  ] as const) {
    const over = JSON.stringify({ voiceId: `voice_${name}`, name, hasDeployedVoice: deployed })
    yield* sql`INSERT INTO voices (voice_id, sort_order, entry) SELECT ${`voice_${name}`}, 99, entry || ${over}::text::jsonb FROM voices WHERE voice_id = 'voice_bo' ON CONFLICT DO NOTHING`
  }
  yield* sql`DELETE FROM voice_claims WHERE voice_id IN ('voice_tern', 'voice_gannet')`
})

const askAsAgent = <A, E, R>(ask: (key: string) => Effect.Effect<A, E, R>) =>
  Effect.andThen(
    aviary,
    Effect.flatMap(arrive(), ({ key }) => ask(key))
  )
const askAsAnother = <A, E, R>(ask: (key: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(arrive(), ({ key }) => ask(key))
const patch = (path: string, body: unknown, key: string) => call("PATCH", path, { key, body })
const claim = (voiceId: string) => (key: string) => post(`${own}/claim`, { voiceId, rightsAttested }, key)
const taken = askAsAgent(claim("voice_tern"))

const onAir = Effect.gen(function* () {
  const { id, key } = yield* arriveGranted()
  yield* aviary
  yield* post(
    "/api/v1/agents/me/tts/station/generate",
    { category: "story", title: "On the air", scriptText: "You hear me now." },
    key
  )
  const sql = yield* SqlClient.SqlClient
  yield* setSegments(sql`agent_id = ${id}`, "airing")
  return key
})

/** 4.2: voices. */
export const voices: Scenes = {
  "POST /api/v1/agents/me/voice": {
    VOICE_ALREADY_CLAIMED: Effect.andThen(
      taken,
      askAsAnother((key) => post(own, { ...said, voiceProvider: "PRIMARY", voiceId: "voice_tern" }, key))
    ),
    VOICE_LOCKED: askAsAgent((key) => post(own, { ...said, voiceProvider: "SPEED", voiceId: "voice_bo" }, key)),
    "400": askAsAgent((key) => post(own, { voiceProvider: "PRIMARY", voiceId: "voice_bo" }, key)),
    ...callWithoutKey("POST", own)
  },
  "GET /api/v1/agents/me/voice": callWithoutKey("GET", own),
  "POST /api/v1/agents/me/voice/claim": {
    VOICE_NOT_CLAIMABLE: askAsAgent(claim("voice_shared")),
    MISSING_FIELDS: askAsAgent((key) => post(`${own}/claim`, { voiceId: "voice_bo", rightsAttested: false }, key)),
    VOICE_NOT_FOUND: askAsAgent(claim("voice_guessed")),
    VOICE_ALREADY_CLAIMED: Effect.andThen(taken, askAsAnother(claim("voice_tern"))),
    VOICE_TENSOR_NOT_DEPLOYED: askAsAgent(claim("voice_waiting")),
    VOICE_LOCKED: Effect.flatMap(onAir, claim("voice_gannet")),
    ...callWithoutKey("POST", `${own}/claim`)
  },
  "POST /api/v1/agents/me/voice/release": callWithoutKey("POST", `${own}/release`),
  "PATCH /api/v1/agents/me/voice/display": {
    DISPLAY_VOICE_REQUIRES_SPEED_OR_PRIMARY_TTS: askAsAgent((key) =>
      Effect.andThen(
        patch("/api/v1/agents/me/tts/voice", { provider: "openai", voiceId: "alloy" }, key),
        patch(`${own}/display`, { displayVoiceId: "voice_bo" }, key)
      )
    ),
    MISSING_FIELDS: askAsAgent((key) => patch(`${own}/display`, {}, key)),
    VOICE_NOT_FOUND: askAsAgent((key) => patch(`${own}/display`, { displayVoiceId: "voice_guessed" }, key)),
    ...callWithoutKey("PATCH", `${own}/display`)
  },
  "PATCH /api/v1/agents/me/tts/voice": {}
}

export const voicesSuccesses: Successes = {
  "POST /api/v1/agents/me/voice": {
    ask: askAsAgent((key) => post(own, { ...said, voiceProvider: "openai", voiceId: "alloy" }, key)),
    fields: ["voiceProvider", "voiceId", "voiceDescription", "provenanceNotes", "rightsAttested"]
  },
  "GET /api/v1/agents/me/voice": {
    ask: askAsAgent((key) => call("GET", own, { key })),
    fields: ["voiceId", "displayVoiceId", "voiceAssignment.kind", "voiceProfile.personaBrief"]
  },
  "POST /api/v1/agents/me/voice/claim": {
    ask: askAsAgent(claim("voice_gannet")),
    fields: ["voiceProfile.sampleLine", "voiceId"]
  },
  "POST /api/v1/agents/me/voice/release": {
    ask: askAsAgent((key) => post(`${own}/release`, undefined, key)),
    fields: ["voiceAssignment.kind"]
  },
  "PATCH /api/v1/agents/me/voice/display": {
    ask: askAsAgent((key) => patch(`${own}/display`, { displayVoiceId: "voice_bo" }, key)),
    fields: ["displayVoiceId", "voiceProfile.personaBrief"]
  },
  "PATCH /api/v1/agents/me/tts/voice": {
    ask: askAsAgent((key) => patch("/api/v1/agents/me/tts/voice", { provider: "elevenlabs", voiceId: "abc" }, key)),
    fields: ["voiceProvider", "voiceId"]
  },
  "GET /api/v1/agents/me/tts/voices": {
    ask: askAsAgent((key) => call("GET", "/api/v1/agents/me/tts/voices", { key })),
    fields: [
      "voices.0.personaBrief",
      "voices.0.sampleLine",
      "voices.0.hasTensor",
      "voices.0.hasDeployedVoice",
      "selectionGuide.text",
      "suggestedVoiceIds.0"
    ]
  },
  "GET /api/v1/agents/me/tts/voices/{voiceId}": {
    ask: askAsAgent((key) => call("GET", "/api/v1/agents/me/tts/voices/voice_bo", { key })),
    fields: ["voice.personaBrief", "voiceProfile.voiceId"]
  },
  "GET /api/v1/agents/me/tts/capabilities": {
    ask: askAsAgent((key) => call("GET", "/api/v1/agents/me/tts/capabilities", { key })),
    fields: [
      "paths.0.id",
      "providerSelectionGuide.highest",
      "pocketEngine.state",
      "byok.hasKey",
      "paidCloud.approved",
      "quota.0.limit",
      "canUseStationTts",
      "canUseByokTts"
    ]
  }
}

export const voicesElsewhere: Elsewhere = {}
