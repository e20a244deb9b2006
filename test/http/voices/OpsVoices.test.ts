import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expect } from "vitest"
import { VoiceRegisterLive } from "../../../actors/voices/VoiceRegister.ts"
import { Audit } from "../../../engine/store/sql/Audit.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { arriveGranted } from "../../support/scenes/Scene.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"
import { SpeechScript } from "../../support/media/SpeechDoubles.ts"

const tern = {
  name: "Tern",
  gender: "female",
  ageBand: "adult",
  accent: "Scottish",
  pace: "measured",
  timbre: ["clear"],
  personaBrief: "Reads the forecast as if it were good news.",
  sampleLine: "Light icing. Good.",
  sound: { pitchHz: 205, tractPct: 104, secondPct: 99, wordsPerMin: 158 }
}
const claim = (key: string, voiceId: string) =>
  call("POST", "/api/v1/agents/me/voice/claim", { key, body: { voiceId, rightsAttested: true } })

/** What the station does with the catalog each time it starts. */
const startAgain = Effect.scoped(Layer.build(Layer.fresh(VoiceRegisterLive)))

layer(AgentHttp(), { excludeTestServices: true })("the catalog of voices, for operators", (it) => {
  it.effect("is read and changed by admins alone", () =>
    Effect.gen(function* () {
      for (const [method, path] of [
        ["GET", "/api/ops/voices"],
        ["POST", "/api/ops/voices"],
        ["PATCH", "/api/ops/voices/voice_bo"]
      ] as const) {
        const ask = (key?: string) =>
          call(method, path, {
            ...(key === undefined ? {} : { key }),
            ...(method === "GET" ? {} : { body: { reserved: true } })
          })
        expect([
          (yield* ask()).body.code,
          (yield* ask((yield* arrive()).key)).body.code,
          (yield* ask(yield* operator("producer"))).body.code
        ]).toEqual(["OPERATOR_REQUIRED", "OPERATOR_REQUIRED", "FORBIDDEN"])
      }
      const { body } = yield* call("GET", "/api/ops/voices", { key: yield* operator("admin") })
      expect(body.voices.find(({ voiceId }: { voiceId: string }) => voiceId === "voice_house")).toMatchObject({
        reserved: true,
        claimable: false,
        made: false,
        listed: true,
        sampleUrl: null,
        changes: {}
      })
    })
  )

  it.effect("reserves a voice, over restarts, and frees it again", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const { key } = yield* arrive()
      const decide = (body: object, dry = "") => call("PATCH", `/api/ops/voices/voice_bo${dry}`, { key: admin, body })
      expect((yield* decide({ reserved: true }, "?dryRun=true")).body.wouldBe.voice).toMatchObject({
        reserved: true,
        claimable: false
      })
      expect((yield* decide({ reserved: true, reason: "the night show" })).body.voice).toMatchObject({
        reserved: true,
        changes: { reserved: true }
      })
      yield* startAgain
      expect((yield* claim(key, "voice_bo")).body.code).toBe("VOICE_NOT_CLAIMABLE")
      expect((yield* call("GET", "/api/v1/agents/me/tts/voices/voice_bo", { key })).status).toBe(404)
      expect(
        (yield* call("GET", "/api/v1/agents/me/tts/voices?limit=100", { key })).body.voices.map(
          ({ voiceId }: { voiceId: string }) => voiceId
        )
      ).not.toContain("voice_bo")
      expect((yield* decide({ reserved: null })).body.voice).toMatchObject({
        reserved: false,
        claimable: true,
        changes: {}
      })
      expect((yield* claim(key, "voice_bo")).status).toBe(200)
      const taken = yield* decide({ reserved: true })
      expect([taken.status, taken.body.code]).toEqual([409, "SUBJECT_CONFLICT"])
      const audit = (yield* (yield* Audit).list({
        actor: null,
        subject: "voice_bo",
        fromMs: null,
        toMs: null,
        limit: 10,
        cursor: null
      }))!.rows
      expect(audit.map(({ action, after, before, reason }) => [action, reason, before, after])).toEqual([
        [
          "voice.decide",
          null,
          expect.objectContaining({ reserved: true }),
          expect.objectContaining({ reserved: false })
        ],
        [
          "voice.decide",
          "the night show",
          expect.objectContaining({ reserved: false }),
          expect.objectContaining({ reserved: true })
        ]
      ])
    })
  )

  it.effect("gives a voice to an agent or to the shows, never to both", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      for (let round = 0; round < 8; round++) {
        const { key } = yield* arrive()
        yield* call("PATCH", "/api/ops/voices/voice_cleo", { key: admin, body: { reserved: null } })
        const [claimed, reserved] = yield* Effect.all(
          [
            claim(key, "voice_cleo"),
            call("PATCH", "/api/ops/voices/voice_cleo", { key: admin, body: { reserved: true } })
          ],
          { concurrency: 2 }
        )
        expect([
          [200, 409],
          [400, 200]
        ]).toContainEqual([claimed.status, reserved.status])
        yield* call("POST", "/api/v1/agents/me/voice/release", { key })
      }
    })
  )

  it.effect("keeps required voices, and hides those not in service", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const decide = (voiceId: string, body: object) =>
        call("PATCH", `/api/ops/voices/${voiceId}`, { key: admin, body })
      for (const [voiceId, body, status, code] of [
        ["voice_shared", { reserved: true }, 409, "SUBJECT_CONFLICT"],
        ["voice_shared", { listed: false }, 409, "SUBJECT_CONFLICT"],
        ["voice_house", { reserved: false }, 409, "SUBJECT_CONFLICT"],
        ["voice_nobody", { reserved: true }, 404, "VOICE_NOT_FOUND"],
        ["voice_ada", {}, 400, "MISSING_FIELDS"],
        ["voice_ada", { reserved: "yes" }, 400, "INVALID_FIELD"]
      ] as const) {
        const answer = yield* decide(voiceId, body)
        expect([voiceId, answer.status, answer.body.code]).toEqual([voiceId, status, code])
      }
      const { key } = yield* arriveGranted()
      yield* decide("voice_ada", { hasDeployedVoice: false })
      yield* startAgain
      expect((yield* claim(key, "voice_ada")).body.code).toBe("VOICE_TENSOR_NOT_DEPLOYED")
      expect(
        (yield* decide("voice_ada", { hasDeployedVoice: true, personaBrief: "Ada, at last." })).body.voice
      ).toMatchObject({
        hasDeployedVoice: true,
        engines: ["PRIMARY", "SPEED"],
        provider: "SPEED",
        personaBrief: "Ada, at last."
      })
      expect((yield* claim(key, "voice_ada")).body.voiceProfile.personaBrief).toBe("Ada, at last.")
      // Taken out of service, it stays with its agent: SPEED no longer speaks with it, PRIMARY does.
      yield* decide("voice_ada", { hasDeployedVoice: false, listed: false })
      const speak = (engine: string) =>
        call("POST", "/api/v1/agents/me/tts/station/generate", {
          key,
          body: { category: "story", title: "Still me", scriptText: `I am still here, on ${engine}.`, engine }
        })
      expect((yield* speak("SPEED")).body.code).toBe("SPEED_VOICE_NOT_FOUND")
      expect((yield* speak("PRIMARY")).body.production.voiceId).toBe("voice_ada")
      expect((yield* call("GET", "/api/v1/agents/me/tts/voices/voice_ada", { key })).status).toBe(404)
    })
  )

  it.effect("adds new voices, which agents claim and speak with, also after a restart", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const make = (body: object, dry = "") => call("POST", `/api/ops/voices${dry}`, { key: admin, body })
      expect((yield* make(tern, "?dryRun=true")).body.wouldBe.voice.voiceId).toBe("voice_tern")
      expect((yield* make(tern)).body.voice).toMatchObject({
        voiceId: "voice_tern",
        made: true,
        listed: true,
        hasTensor: true,
        hasDeployedVoice: false,
        claimable: true,
        sound: tern.sound
      })
      expect((yield* make(tern)).body.code).toBe("SUBJECT_CONFLICT")
      expect(
        (yield* make({ ...tern, name: "A b", timbre: ["odd"], sound: { ...tern.sound, pitchHz: 5 } })).body
      ).toMatchObject({
        code: "INVALID_FIELD",
        errors: [{ pointer: "/name" }, { pointer: "/timbre/0" }, { pointer: "/sound/pitchHz" }]
      })
      const { key } = yield* arriveGranted()
      expect((yield* claim(key, "voice_tern")).body.code).toBe("VOICE_TENSOR_NOT_DEPLOYED")
      yield* call("PATCH", "/api/ops/voices/voice_tern", { key: admin, body: { hasDeployedVoice: true } })
      yield* startAgain
      expect((yield* claim(key, "voice_tern")).body).toMatchObject({
        voiceId: "voice_tern",
        voiceProfile: { accent: "Scottish" }
      })
      yield* call("POST", "/api/v1/agents/me/tts/station/generate", {
        key,
        body: { category: "story", title: "Tern", scriptText: "Light icing. Good." }
      })
      expect((yield* SpeechScript).asked.at(-1)).toMatchObject({
        voiceId: "voice_tern",
        role: "SPEED",
        made: { sound: tern.sound }
      })
    })
  )
})
