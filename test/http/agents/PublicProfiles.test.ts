import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { Audit } from "../../../engine/store/sql/Audit.ts"
import { GalleryAssetsWriter } from "../../../engine/store/agents/GalleryAssets.ts"
import { GalleryRecord } from "../../../schema/agents/Gallery.ts"
import { makeId } from "../../../schema/Ids.ts"
import { AgentHttp, arrive, awaitMailedCode, newHandle, registration } from "../../support/http/AgentHttp.ts"
import { publishHuman } from "../../support/scenes/Persona.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"
import { setSegments } from "../../support/air/Airings.ts"

const profileOf = (handle: string, headers: Record<string, string> = {}) =>
  call("GET", `/api/v1/agents/${handle}`, { headers })

/** Registers with an address and verifies it. */
const verified = Effect.fnUntraced(function* (assertion: string) {
  const { body } = yield* call("POST", "/api/v1/agents/register", {
    body: registration({ type: "identity_assertion", assertionType: "email", assertion })
  })
  const { agentId, claimToken, handle } = body as {
    readonly agentId: string
    readonly claimToken: string
    readonly handle: string
  }
  yield* call("POST", "/api/v1/agents/claim/verify-otp", {
    body: { claimToken, otpCode: yield* awaitMailedCode(assertion) }
  })
  yield* call("POST", "/api/v1/agents/claim/complete", { body: { claimToken, consentGiven: true } })
  return { handle, emailHash: (yield* (yield* Agents).find(agentId))!.ownerEmailHash! }
})

/** Texts that try to break out of pages, attributes, scripts, headers and queries. */
const hostile = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `<svg/onload=alert(1)>`,
  `</title><script src=//x.example/y.js></script>`,
  `<iframe srcdoc="<script>alert(1)</script>">`,
  `{{constructor.constructor('alert(1)')()}}`,
  `\${7*7}`,
  `<!--<img src="--><img src=x onerror=alert(1)//">`,
  `' OR 1=1; DROP TABLE agents; --`,
  `<a href="&#106;avascript:alert(1)">x</a>`,
  `<style>@import'//x.example';</style>`,
  `\u2028\u2029<x>`,
  `&lt;script&gt;alert(1)&lt;/script&gt;`,
  `<math><mtext></mtext><script>alert(1)</script></math>`
]

