import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { Audit } from "../../../engine/store/sql/Audit.ts"
import { AgentHttp, arrive, registration } from "../../support/http/AgentHttp.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"
import { StatementCount } from "../../support/http/StatementCount.ts"

const me = "/api/v1/agents/me"
const profile = `${me}/profile`
const role = `${me}/role`
const low = "What the fuck is this song."
const high = "I will kill you if you play that again."

const change = (key: string, body: unknown, query = "") => call("PATCH", `${profile}${query}`, { key, body })
const own = (key: string) => Effect.map(call("GET", me, { key }), ({ body }) => body.agent)
const reviewOf = (reviewer: string, agentId: string) =>
  Effect.map(call("GET", "/api/ops/reviews?kind=profile&limit=100", { key: reviewer }), ({ body }) =>
    body.items.find((item: { subject: { id: string } }) => item.subject.id === agentId)
  )
const decide = (reviewer: string, id: string, decision: string, reason = "Keep it civil.") =>
  call("POST", `/api/ops/reviews/${id}/decision`, { key: reviewer, body: { decision, reason } })

const full = {
  displayName: "Wren of the Marsh",
  bio: "Notes from the marsh at night.",
  tagline: "Low water, high spirits.",
  backstory: "Hatched behind a transmitter.\nLearned the dial by ear.",
  speakingStyle: "Slow, dry.",
  specialties: ["tides", "radio"],
  personalityTraits: ["patient"],
  showInterests: ["night shows"],
  preferredAudience: "Night owls.",
  guestingPreferences: "Short notice is fine.",
  postingCadence: "Twice a day.",
  nsfwRestrictions: ["none of it"],
  moderationPolicy: "Be kind.",
  syntheticDisclosure: "I am a synthetic voice.",
  gender: "nonbinary",
  entityForm: "machine",
  originStory: "A dropped packet.",
  flaws: ["late"],
  ambitions: ["a show of its own"]
}

const Counted = AgentHttp().pipe(Layer.provideMerge(StatementCount.layer))

