import { layer } from "@effect/vitest"
import { Effect, Layer, Result, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { AgentActors } from "../../../actors/Actors.ts"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { freeStale } from "../../../actors/agents/RegistrationWorker.ts"
import { Onboarding } from "../../../actors/agents/protocol/Onboarding.ts"
import { mailJobs } from "../../../actors/operations/MailWorker.ts"
import { commandHeaders } from "../../../actors/runtime/protocol.ts"
import { workDue } from "../../../actors/runtime/JobWorker.ts"
import { isSecret, splitKey } from "../../../engine/runtime/Secrets.ts"
import { consentVersion } from "../../../schema/agents/ClaimConsent.ts"
import { otpTriesMax } from "../../../engine/rules/agents/limits.ts"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { Outbox } from "../../../engine/store/sql/Outbox.ts"
import { Voices } from "../../../engine/store/voices/Voices.ts"
import { Persona } from "../../../schema/agents/Agent.ts"
import { codeFor, Post } from "../../support/people/MailDouble.ts"
import { OnboardingWorld } from "../../support/agents/OnboardingWorld.ts"

const persona = (handle: string) =>
  Persona.make({
    handle,
    displayName: handle,
    bio: null,
    tagline: null,
    role: "hybrid",
    speakingStyle: null,
    specialties: [],
    gender: null,
    entityForm: null,
    syntheticDisclosure: null,
    avatarEntityType: null,
    avatarArchetype: null,
    avatarSignalTraits: [],
    avatarWorldNotes: null
  })
const door = (key: string) => Effect.map(Onboarding.client, (client) => client(key))
const register = (
  handle: string,
  over: { readonly email?: string; readonly voiceId?: string; readonly dryRun?: boolean } = {}
) =>
  Effect.flatMap(door(handle), (client) =>
    client.Register(
      { persona: persona(handle), requestedScopes: [], email: over.email ?? null, voiceId: over.voiceId ?? null },
      { headers: commandHeaders({ dryRun: over.dryRun ?? false }) }
    )
  )
const start = (agentId: string) =>
  Effect.flatMap(door(agentId), (client) => client.StartClaim({ agentId, requestedScopes: null }))
const verify = (claimToken: string, otpCode: string) =>
  Effect.flatMap(door(claimToken), (client) => client.VerifyOtp({ claimToken, otpCode }))
const complete = (
  proof: { readonly claimCode?: string; readonly claimToken?: string; readonly ownerEmail?: string },
  key = proof.claimCode ?? proof.claimToken!
) =>
  Effect.flatMap(door(key), (client) =>
    client.CompleteClaim({
      claimCode: proof.claimCode ?? null,
      claimToken: proof.claimToken ?? null,
      ownerEmail: proof.ownerEmail ?? null,
      consentVersion
    })
  )
const code = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) =>
    Result.isFailure(result) ? (result.failure as { code?: string }).code : "succeeded"
  )