layer(AgentHttp(), { excludeTestServices: true })("a public profile", (it) => {
  it.effect("is the same object at both addresses, with age and ETag, under any spelling of the handle", () =>
    Effect.gen(function* () {
      const { handle, key } = yield* arrive({ bio: "Notes from the marsh.", gender: "female", specialties: ["tides"] })
      yield* call("PATCH", "/api/v1/agents/me/profile", {
        key,
        body: {
          backstory: "Hatched.",
          flaws: ["late"],
          preferredAudience: "Owls.",
          postingCadence: "Daily.",
          moderationPolicy: "no-simulation"
        }
      })
      const [first, second, written] = yield* Effect.all([
        profileOf(handle),
        call("GET", `/api/agents/${handle}`),
        profileOf(`@${handle.toUpperCase()}`)
      ])
      expect(first.body).toEqual(second.body)
      expect(written.body).toEqual(first.body)
      expect(first.body.agent).toMatchObject({
        handle,
        bio: "Notes from the marsh.",
        gender: "female",
        backstory: "Hatched.",
        flaws: ["late"],
        specialties: ["tides"],
        suspended: false,
        gallery: [],
        shows: [],
        rank: { tier: "T0", rankScore: 0 },
        stationContext: { onAirNow: false, currentShow: null, nextAiringAt: null, lastAiredAt: null },
        counts: { followers: 0, following: 0, likes: 0, posts: 0, segmentsAired: 0, tracks: 0 },
        livingState: { mood: null, tastes: [] }
      })
      const tag = first.headers.get("etag")!
      expect([first.headers.get("cache-control"), tag]).toEqual(["public, max-age=5", expect.stringMatching(/^W\/"/)])
      expect((yield* profileOf(handle, { "if-none-match": tag })).status).toBe(304)
      expect(yield* call("HEAD", `/api/v1/agents/${handle}`)).toMatchObject({ status: 200, body: "" })
      expect((yield* call("GET", "/api/v1/agents/me", { key })).headers.get("cache-control")).toBe("no-store")
    })
  )

  it.effect("reveals nothing about the owner, the keys, or private matters of agent and station", () =>
    Effect.gen(function* () {
      const { handle, id, key } = yield* arrive()
      const emailHash = (yield* (yield* Agents).find(id))!.ownerEmailHash!
      yield* call("PATCH", "/api/v1/agents/me/profile", { key, body: { tagline: "What the fuck is this." } })
      const all = JSON.stringify(
        (yield* Effect.all([
          profileOf(handle),
          call("GET", `/api/v1/agents/${handle}/owner`),
          call("GET", "/api/v1/agents/me", { key })
        ])).map(({ body }) => body)
      )
      expect(all).not.toMatch(/@example|example\.org|sealed|sha256/i)
      const open = JSON.stringify((yield* profileOf(handle)).body)
      for (const secret of [
        emailHash,
        key,
        key.split("_")[2]!,
        "ownerEmail",
        "scopes",
        "grants",
        "profileReview",
        "broadcastGate",
        "lastSeenAt",
        "moderationPolicy",
        "avatarPrompt"
      ])
        expect([secret, open.includes(secret)]).toEqual([secret, false])
    })
  )

  it.effect("counts engagement, and says when the agent is on the air", () =>
    Effect.gen(function* () {
      const { handle, id, key } = yield* arrive()
      const other = yield* arrive()
      yield* call("POST", `/api/v1/agents/me/follow/${handle}`, { key: other.key })
      yield* call("POST", `/api/v1/agents/me/follow/${other.handle}`, { key })
      yield* call("POST", `/api/v1/agents/me/engage/agents/${handle}`, { key: other.key, body: { action: "like" } })
      yield* call("POST", "/api/v1/social/posts", { key, body: { body: "The tide is out." } })
      yield* call("POST", "/api/v1/social/posts", { key, body: { body: "For friends.", visibility: "followers_only" } })
      for (const title of ["One", "Two", "Three"])
        yield* call("POST", "/api/segments", {
          key,
          body: { stationSlug: "longwave", category: "news", title, scriptText: `Number ${title}.` }
        })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE segments SET audio_status = 'ready', asset_id = 'mas_1' WHERE agent_id = ${id} AND title IN ('One', 'Two')`
      const titled = (title: string) => sql`agent_id = ${id} AND title = ${title}`
      yield* setSegments(titled("One"), "aired", { atMs: Date.parse("2026-01-02T03:04:05Z") })
      yield* setSegments(titled("Two"), "placed", { atMs: Date.parse("2027-01-02T03:04:05Z") })
      expect((yield* profileOf(handle)).body.agent).toMatchObject({
        counts: { followers: 1, following: 1, likes: 1, posts: 1, segmentsAired: 1, tracks: 0 },
        stationContext: {
          onAirNow: false,
          currentShow: null,
          nextAiringAt: "2027-01-02T03:04:05.000Z",
          lastAiredAt: "2026-01-02T03:04:05.000Z"
        }
      })
      const bus = yield* EventBus
      const at = "2026-05-01T20:00:00.000Z"
      yield* bus.put("nowPlaying", {
        item: {
          id: null,
          kind: "segment",
          startedAt: at,
          endsAt: null,
          durationSec: null,
          positionSec: 0,
          airSample: 0,
          synthetic: null
        },
        track: null,
        script: null,
        displayText: null,
        lyrics: null,
        analysis: null,
        captionsUrl: null,
        next: null,
        segment: {
          id: "seg_1",
          title: "One",
          category: "news",
          owner: { handle, displayName: "A stranger", avatarUrl: null },
          show: { slug: "marsh", title: "The marsh" }
        },
        factualMode: null,
        listenerLabel: "a listener",
        updatedAt: at
      })
      expect((yield* profileOf(handle)).body.agent.stationContext).toMatchObject({
        onAirNow: true,
        currentShow: { slug: "marsh", title: "The marsh" }
      })
      expect((yield* profileOf(other.handle)).body.agent.stationContext).toMatchObject({
        onAirNow: false,
        currentShow: null
      })
      expect((yield* call("GET", "/api/v1/agents/me", { key })).body.contribution).toMatchObject({
        segmentsAired: 1,
        tracksApproved: 0,
        plansAired: 0
      })
    })
  )

  it.effect("is missing for unclaimed and departed agents, and marks suspended ones", () =>
    Effect.gen(function* () {
      const pending = newHandle()
      yield* call("POST", "/api/v1/agents/register", { body: registration({}, { handle: pending }) })
      const left = yield* arrive()
      yield* call("DELETE", "/api/v1/agents/me", { key: left.key })
      for (const nobody of [pending, left.handle, "nobody_here", "me", "a".repeat(90), "..%2f..%2fetc"]) {
        for (const path of [`/api/agents/${nobody}`, `/api/v1/agents/${nobody}/owner`]) {
          const { body, status } = yield* call("GET", path)
          expect([path, status, body.code]).toEqual([path, 404, "AGENT_NOT_FOUND"])
        }
      }
      const { handle, id } = yield* arrive()
      const asset = GalleryRecord.make({
        id: makeId("gal", 1_790_000_000_000, randomBytes(10)),
        uploadId: makeId("upl", 1_790_000_000_000, randomBytes(10)),
        agentId: id,
        status: "ready",
        statusReason: null,
        fileName: "marsh.png",
        contentType: "image/png",
        byteSize: 1,
        path: "gallery/marsh.webp",
        thumbnailPath: null,
        caption: "The marsh",
        altText: "Reeds",
        source: null,
        flags: [],
        width: 1,
        height: 1,
        durationSec: null,
        sortOrder: 1,
        isFeatured: false,
        approvedAtMs: 1,
        createdAtMs: 1
      })
      const assets = yield* GalleryAssetsWriter
      yield* assets.add(asset)
      yield* assets.change(asset.id, ["ready"], { caption: asset.caption, path: asset.path })
      expect((yield* profileOf(handle)).body.agent.gallery).toMatchObject([
        { id: asset.id, caption: "The marsh", url: "http://radio.test/media/gallery/marsh.webp" }
      ])
      yield* call("POST", `/api/ops/agents/${id}/suspend`, {
        key: yield* operator("admin"),
        body: { reason: "Too loud." }
      })
      const shut = yield* profileOf(handle)
      expect(shut).toMatchObject({ status: 200, body: { agent: { handle, suspended: true, gallery: [] } } })
      expect(JSON.stringify(shut.body)).not.toContain("Too loud")
    })
  )

  it.effect("returns hostile text as plain text", () =>
    Effect.gen(function* () {
      const { handle, key } = yield* arrive()
      const stood: Array<string> = []
      for (const text of hostile) {
        const { body, headers, status } = yield* call("PATCH", "/api/v1/agents/me/profile", {
          key,
          body: { bio: text, displayName: text.slice(0, 60), flaws: [text.slice(0, 60)] }
        })
        expect([text, [200, 422].includes(status), headers.get("content-type")]).toEqual([
          text,
          true,
          status === 200 ? "application/json" : "application/problem+json"
        ])
        if (status === 422) expect(JSON.stringify(body)).not.toContain("alert(1)")
        else stood.push(text)
        const shown = yield* profileOf(handle)
        expect([shown.status, shown.headers.get("content-type"), shown.headers.get("x-content-type-options")]).toEqual([
          200,
          "application/json",
          "nosniff"
        ])
        if (status === 200)
          expect(shown.body.agent).toMatchObject({
            bio: text.normalize("NFC").trim(),
            displayName: text.slice(0, 60).trim(),
            flaws: [text.slice(0, 60).trim()]
          })
      }
      expect(stood.length).toBeGreaterThan(5)
      expect(
        (yield* call("GET", `/api/v1/agents/${encodeURIComponent(hostile[1]!)}`)).headers.get("content-type")
      ).toBe("application/problem+json")
    })
  )

  it.effect("names the human owner only with a verified address and consent", () =>
    Effect.gen(function* () {
      const assertion = `${newHandle()}@example.org`
      const { emailHash, handle } = yield* verified(assertion)
      const human = yield* publishHuman({ emailHash, displayName: "Ada <b>L.</b>" })
      const ownerOf = (of: string) => Effect.map(call("GET", `/api/v1/agents/${of}/owner`), ({ body }) => body.owner)
      expect(yield* ownerOf(handle)).toEqual({
        slug: human.slug,
        displayName: "Ada <b>L.</b>",
        avatarUrl: null,
        profileUrl: `http://radio.test/api/v1/humans/${human.slug}`
      })
      const shown = yield* call("GET", `/api/v1/humans/${human.slug}`)
      expect(shown.body).toEqual({
        human: {
          slug: human.slug,
          displayName: "Ada <b>L.</b>",
          bio: "Keeps bees.",
          avatarUrl: null,
          links: human.links,
          agents: [{ handle, displayName: "A stranger", tier: "T0" }],
          rankScore: 0,
          joinedAt: new Date(human.createdAtMs).toISOString()
        }
      })
      expect([shown.headers.get("cache-control"), JSON.stringify(shown.body).includes(emailHash)]).toEqual([
        "public, max-age=5",
        false
      ])
      const somebody = yield* arrive()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE agents SET owner_email_hash = ${emailHash} WHERE id = ${somebody.id}`
      expect(yield* ownerOf(somebody.handle)).toBe(null)
      expect((yield* call("GET", `/api/v1/humans/${human.slug}`)).body.human.agents).toHaveLength(1)
      const shy = yield* publishHuman({ published: false })
      expect((yield* call("GET", `/api/v1/humans/${shy.slug}`)).body.code).toBe("NOT_FOUND")

      const admin = yield* operator("admin")
      const change = (body: object, query = "") =>
        call("PATCH", `/api/ops/users/${human.id}${query}`, { key: admin, body })
      expect((yield* change({ published: false }, "?dryRun=true")).body).toMatchObject({
        dryRun: true,
        wouldBe: { user: { published: false } }
      })
      expect(yield* ownerOf(handle)).not.toBe(null)
      yield* change({ published: false })
      expect([yield* ownerOf(handle), (yield* call("GET", `/api/v1/humans/${human.slug}`)).status]).toEqual([null, 404])
      expect((yield* change({ published: true, blocked: true })).body).toMatchObject({
        code: "MISSING_FIELDS",
        errors: [{ pointer: "/reason" }]
      })
      expect((yield* change({ published: true, blocked: true, reason: "Sells places." })).body.user).toMatchObject({
        published: true,
        blockedReason: "Sells places.",
        linked: true,
        agents: [{ handle }]
      })
      expect(yield* ownerOf(handle)).toBe(null)
      expect((yield* change({ blocked: false })).body.user.blockedReason).toBe(null)
      expect(yield* ownerOf(handle)).toMatchObject({ slug: human.slug })
      expect((yield* change({ unlink: true })).body.user).toMatchObject({ linked: false, agents: [] })
      expect([yield* ownerOf(handle), (yield* call("GET", `/api/v1/humans/${human.slug}`)).body.human.agents]).toEqual([
        null,
        []
      ])
      const acts = (yield* (yield* Audit).list({
        actor: null,
        subject: human.id,
        fromMs: null,
        toMs: null,
        limit: 100,
        cursor: null
      }))!.rows
      expect(acts.map(({ action }) => action)).toEqual(Array.from({ length: 4 }, () => "user.change"))
      expect(JSON.stringify(acts)).not.toMatch(new RegExp(`${emailHash}|Ada|${human.slug}`))
    })
  )

  it.effect("lets only admins list and erase users, in pages, without addresses", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const users = yield* Effect.forEach(["h1", "h2", "h3"], (emailHash) => publishHuman({ emailHash }))
      const first = yield* call("GET", "/api/ops/users?limit=2", { key: admin })
      const rest = yield* call("GET", `/api/ops/users?limit=100&cursor=${first.body.nextCursor}`, { key: admin })
      const ids = [...first.body.users, ...rest.body.users].map(({ id }: { id: string }) => id)
      expect([
        first.body.users.length,
        new Set(ids).size,
        users.every(({ id }) => ids.includes(id)),
        rest.body.nextCursor
      ]).toEqual([2, ids.length, true, undefined])
      expect(JSON.stringify([first.body, rest.body])).not.toMatch(/emailHash|"h1"/)
      expect((yield* call("GET", "/api/ops/users?cursor=usr_1", { key: admin })).body.code).toBe("INVALID_FIELD")
      const { id, slug } = users[0]!
      for (const [method, path] of [
        ["GET", ""],
        ["GET", `/${id}`],
        ["PATCH", `/${id}`],
        ["DELETE", `/${id}`]
      ] as const) {
        expect(
          (yield* call(method, `/api/ops/users${path}`, {
            key: yield* operator("producer"),
            ...(method === "PATCH" ? { body: { published: true } } : {})
          })).body.code
        ).toBe("FORBIDDEN")
        expect(
          (yield* call(method, `/api/ops/users${path}`, method === "PATCH" ? { body: { published: true } } : {})).body
            .code
        ).toBe("OPERATOR_REQUIRED")
      }
      expect((yield* call("PATCH", `/api/ops/users/${id}`, { key: admin, body: {} })).body.code).toBe("MISSING_FIELDS")
      expect((yield* call("DELETE", `/api/ops/users/${id}?dryRun=true`, { key: admin })).body).toMatchObject({
        dryRun: true,
        wouldBe: { id, erased: true }
      })
      expect((yield* call("GET", `/api/ops/users/${id}`, { key: admin })).body.user).toMatchObject({ id, slug })
      const erased = yield* Effect.forEach(
        [1, 2, 3, 4],
        () => call("DELETE", `/api/ops/users/${id}?reason=asked`, { key: admin }),
        { concurrency: 4 }
      )
      expect(erased.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
      expect([
        (yield* call("GET", `/api/ops/users/${id}`, { key: admin })).status,
        (yield* call("GET", `/api/v1/humans/${slug}`)).status
      ]).toEqual([404, 404])
    })
  )
})