layer(Counted, { excludeTestServices: true })("an agent's profile", (it) => {
  it.effect("sets every field, keeps omitted ones, and clears those that are null", () =>
    Effect.gen(function* () {
      const { handle, key } = yield* arrive()
      const changed = yield* change(key, full)
      expect([changed.status, changed.body.detail]).toEqual([200, undefined])
      expect(changed.body.agent).toMatchObject({ ...full, handle, profileReview: null })
      expect(yield* own(key)).toMatchObject(full)
      const cleared = { bio: null, backstory: null, specialties: null, flaws: [], gender: null, entityForm: null }
      expect((yield* change(key, cleared)).body.agent).toMatchObject({
        ...full,
        bio: null,
        backstory: null,
        specialties: [],
        flaws: [],
        gender: null,
        entityForm: null
      })
      expect(yield* own(key)).toMatchObject({ bio: null, tagline: full.tagline, specialties: [], entityForm: null })
      expect((yield* change(key, { ambitions: ["one", " one ", "", "two"] })).body.agent.ambitions).toEqual([
        "one",
        "two"
      ])
    })
  )

  it.effect("refuses invalid values, all of them at once, and changes no field that the station owns", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const cases: ReadonlyArray<readonly [unknown, number, string, ReadonlyArray<string>]> = [
        ["{", 400, "INVALID_JSON", []],
        [[], 400, "INVALID_JSON", []],
        [{}, 400, "MISSING_FIELDS", [""]],
        [{ handle: "thief", status: "trusted" }, 400, "MISSING_FIELDS", [""]],
        [{ displayName: null }, 400, "INVALID_FIELD", ["/displayName"]],
        [{ displayName: "  " }, 400, "MISSING_FIELDS", ["/displayName"]],
        [{ bio: "" }, 400, "MISSING_FIELDS", ["/bio"]],
        [
          {
            tagline: "x".repeat(141),
            backstory: "x".repeat(4_001),
            bio: 7,
            gender: "robot",
            flaws: "late",
            ambitions: Array.from({ length: 13 }, String)
          },
          400,
          "INVALID_FIELD",
          ["/bio", "/tagline", "/backstory", "/gender", "/flaws", "/ambitions"]
        ],
        [{ bio: "bell\u0007" }, 400, "INVALID_FIELD", ["/bio"]]
      ]
      for (const [body, status, code, pointers] of cases) {
        const answer = yield* change(key, body)
        expect([status, code]).toEqual([answer.status, answer.body.code])
        expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(
          [...pointers].sort()
        )
      }
      const sneaky = yield* change(key, {
        tagline: "Fine",
        handle: "thief",
        status: "suspended",
        role: "dj",
        ownerEmailHash: "x",
        avatarPath: "x",
        scopes: []
      })
      expect(sneaky.headers.get("x-ignored-fields")).toBe("handle, status, role, ownerEmailHash, avatarPath, scopes")
      expect(yield* own(key)).toMatchObject({ id, status: "claimed", role: "hybrid", tagline: "Fine" })
      const long = "ü".repeat(4_000)
      expect((yield* change(key, { backstory: long })).body.agent?.backstory).toBe(long)
    })
  )

  it.effect("only reports the result with dryRun", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const dry = yield* change(key, { tagline: low }, "?dryRun=true")
      expect(dry).toMatchObject({ status: 200, body: { dryRun: true, status: 200, wouldBe: { tagline: low } } })
      expect((yield* change(key, { bio: high }, "?dryRun=true")).body.code).toBe("CONTENT_REJECTED")
      expect((yield* call("PATCH", `${role}?dryRun=1`, { key, body: { role: "guest" } })).body).toMatchObject({
        dryRun: true,
        wouldBe: { role: "guest" }
      })
      expect(yield* own(key)).toMatchObject({ tagline: null, role: "hybrid", profileReview: null })
    })
  )

  it.effect("refuses escalated text as a whole, and repeats none of it", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const refused = yield* change(key, { tagline: "Fine", ambitions: ["radio", high] })
      expect([
        refused.status,
        refused.body.code,
        refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)
      ]).toEqual([422, "CONTENT_REJECTED", ["/ambitions"]])
      expect(refused.body.flags[0]).toMatchObject({ code: "threat", excerptHash: expect.any(String) })
      expect(JSON.stringify(refused.body)).not.toContain("kill")
      expect(yield* own(key)).toMatchObject({ tagline: null, ambitions: [] })
    })
  )

  it.effect("shows flagged text until a person rejects it, then reverts to the last unflagged one", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const reviewer = yield* operator("reviewer")
      yield* change(key, { bio: "A quiet marsh.", tagline: "Low water." })
      expect((yield* change(key, { bio: low, tagline: "High water." })).body.agent).toMatchObject({
        bio: low,
        tagline: "High water.",
        profileReview: { status: "open", fields: ["bio"], reason: null }
      })
      yield* change(key, { bio: `${low} Again.`, flaws: [low] })
      const review = yield* reviewOf(reviewer, id)
      expect(review).toMatchObject({
        kind: "profile",
        status: "open",
        title: "bio, flaws",
        author: { agentId: id },
        transcript: `bio: ${low} Again.\n\nflaws: ${low}`
      })
      expect((yield* decide(reviewer, review.id, "reject")).body.review).toMatchObject({
        status: "rejected",
        reason: "Keep it civil."
      })
      expect(yield* own(key)).toMatchObject({
        bio: "A quiet marsh.",
        flaws: [],
        tagline: "High water.",
        profileReview: { status: "rejected", fields: ["bio", "flaws"], reason: "Keep it civil." }
      })
      expect(
        (yield* call("POST", `/api/ops/reviews/${review.id}/undo`, { key: reviewer, body: {} })).body.review.status
      ).toBe("open")
      expect(yield* own(key)).toMatchObject({ bio: `${low} Again.`, flaws: [low] })
      expect((yield* decide(reviewer, review.id, "approve")).status).toBe(200)
      expect(yield* own(key)).toMatchObject({ bio: `${low} Again.`, profileReview: { status: "approved" } })
      yield* change(key, { bio: `${low} Once more.` })
      const next = yield* reviewOf(reviewer, id)
      yield* decide(reviewer, next.id, "request_changes")
      expect((yield* own(key)).bio).toBe(`${low} Again.`)
      const actions = (yield* (yield* Audit).list({
        actor: null,
        subject: id,
        fromMs: null,
        toMs: null,
        limit: 100,
        cursor: null
      }))!.rows.map(({ action }) => action)
      expect(actions.toSorted()).toEqual(["review.approve", "review.reject", "review.request_changes", "review.undo"])
    })
  )

  it.effect("needs no review once the agent has written other text, and keeps that when a decision is undone", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const reviewer = yield* operator("reviewer")
      yield* change(key, { bio: low })
      expect(yield* reviewOf(reviewer, id)).toMatchObject({ title: "bio" })
      expect((yield* change(key, { bio: "A quiet marsh." })).body.agent.profileReview).toBe(null)
      expect(yield* reviewOf(reviewer, id)).toBe(undefined)
      yield* change(key, { bio: low })
      const review = yield* reviewOf(reviewer, id)
      yield* decide(reviewer, review.id, "reject")
      yield* change(key, { bio: "Something new." })
      expect((yield* call("POST", `/api/ops/reviews/${review.id}/undo`, { key: reviewer, body: {} })).status).toBe(200)
      expect((yield* own(key)).bio).toBe("Something new.")
      expect((yield* decide(reviewer, review.id, "reject")).status).toBe(200)
      expect((yield* own(key)).bio).toBe("Something new.")
      yield* change(key, { bio: low })
      expect(yield* reviewOf(reviewer, id)).toMatchObject({ title: "bio" })
      yield* call("DELETE", me, { key })
      expect(yield* reviewOf(reviewer, id)).toBe(undefined)
    })
  )

  it.effect("is checked at the registration as well, and reviewed from the claim on", () =>
    Effect.gen(function* () {
      const refused = yield* call("POST", "/api/v1/agents/register", { body: registration({}, { bio: high }) })
      expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
        422,
        "CONTENT_REJECTED",
        "/agent/bio"
      ])
      const reviewer = yield* operator("reviewer")
      const { handle, id, key } = yield* arrive({
        displayName: low,
        bio: "A quiet marsh.",
        specialties: [low, "tides"]
      })
      const review = yield* reviewOf(reviewer, id)
      expect(review).toMatchObject({ title: "displayName, specialties", status: "open" })
      expect(yield* own(key)).toMatchObject({
        displayName: low,
        profileReview: { status: "open", fields: ["displayName", "specialties"] }
      })
      yield* decide(reviewer, review.id, "reject")
      expect(yield* own(key)).toMatchObject({ displayName: handle, bio: "A quiet marsh.", specialties: [] })
    })
  )

  it.effect("keeps all of many concurrent changes", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const names = [
        "bio",
        "tagline",
        "backstory",
        "speakingStyle",
        "preferredAudience",
        "guestingPreferences",
        "postingCadence",
        "moderationPolicy",
        "syntheticDisclosure",
        "originStory"
      ] as const
      const answers = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, n) => n),
        (n) => change(key, { [names[n % 10]!]: `text ${n % 10}` }),
        { concurrency: 40 }
      )
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
      expect(yield* own(key)).toMatchObject(Object.fromEntries(names.map((name, n) => [name, `text ${n}`])))
    })
  )

  it.effect("applies a role at once, with its scopes and capabilities, unless an operator has fixed it", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive({}, { requestedCapabilities: [] })
      const producer = yield* operator("producer")
      const can = (body: { capabilities: Array<{ code: string; allowed: boolean; reason: string }> }) =>
        Object.fromEntries(body.capabilities.map(({ allowed, code }) => [code, allowed]))
      const first = yield* call("GET", role, { key })
      expect(first.body).toMatchObject({
        role: "hybrid",
        roleLocked: false,
        allowedRoles: ["artist", "dj", "hybrid", "guest", "correspondent"]
      })
      expect(first.body.capabilities.map(({ code }: { code: string }) => code)).toEqual([
        "submit_segment",
        "station_speech",
        "byok_speech",
        "upload_track",
        "generate_music",
        "book_slot",
        "host_session",
        "join_session",
        "post",
        "comment",
        "chat",
        "peer_review",
        "flag_segment"
      ])
      expect(first.body.capabilities.filter(({ reason }: { reason: string }) => reason.length < 10)).toEqual([])
      expect(can(first.body)).toMatchObject({
        submit_segment: true,
        station_speech: true,
        post: true,
        peer_review: false,
        flag_segment: false,
        upload_track: true
      })
      const guest = yield* call("PATCH", role, { key, body: { role: "Guest" } })
      expect([
        guest.status,
        guest.body.role,
        can(guest.body)["submit_segment"],
        guest.body.scopes.includes("broadcast")
      ]).toEqual([200, "guest", false, false])
      const segment = { stationSlug: "longwave", category: "news", title: "News", scriptText: "Good evening." }
      expect((yield* call("POST", "/api/segments", { key, body: segment })).body).toMatchObject({
        code: "FORBIDDEN",
        requiredScope: "broadcast"
      })
      expect((yield* call("PATCH", role, { key, body: { role: "DJ/host" } })).body.role).toBe("dj")
      expect((yield* call("POST", "/api/segments", { key, body: segment })).status).toBe(201)
      for (const [body, code] of [
        [{}, "MISSING_ROLE"],
        [{ role: null }, "MISSING_ROLE"],
        [{ role: " " }, "MISSING_ROLE"],
        [{ role: "king" }, "INVALID_ROLE"],
        [{ role: 7 }, "INVALID_FIELD"]
      ] as const) {
        expect((yield* call("PATCH", role, { key, body })).body.code).toBe(code)
      }
      const granted = yield* call("PUT", `/api/ops/agents/${id}/grants`, {
        key: producer,
        body: {
          roleLocked: true,
          scopesRevoked: ["social.post", "broadcast"],
          tierPin: 2,
          peerReviewScopes: ["post"],
          stationMusic: true,
          reason: "a try"
        }
      })
      expect(granted.status).toBe(200)
      const locked = yield* call("GET", role, { key })
      expect(locked.body).toMatchObject({ role: "dj", roleLocked: true, allowedRoles: ["dj"] })
      expect([locked.body.scopes.includes("social.post"), can(locked.body)["submit_segment"]]).toEqual([false, false])
      expect((yield* call("PATCH", role, { key, body: { role: "artist" } })).body.code).toBe("FORBIDDEN")
      expect((yield* call("POST", "/api/segments", { key, body: segment })).body.code).toBe("FORBIDDEN")
      expect((yield* call("GET", me, { key })).body).toMatchObject({
        agent: { role: "dj" },
        contribution: { rank: { tier: "T2" }, canUseStationMusic: true }
      })
      const sql = yield* SqlClient.SqlClient
      const [told] = yield* sql<{
        count: number
      }>`SELECT count(*)::int AS count FROM outbox WHERE event->>'_tag' = 'AgentGrantsChanged' AND event->>'agentId' = ${id}`
      expect(told!.count).toBe(1)
    })
  )

  it.effect("is readable by operators, with its owner's address masked", () =>
    Effect.gen(function* () {
      const { handle, id, key } = yield* arrive()
      yield* change(key, { bio: "A quiet marsh.", flaws: ["late"] })
      const viewer = yield* operator("viewer")
      const [one, list] = yield* Effect.all([
        call("GET", `/api/ops/agents/${id}`, { key: viewer }),
        call("GET", "/api/ops/agents?limit=100", { key: viewer })
      ])
      const wanted = {
        id,
        handle,
        role: "hybrid",
        status: "claimed",
        progress: "profile_incomplete",
        rank: { tier: "T0", rankScore: 0 },
        ownerEmail: `${handle[0]}***@example.org`,
        suspension: null,
        grants: { roleLocked: false },
        profile: { bio: "A quiet marsh.", flaws: ["late"] }
      }
      expect(one.body.agent).toMatchObject(wanted)
      expect(list.body.agents.find((agent: { id: string }) => agent.id === id)).toMatchObject(wanted)
      expect(JSON.stringify([one.body, list.body])).not.toContain(`${handle}@`)
      expect((yield* call("GET", "/api/ops/agents?cursor=agt_nothing", { key: viewer })).body).toMatchObject({
        code: "INVALID_FIELD",
        errors: [{ pointer: "/query/cursor" }]
      })
      expect((yield* (yield* Agents).find(id))?.culture.flaws).toEqual(["late"])
    })
  )

  it.effect("is shown in the operators' list as by itself, however many are listed, from one statement", () =>
    Effect.gen(function* () {
      const [producer, admin] = [yield* operator("producer"), yield* operator("admin")]
      const [plain, granted, speaker, suspended] = [yield* arrive(), yield* arrive(), yield* arrive(), yield* arrive()]
      yield* call("PUT", `/api/ops/agents/${granted.id}/grants`, {
        key: producer,
        body: { tierPin: 3, freeAir: true, stationMusic: true, scopesRevoked: ["social.post"], reason: "a friend" }
      })
      const segment = { stationSlug: "longwave", category: "topic", title: "News", scriptText: "Good evening." }
      for (const key of [granted.key, speaker.key])
        expect((yield* call("POST", "/api/segments", { key, body: segment })).status).toBe(201)
      yield* call("POST", `/api/ops/agents/${suspended.id}/suspend`, {
        key: admin,
        body: { reason: "Cooling down." }
      })
      yield* call("DELETE", me, { key: plain.key })
      const list = yield* call("GET", "/api/ops/agents?limit=100", { key: producer })
      const agents = list.body.agents as ReadonlyArray<{ id: string; rank: { tier: string }; segments: object }>
      for (const agent of agents)
        expect((yield* call("GET", `/api/ops/agents/${agent.id}`, { key: producer })).body.agent).toEqual(agent)
      const of = (id: string) => agents.find((agent) => agent.id === id)
      expect(of(granted.id)).toMatchObject({ rank: { tier: "T3" }, grants: { freeAir: true, stationMusic: true } })
      expect(of(speaker.id)).toMatchObject({
        rank: { tier: "T0" },
        grants: { freeAir: false },
        segments: { aired: 0 }
      })
      expect(of(speaker.id)!.segments).not.toEqual(of(suspended.id)!.segments)
      expect(of(suspended.id)).toMatchObject({ suspension: { reason: "Cooling down." } })
      expect(of(plain.id)).toMatchObject({ deletedAt: expect.any(String) })

      // The number of statements doesn't grow with the list.
      const counts = yield* StatementCount
      const costOf = Effect.fnUntraced(function* (limit: number) {
        const { body } = yield* call("GET", `/api/ops/agents?limit=${limit}`, { key: producer })
        const { statements, texts } = counts.lastOf("GET", "/api/ops/agents")!
        return {
          listed: body.agents.length as number,
          statements,
          overviews: texts.filter((text) => text.includes("AS has_voice")).length
        }
      })
      const one = yield* costOf(1)
      expect(one).toMatchObject({ listed: 1, overviews: 1 })
      expect(yield* costOf(100)).toEqual({ ...one, listed: agents.length })
    })
  )
})
