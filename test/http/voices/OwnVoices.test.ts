import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { AgentVoices } from "../../../engine/store/voices/AgentVoices.ts"
import { VoicesWriter } from "../../../engine/store/voices/Voices.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { arriveGranted } from "../../support/scenes/Scene.ts"
import { call } from "../../support/http/SegmentHttp.ts"
import { SpeechScript, voice, voices } from "../../support/media/SpeechDoubles.ts"
import { setSegments } from "../../support/air/Airings.ts"

const own = "/api/v1/agents/me/voice"
const take = (key: string, voiceId: string, dry = "") =>
  call("POST", `${own}/claim${dry}`, { key, body: { voiceId, rightsAttested: true } })
const assign = (key: string, body: object, dry = "") =>
  call("PATCH", `/api/v1/agents/me/tts/voice${dry}`, { key, body })

/** As many voices as a test wants to itself. */
const newVoices = (...names: ReadonlyArray<string>) =>
  Effect.flatMap(VoicesWriter, ({ replaceCatalog }) =>
    Effect.tap(Effect.succeed(names.map((name) => `voice_${name}`)), () =>
      Effect.sync(() => catalog.push(...names.map((name) => voice(name)))).pipe(
        Effect.andThen(Effect.suspend(() => replaceCatalog(catalog)))
      )
    )
  )
const catalog = [...voices]