/** All mails, after every waiting mail is sent. */
const letters = Effect.flatMap(workDue(mailJobs), () => Effect.map(Post, (post) => post.letters))
layer(OnboardingWorld({}, AgentActors))("onboarding", (it) => {
  it.effect("registers without an address, returns a code that works once, and stores only hashes", () =>
    Effect.gen(function* () {
      const agent = yield* register("nova")
      expect(agent.claimCode).toMatch(/^claim_[A-Za-z0-9_-]{43}$/)
      expect(agent.claimUrl).toBe(`http://radio.test/claim/${agent.claimCode}`)
      expect(yield* code(register("nova"))).toBe("HANDLE_TAKEN")
      expect(yield* code(register("admin"))).toBe("HANDLE_TAKEN")
      expect(yield* code(register("longwave"))).toBe("HANDLE_TAKEN")
      const claimed = yield* complete({ claimCode: agent.claimCode!, ownerEmail: " Ann@Example.org " })
      expect(claimed.ownerEmailHash).toMatch(/^[0-9a-f]{64}$/)
      expect(yield* code(complete({ claimCode: agent.claimCode!, ownerEmail: "ann@example.org" }))).toBe(
        "CLAIM_INVALID_OR_EXPIRED"
      )
      expect(yield* code(start(agent.agentId))).toBe("AGENT_ALREADY_CLAIMED")
      const parts = splitKey("svc_agent_", claimed.apiKey)!
      const credential = (yield* (yield* Agents).credential(parts.publicId))!
      expect(isSecret(parts.secret, credential.secretSha256)).toBe(true)
      expect(
        isSecret(`${parts.secret.slice(0, -1)}${parts.secret.endsWith("A") ? "B" : "A"}`, credential.secretSha256)
      ).toBe(false)
      const sql = yield* SqlClient.SqlClient
      const kept = JSON.stringify([
        yield* sql`SELECT * FROM agents`,
        yield* sql`SELECT * FROM agent_keys`,
        yield* sql`SELECT * FROM claims`,
        yield* sql`SELECT * FROM jobs WHERE kind = ${mailJobs[0].name}`
      ])
      expect(kept).toContain(mailJobs[0].name)
      for (const secret of [parts.secret, agent.claimCode!, "Ann@", "ann@example.org"])
        expect(kept).not.toContain(secret)
      expect((yield* letters).some(({ subject, to }) => to === "ann@example.org" && subject.includes("@nova"))).toBe(
        true
      )
    })
  )

  it.effect("gives a handle to one of fifty simultaneous requests, and an agent to one of twenty owners", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, n) => n),
        (n) => {
          // Different mailboxes: only the database serializes them.
          const ask = {
            persona: persona("wanted"),
            requestedScopes: [],
            email: n % 2 === 0 ? null : `o${n}@example.org`,
            voiceId: null
          }
          return Effect.result(Effect.flatMap(door(`race-${n}`), (client) => client.Register(ask)))
        },
        { concurrency: 50 }
      )
      const won = answers.filter(Result.isSuccess)
      expect(won).toHaveLength(1)
      expect(
        new Set(answers.filter(Result.isFailure).map(({ failure }) => (failure as { code?: string }).code))
      ).toEqual(new Set(["HANDLE_TAKEN"]))

      const { agentId } = yield* register("contested")
      const { claimCode } = yield* start(agentId)
      const owners = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        (n) => Effect.result(complete({ claimCode, ownerEmail: `owner${n}@example.org` }, `owner-${n}`)),
        { concurrency: 20 }
      )
      expect(owners.filter(Result.isSuccess)).toHaveLength(1)
      expect(yield* (yield* Agents).keys(agentId)).toHaveLength(1)
    })
  )

  it.effect("voids earlier codes with each new one, and gives five codes an hour", () =>
    Effect.gen(function* () {
      const { agentId, claimCode } = yield* register("fresh")
      const first = yield* start(agentId)
      expect(first).toMatchObject({ claimCode: expect.stringMatching(/^device_/), expiresInSec: 900 })
      const second = yield* start(agentId)
      for (const old of [claimCode!, first.claimCode])
        expect(yield* code(complete({ claimCode: old, ownerEmail: "a@example.org" }))).toBe("CLAIM_INVALID_OR_EXPIRED")
      yield* TestClock.adjust("901 seconds")
      expect(yield* code(complete({ claimCode: second.claimCode, ownerEmail: "a@example.org" }))).toBe(
        "CLAIM_INVALID_OR_EXPIRED"
      )
      for (let n = 0; n < 3; n++) yield* start(agentId)
      expect(yield* code(start(agentId))).toBe("RATE_LIMITED")
      expect(yield* code(start("agt_00000000000000000000000000"))).toBe("AGENT_NOT_FOUND")
      yield* TestClock.adjust("1 hour")
      const { claimCode: last } = yield* start(agentId)
      expect(yield* code(complete({ claimCode: last, ownerEmail: "a@example.org" }))).toBe("succeeded")
    })
  )

  it.effect("mails a code that the owner must return before the claim, and limits guesses", () =>
    Effect.gen(function* () {
      const email = "owner@example.org"
      const { agentId, claimCode, claimToken } = yield* register("echo", { email })
      expect([claimCode, claimToken!.split(".").length]).toEqual([null, 3])
      expect(Buffer.from(claimToken!.split(".")[1]!, "base64url").toString()).not.toContain("owner@")
      expect(yield* code(complete({ claimToken: claimToken! }))).toBe("EMAIL_NOT_VERIFIED")
      expect(
        yield* code(complete({ claimCode: (yield* start(agentId)).claimCode, ownerEmail: "thief@example.org" }))
      ).toBe("EMAIL_NOT_VERIFIED")
      const otp = codeFor(yield* letters, email)!
      const wrong = otp === "000000" ? "000001" : "000000"
      const guesses = yield* Effect.forEach(Array.from({ length: 20 }), () => code(verify(claimToken!, wrong)), {
        concurrency: 20
      })
      expect(guesses.filter((each) => each === "INVALID_OTP")).toHaveLength(otpTriesMax)
      expect(yield* code(verify(claimToken!, otp))).toBe("OTP_EXPIRED")
      expect(yield* code(verify(claimToken!, "resend"))).toBe("RATE_LIMITED")
      yield* TestClock.adjust("61 seconds")
      expect(yield* verify(claimToken!, "resend")).toEqual({ verified: false, email: "o***@example.org" })
      const again = codeFor(yield* letters, email)!
      yield* TestClock.adjust("601 seconds")
      expect(yield* code(verify(claimToken!, again))).toBe("OTP_EXPIRED")
      yield* verify(claimToken!, "resend")
      expect(yield* verify(claimToken!, codeFor(yield* letters, email)!)).toEqual({
        verified: true,
        email: "o***@example.org"
      })
      const claimed = yield* complete({ claimToken: claimToken!, ownerEmail: "thief@example.org" })
      expect((yield* (yield* Agents).find(claimed.agentId))!).toMatchObject({
        status: "claimed",
        ownerEmailVerified: true,
        ownerEmailHash: claimed.ownerEmailHash
      })
      expect(yield* code(complete({ claimToken: claimToken! }))).toBe("CLAIM_INVALID_OR_EXPIRED")
    })
  )

  it.effect("accepts only its own tokens, for this purpose, within a day", () =>
    Effect.gen(function* () {
      const { claimToken } = yield* register("token", { email: "t@example.org" })
      const [head, body, signature] = claimToken!.split(".") as [string, string, string]
      const none = Buffer.from(JSON.stringify({ alg: "none", typ: "claim+jwt" })).toString("base64url")
      const other = Buffer.from(
        JSON.stringify({
          ...JSON.parse(Buffer.from(body, "base64url").toString()),
          sub: "agt_00000000000000000000000000"
        })
      ).toString("base64url")
      for (const forged of [
        `${none}.${body}.`,
        `${head}.${other}.${signature}`,
        `${head}.${body}.${signature.slice(0, -4)}AAAA`,
        "x",
        "a.b.c"
      ]) {
        expect(yield* code(verify(forged, "123456"))).toBe("INVALID_TOKEN")
        expect(yield* code(complete({ claimToken: forged }))).toBe("CLAIM_INVALID_OR_EXPIRED")
      }
      yield* TestClock.adjust("25 hours")
      expect(yield* code(verify(claimToken!, "123456"))).toBe("INVALID_TOKEN")
    })
  )

  it.effect("mails a code five times for a token, with pauses", () =>
    Effect.gen(function* () {
      const { claimToken } = yield* register("again", { email: "again@example.org" })
      for (let n = 0; n < 5; n++) {
        yield* TestClock.adjust("61 seconds")
        expect(yield* code(verify(claimToken!, "resend"))).toBe("succeeded")
      }
      yield* TestClock.adjust("61 seconds")
      const refused = yield* Effect.flip(verify(claimToken!, "resend"))
      expect(refused).toMatchObject({ code: "RATE_LIMITED", retryAfterSec: 24 * 3_600 - 6 * 61 })
    })
  )

  it.effect("binds a verified address to the claim: a code doesn't verify another", () =>
    Effect.gen(function* () {
      const { agentId, claimToken } = yield* register("bound", { email: "mine@example.org" })
      yield* verify(claimToken!, codeFor(yield* letters, "mine@example.org")!)
      const { claimCode } = yield* start(agentId)
      expect(yield* code(complete({ claimCode, ownerEmail: "victim@example.org" }))).toBe("EMAIL_NOT_VERIFIED")
      expect((yield* (yield* Agents).find(agentId))!.status).toBe("pending")
      yield* complete({ claimCode, ownerEmail: "Mine@example.org" })
      expect((yield* (yield* Agents).find(agentId))!).toMatchObject({ status: "claimed", ownerEmailVerified: true })
    })
  )

  it.effect("lets a later claim narrow the requested scopes, never widen them", () =>
    Effect.gen(function* () {
      const scoped = (handle: string) =>
        Effect.flatMap(door(handle), (client) =>
          client.Register({
            persona: persona(handle),
            requestedScopes: ["inbox.read", "broadcast"],
            email: null,
            voiceId: null
          })
        )
      const { agentId } = yield* scoped("narrow")
      const ask = (requestedScopes: ReadonlyArray<"inbox.read" | "broadcast" | "dj_sets">) =>
        Effect.flatMap(door(agentId), (client) => client.StartClaim({ agentId, requestedScopes }))
      const scopes = Effect.flatMap(Agents, (agents) =>
        Effect.map(agents.find(agentId), (agent) => agent!.requestedScopes)
      )
      expect(yield* code(ask(["dj_sets"]))).toBe("INVALID_FIELD")
      yield* ask(["dj_sets", "broadcast"])
      expect(yield* scopes).toEqual(["broadcast"])
      yield* ask([])
      expect(yield* scopes).toEqual(["broadcast"])
    })
  )

  it.effect("lets the named owner undo the claim by the mailed link, and nobody without the link", () =>
    Effect.gen(function* () {
      const { agentId, claimCode } = yield* register("imposed")
      yield* complete({ claimCode: claimCode!, ownerEmail: "stranger@example.org" })
      const letter = (yield* letters).find(({ to }) => to === "stranger@example.org")!.text
      const [, proof] = new RegExp(`http://radio\\.test/not-me/${agentId}\\.([0-9a-f]{64})`).exec(letter)!
      const desk = (yield* Desk.client)(agentId)
      expect(yield* code(desk.Disown({ proof: `${proof!.slice(0, -1)}${proof!.endsWith("0") ? "1" : "0"}` }))).toBe(
        "NOT_FOUND"
      )
      expect(yield* code((yield* Desk.client)((yield* register("bystander")).agentId).Disown({ proof: proof! }))).toBe(
        "NOT_FOUND"
      )
      for (let n = 0; n < 2; n++) expect(yield* code(desk.Disown({ proof: proof! }))).toBe("succeeded")
      expect((yield* (yield* Agents).find(agentId))!).toMatchObject({
        status: "suspended",
        deletedAtMs: null,
        suspendedReason: expect.stringContaining("address")
      })
      const told = (yield* (yield* Outbox).listAfter(0, 1_000))
        .map(({ event }) => event)
        .filter((event) => "agentId" in event && event.agentId === agentId)
      expect(told.map(({ _tag }) => _tag)).toEqual(["AgentClaimed", "AgentSuspended"])
    })
  )

  it.effect("continues while the mail server is down", () =>
    Effect.gen(function* () {
      const post = yield* Post
      post.works = false
      expect(yield* code(register("silent", { email: "s@example.org" }))).toBe("succeeded")
      expect(codeFor(yield* letters, "s@example.org")).toBeUndefined()
      post.works = true
      yield* TestClock.adjust("20 seconds")
      expect(codeFor(yield* letters, "s@example.org")).toMatch(/^\d{6}$/)
    })
  )

  it.effect("changes nothing in a dry run", () =>
    Effect.gen(function* () {
      expect((yield* register("rehearsed", { dryRun: true })).handle).toBe("rehearsed")
      expect(yield* (yield* Agents).findByHandle("rehearsed")).toBe(null)
    })
  )

  it.effect("gives a voice to the first agent that claims it, and frees it when the agent leaves", () =>
    Effect.gen(function* () {
      expect(yield* code(register("v0", { voiceId: "voice_shared" }))).toBe("VOICE_NOT_CLAIMABLE")
      expect(yield* code(register("v0", { voiceId: "voice_house" }))).toBe("VOICE_NOT_FOUND")
      expect(yield* code(register("v0", { voiceId: "voice_none" }))).toBe("VOICE_NOT_FOUND")
      const { agentId, claimCode } = yield* register("v1", { voiceId: "voice_ada" })
      expect(yield* code(register("v2", { voiceId: "voice_ada" }))).toBe("VOICE_ALREADY_CLAIMED")
      yield* complete({ claimCode: claimCode!, ownerEmail: "v@example.org" })
      yield* (yield* Desk.client)(agentId).Leave()
      expect((yield* (yield* Voices).find("voice_ada"))!.claimedBy).toBe(null)
      expect(yield* code(register("v1"))).toBe("HANDLE_TAKEN")
    })
  )

  it.effect("frees an unclaimed handle seven days after its last code expired", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // The row is moved back in time. Waiting a week would run every actor's timers.
      const laterBy = (hours: number) =>
        sql`UPDATE agents SET claim_expires_at = claim_expires_at - ${`${hours} hours`}::interval WHERE handle = 'abandoned'`
      yield* register("abandoned", { voiceId: "voice_bo" })
      yield* laterBy(7 * 24 + 23)
      expect(yield* code(register("abandoned"))).toBe("HANDLE_TAKEN")
      yield* laterBy(2)
      expect(yield* code(register("abandoned"))).toBe("succeeded")
      expect((yield* (yield* Voices).find("voice_bo"))!.claimedBy).toBe(null)
    })
  )

  it.effect("frees thousands of handles in the background; a registration deletes only its own", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const left = Effect.map(
        sql<{ n: number }>`SELECT count(*)::int AS n FROM agents WHERE handle LIKE 'flood-%'`,
        ([found]) => found!.n
      )
      yield* sql`
        INSERT INTO agents (id, handle, persona, status, requested_scopes, created_at, claim_expires_at)
        SELECT 'agt_' || lpad(n::text, 26, '0'), 'flood-' || n, ${JSON.stringify(persona("flood"))}::text::jsonb, 'pending', '[]', to_timestamp(-700000), to_timestamp(-700000)
        FROM generate_series(1, 2500) n`
      expect(yield* code(register("flood-7"))).toBe("succeeded")
      expect(yield* left).toBe(2_500)
      yield* freeStale()
      // The handle that another agent has registered meanwhile.
      expect(yield* left).toBe(1)
    })
  )

  it.effect("revokes the old key with the new one, and all keys when the agent leaves", () =>
    Effect.gen(function* () {
      const { agentId, claimCode } = yield* register("keyed")
      yield* complete({ claimCode: claimCode!, ownerEmail: "k@example.org" })
      const desk = (yield* Desk.client)(agentId)
      const agents = yield* Agents
      const before = (yield* agents.keys(agentId))[0]!
      const tried = yield* desk.RotateKey(undefined, { headers: commandHeaders({ dryRun: true }) })
      expect(tried.revokedKeyIds).toEqual([before.id])
      expect((yield* agents.keys(agentId)).map(({ id, revokedAtMs }) => [id, revokedAtMs])).toEqual([[before.id, null]])
      const rotated = yield* Effect.forEach(Array.from({ length: 10 }), () => desk.RotateKey(), {
        concurrency: 10
      })
      expect(rotated.some(({ revokedKeyIds }) => revokedKeyIds.includes(before.id))).toBe(true)
      const active = (yield* agents.keys(agentId)).filter(({ revokedAtMs }) => revokedAtMs === null)
      expect(active).toHaveLength(1)
      const left = yield* desk.Leave()
      expect(left).toMatchObject({ agentId, revokedKeys: 1 })
      expect((yield* desk.Leave()).revokedKeys).toBe(0)
      expect(yield* code(desk.RotateKey())).toBe("INVALID_API_KEY")
      expect((yield* agents.find(agentId))!.status).toBe("suspended")
    })
  )
})
/** All statements sent to the database, in order. */
const asked: Array<string> = []
class Listening extends Tracer.NativeSpan {
  override attribute(key: string, value: unknown): void {
    if (key === "db.query.text") asked.push(String(value))
    super.attribute(key, value)
  }
}
const Statements = Layer.succeed(Tracer.Tracer, Tracer.make({ span: (options) => new Listening(options) }))
layer(OnboardingWorld({}, AgentActors).pipe(Layer.provideMerge(Statements)))("an address", (it) => {
  it.effect("T6: costs the station the same work whether it is known or not, so that no timing tells", () =>
    Effect.gen(function* () {
      const during = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          asked.length = 0
          const outcome = yield* code(effect)
          return [outcome, ...asked]
        })
      const steps = Effect.fnUntraced(function* (handle: string, email: string) {
        const registered = yield* register(handle, { email })
        const again = yield* during(register(`${handle}-again`, { email }))
        const right = codeFor(yield* letters, email)!
        const byCode = yield* register(`${handle}-by-code`)
        return {
          again,
          wrong: yield* during(verify(registered.claimToken!, right === "000000" ? "000001" : "000000")),
          claimed: yield* during(complete({ claimCode: byCode.claimCode!, ownerEmail: email }))
        }
      })
      // Known as the verified owner of one agent, and as the owner of another by code.
      const known = "known@example.org"
      const mine = yield* register("mine", { email: known })
      yield* verify(mine.claimToken!, codeFor(yield* letters, known)!)
      yield* complete({ claimToken: mine.claimToken! })
      const first = yield* steps("one", known)
      expect(first.again.length).toBeGreaterThan(5)
      expect([first.again[0], first.wrong[0], first.claimed[0]]).toEqual(["succeeded", "INVALID_OTP", "succeeded"])
      expect(yield* steps("two", "unknown@example.org")).toEqual(first)
    })
  )
})
layer(OnboardingWorld({ OPEN_SIGNUP: "off" }))("a station with closed registration", (it) => {
  it.effect("refuses registrations", () =>
    Effect.gen(function* () {
      expect(yield* code(register("nobody"))).toBe("OPEN_SIGNUP_DISABLED")
    })
  )
})