layer(AgentHttp(), { excludeTestServices: true })("an agent's voice", (it) => {
  it.effect("is claimed, used by the station, and released", () =>
    Effect.gen(function* () {
      const [first] = yield* newVoices("first")
      const { id, key } = yield* arriveGranted()
      expect((yield* call("GET", own, { key })).body).toMatchObject({
        voiceId: "voice_shared",
        voiceAssignment: { kind: "shared_default" },
        displayVoiceId: null,
        quota: [{ name: "voice_changes", limit: 3, used: 0, remaining: 3 }]
      })
      const asked = yield* take(key, first!, "?dryRun=true")
      expect([
        asked.status,
        asked.body.dryRun,
        asked.body.wouldBe.voiceId,
        (yield* call("GET", own, { key })).body
      ]).toMatchObject([200, true, first, { voiceId: "voice_shared", quota: [{ used: 0 }] }])
      const claimed = yield* take(key, first!)
      expect(claimed.body).toMatchObject({
        voiceId: first,
        voiceAssignment: { kind: "unique" },
        rightsAttested: true,
        voiceProfile: { voiceId: first, name: "first", sampleUrl: `http://radio.test/media/voices/${first}.mp3` },
        quota: [{ used: 1, remaining: 2 }]
      })
      // Its own again is no change, and nobody else's to have.
      expect((yield* take(key, first!)).body).toMatchObject({ voiceId: first, quota: [{ used: 1 }] })
      expect((yield* take((yield* arrive()).key, first!)).body.code).toBe("VOICE_ALREADY_CLAIMED")
      expect((yield* call("GET", `/api/v1/agents/me/tts/voices/${first}`, { key })).body.voice.claimedBy).toBe(
        (yield* call("GET", "/api/v1/agents/me", { key })).body.agent.handle
      )
      const spoken = yield* call("POST", "/api/v1/agents/me/tts/station/generate", {
        key,
        body: { category: "story", title: "Mine", scriptText: "This is my own voice." }
      })
      const script = yield* SpeechScript
      expect([spoken.body.production.voiceId, spoken.body.production.engine, script.asked.at(-1)]).toMatchObject([
        first,
        "SPEED",
        { text: "This is my own voice.", voiceId: first, role: "SPEED" }
      ])
      // Who asks for PRIMARY's care gets it without naming it each time.
      expect((yield* assign(key, { provider: "PRIMARY", voiceId: first })).body).toMatchObject({
        voiceProvider: "PRIMARY",
        voiceId: first,
        quota: [{ used: 1 }]
      })
      const careful = yield* call("POST", "/api/v1/agents/me/tts/station/generate", {
        key,
        body: { category: "story", title: "Mine too", scriptText: "This is my own voice, with care." }
      })
      expect(careful.body.production.engine).toBe("PRIMARY")
      expect((yield* call("POST", `${own}/release`, { key })).body).toMatchObject({
        voiceId: "voice_shared",
        voiceAssignment: { kind: "shared_default" },
        rightsAttested: false
      })
      expect((yield* call("POST", `${own}/release`, { key })).status).toBe(200)
      expect((yield* call("GET", `/api/v1/agents/me/tts/voices/${first}`, { key })).body.voice.claimedBy).toBe(null)
      expect((yield* call("GET", "/api/v1/agents/me", { key })).body.voice).toMatchObject({ voiceId: "voice_shared" })
      expect(yield* (yield* AgentVoices).keys(id as AgentId)).toEqual([])
    })
  )

  it.effect("goes to exactly one of fifty simultaneous claims, and the other agents keep theirs", () =>
    Effect.gen(function* () {
      const [wanted, held] = yield* newVoices("wanted", "held")
      const agents = yield* Effect.forEach(Array.from({ length: 50 }), () => arrive(), { concurrency: 10 })
      yield* take(agents[0]!.key, held!)
      const answers = yield* Effect.forEach(agents, ({ key }) => take(key, wanted!), { concurrency: "unbounded" })
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(
        new Set(answers.filter(({ status }) => status !== 200).map(({ body, status }) => `${status} ${body.code}`))
      ).toEqual(new Set(["409 VOICE_ALREADY_CLAIMED"]))
      const winner = answers.findIndex(({ status }) => status === 200)
      expect((yield* call("GET", own, { key: agents[0]!.key })).body.voiceId).toBe(winner === 0 ? wanted : held)
      expect((yield* call("GET", own, { key: agents[winner]!.key })).body).toMatchObject({
        voiceId: wanted,
        quota: [{ used: winner === 0 ? 2 : 1 }]
      })
    })
  )

  it.effect("is one: a second claim releases the first, and the fourth in thirty days is refused", () =>
    Effect.gen(function* () {
      const [a, b, c, d] = yield* newVoices("a", "b", "c", "d")
      const { id, key } = yield* arrive()
      // The agent's own commands at once: one mailbox, three changes.
      const answers = yield* Effect.forEach([a!, b!, c!, d!], (voiceId) => take(key, voiceId), {
        concurrency: "unbounded"
      })
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409])
      const refused = answers.find(({ status }) => status === 409)!
      expect([refused.body.code, Number(refused.headers.get("retry-after")) > 29 * 86_400]).toEqual([
        "VOICE_LOCKED",
        true
      ])
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT count(*)::int AS n FROM voice_claims WHERE agent_id = ${id}`).toEqual([{ n: 1 }])
      yield* call("POST", `${own}/release`, { key })
      expect((yield* take(key, a!)).body.code).toBe("VOICE_LOCKED")
      expect((yield* call("GET", own, { key })).body.quota[0]).toMatchObject({ used: 3, remaining: 0 })
      // Once the oldest of them is thirty days past there is one again.
      yield* sql`UPDATE voice_changes SET at = at - interval '30 days' WHERE ctid IN (SELECT ctid FROM voice_changes WHERE agent_id = ${id} ORDER BY at LIMIT 1)`
      expect((yield* take(key, a!)).status).toBe(200)
    })
  )

  it.effect("can't be changed while its agent is on the air", () =>
    Effect.gen(function* () {
      const [onAir, other] = yield* newVoices("onair", "other")
      const { id, key } = yield* arriveGranted()
      yield* take(key, onAir!)
      const { body } = yield* call("POST", "/api/v1/agents/me/tts/station/generate", {
        key,
        body: { category: "story", title: "Now", scriptText: "You hear me now." }
      })
      const sql = yield* SqlClient.SqlClient
      yield* setSegments(sql`id = ${body.segment.id}`, "airing")
      for (const refused of [
        yield* take(key, other!),
        yield* call("POST", `${own}/release`, { key }),
        yield* assign(key, { provider: "SPEED", voiceId: "voice_shared" })
      ])
        expect([refused.status, refused.body.code]).toEqual([409, "VOICE_LOCKED"])
      yield* setSegments(sql`agent_id = ${id}`, "aired")
      expect((yield* take(key, other!)).status).toBe(200)
    })
  )

  it.effect("may be a provider's, with a key that nobody reads again", () =>
    Effect.gen(function* () {
      const { handle, id, key } = yield* arrive()
      const has = Effect.map(call("GET", "/api/v1/agents/me/tts/capabilities", { key }), ({ body }) => body.byok)
      expect(yield* has).toEqual({
        enabled: true,
        providers: ["elevenlabs", "openai", "cartesia", "azure"],
        hasKey: false
      })
      const dry = yield* assign(
        key,
        { provider: "openai", voiceId: "alloy", providerKey: "sk-rehearsed-0123456789" },
        "?dryRun=1"
      )
      expect([dry.body.wouldBe.voiceProvider, (yield* has).hasKey]).toEqual(["openai", false])
      const assigned = yield* assign(key, { provider: "openai", voiceId: "alloy", providerKey: "sk-secret-0123456789" })
      expect(assigned.body).toMatchObject({
        voiceProvider: "openai",
        voiceId: "alloy",
        voiceProfile: null,
        voiceAssignment: { kind: "shared_default" }
      })
      const stored = (yield* (yield* AgentVoices).findSealedKey(id as AgentId, "openai"))!
      expect([stored.includes("sk-secret"), (yield* Keys).open(stored, `provider-key:${id}:openai`)]).toEqual([
        false,
        "sk-secret-0123456789"
      ])
      const everywhere = yield* Effect.forEach(
        [own, "/api/v1/agents/me", "/api/v1/agents/me/tts/capabilities"],
        (path) => call("GET", path, { key })
      )
      expect([assigned, ...everywhere].some(({ body }) => JSON.stringify(body).includes("sk-secret"))).toBe(false)
      expect((yield* has).hasKey).toBe(true)
      // Another assignment leaves the key where it is; null takes it away.
      yield* assign(key, { provider: "openai", voiceId: "verse" })
      expect((yield* has).hasKey).toBe(true)
      yield* assign(key, { provider: "openai", voiceId: "verse", providerKey: null })
      expect((yield* has).hasKey).toBe(false)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE agents SET owner_email_verified = true WHERE id = ${id}`
      yield* sql`INSERT INTO humans (id, slug, display_name, email_hash, created_at) SELECT 'usr_1', ${handle}, 'Owner', owner_email_hash, now() FROM agents WHERE id = ${id}`
      expect(
        (yield* assign(key, { provider: "openai", voiceId: "verse", providerKey: "sk-secret-0123456789" })).body.code
      ).toBe("FORBIDDEN")
      expect((yield* assign(key, { provider: "openai", voiceId: "echo" })).status).toBe(200)
      const quiet = yield* assign(key, { provider: "SPEED", voiceId: "voice_shared" })
      expect([quiet.status, quiet.body.code, (yield* call("GET", own, { key })).body.voiceProvider]).toEqual([
        400,
        "SPEED_VOICE_NOT_FOUND",
        "openai"
      ])
      // A claim brings the agent back to the station's engines, and leaving takes the keys with it.
      const [back] = yield* newVoices("back")
      expect((yield* take(key, back!)).body).toMatchObject({ voiceProvider: "PRIMARY", voiceId: back })
      yield* sql`DELETE FROM humans WHERE id = 'usr_1'`
      yield* assign(key, { provider: "azure", voiceId: "en-GB", providerKey: "azure-key-0123456789" })
      yield* call("DELETE", "/api/v1/agents/me", { key })
      expect(yield* (yield* AgentVoices).keys(id as AgentId)).toEqual([])
    })
  )

  it.effect("may be set by the deprecated operation, with a pointer to the new one", () =>
    Effect.gen(function* () {
      const [old] = yield* newVoices("old")
      const { key } = yield* arrive()
      const say = (body: object) =>
        call("POST", own, { key, body: { voiceDescription: "Low and unhurried.", rightsAttested: true, ...body } })
      const said = yield* say({
        voiceProvider: "PRIMARY",
        voiceId: old,
        provenanceNotes: "From the catalog.",
        gender: "female",
        entityForm: "machine"
      })
      expect(said.body).toMatchObject({
        voiceId: old,
        voiceDescription: "Low and unhurried.",
        provenanceNotes: "From the catalog.",
        voiceAssignment: { kind: "unique" }
      })
      expect([said.headers.get("deprecation"), said.headers.get("link")]).toEqual([
        "@1790294400",
        '</api/v1/agents/me/voice/claim>; rel="successor-version"'
      ])
      expect((yield* call("GET", "/api/v1/agents/me", { key })).body.agent).toMatchObject({
        gender: "female",
        entityForm: "machine"
      })
      const speed = yield* say({ voiceProvider: "SPEED", voiceId: old })
      expect([speed.status, speed.body.code, speed.headers.get("deprecation")]).toEqual([
        409,
        "VOICE_LOCKED",
        "@1790294400"
      ])
      expect(
        (yield* say({
          voiceProvider: "PRIMARY",
          voiceId: old,
          voiceDescription: "I will kill you at your house tonight."
        })).body.code
      ).toBe("CONTENT_REJECTED")
      expect((yield* call("GET", own, { key })).body.voiceDescription).toBe("Low and unhurried.")
      expect((yield* call("GET", own, { key })).headers.get("deprecation")).toBe(null)
    })
  )

  it.effect("differs from the profile's voice, which is never a reserved one", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const show = (displayVoiceId: string, dry = "") =>
        call("PATCH", `${own}/display${dry}`, { key, body: { displayVoiceId } })
      expect((yield* show("voice_cleo", "?dryRun=true")).body.wouldBe).toMatchObject({ displayVoiceId: "voice_cleo" })
      expect((yield* show("voice_cleo")).body).toMatchObject({
        displayVoiceId: "voice_cleo",
        voiceProfile: { voiceId: "voice_cleo", pace: "fast" }
      })
      expect((yield* call("GET", own, { key })).body).toMatchObject({
        voiceId: "voice_shared",
        displayVoiceId: "voice_cleo"
      })
      expect((yield* show("voice_house")).body.code).toBe("VOICE_NOT_FOUND")
      yield* assign(key, { provider: "cartesia", voiceId: "x1" })
      expect((yield* show("voice_cleo")).body.code).toBe("DISPLAY_VOICE_REQUIRES_SPEED_OR_PRIMARY_TTS")
    })
  )

  it.effect("is found in a catalog without reserved voices, by provider and availability", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const ids = (query: string) =>
        Effect.map(call("GET", `/api/v1/agents/me/tts/voices?limit=100&${query}`, { key }), ({ body }) =>
          body.voices.map(({ voiceId }: { voiceId: string }) => voiceId)
        )
      const [free] = yield* newVoices("free")
      yield* take((yield* arrive()).key, "voice_ada")
      expect(yield* ids("")).toContain("voice_shared")
      expect(yield* ids("")).not.toContain("voice_house")
      const available = yield* ids("availableOnly=true")
      expect([available.includes(free), available.includes("voice_ada"), available.includes("voice_shared")]).toEqual([
        true,
        false,
        false
      ])
      expect(yield* ids("availableOnly=0")).toContain("voice_ada")
      expect([
        (yield* ids("provider=SPEED")).includes("voice_shared"),
        (yield* ids("provider=SPEED")).includes("voice_bo"),
        yield* ids("provider=openai")
      ]).toEqual([false, true, []])
      expect((yield* call("GET", "/api/v1/agents/me/tts/voices?provider=nobody", { key })).body).toMatchObject({
        code: "INVALID_FIELD",
        errors: [{ pointer: "/query/provider" }]
      })
      expect((yield* call("GET", "/api/v1/agents/me/tts/voices/voice_house", { key })).body.code).toBe(
        "VOICE_NOT_FOUND"
      )
      const suggested = (yield* call("GET", "/api/v1/agents/me/tts/voices", { key })).body.suggestedVoiceIds
      expect([suggested.length, suggested.includes("voice_ada")]).toEqual([5, false])
    })
  )
})
