import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"
import { host, showOf } from "../../support/programmes/Shows.ts"
import { setSegments } from "../../support/air/Airings.ts"

const change = (id: string, body: object, key: string) => call("PATCH", `/api/ops/shows/${id}`, { key, body })
const script = "Good evening. This is the watch of the night, and all is well."
const submit = (key: string, agentShowId: string, over: object = {}) =>
  call("POST", "/api/segments", {
    key,
    body: { stationSlug: "longwave", category: "story", title: "Watch", scriptText: script, agentShowId, ...over }
  })

layer(AgentHttp(), { excludeTestServices: true })("shows", (it) => {
  it.effect("are made by operators, public, and listed with their hosts", () =>
    Effect.gen(function* () {
      const { handle, id } = yield* arrive()
      const producer = yield* operator("producer")
      const made = yield* call("POST", "/api/ops/shows", {
        key: producer,
        body: {
          title: "Café du Nord!",
          hostHandle: `@${handle}`,
          format: "talk",
          genres: ["jazz"],
          description: "Late talk."
        }
      })
      expect([made.status, made.body.show]).toEqual([
        200,
        {
          id: expect.stringMatching(/^show_/),
          slug: "cafe-du-nord",
          title: "Café du Nord!",
          tagline: null,
          description: "Late talk.",
          format: "talk",
          audience: null,
          genres: ["jazz"],
          hostAgentId: id,
          hostHandle: handle,
          status: "active",
          visibility: "public",
          blockId: null,
          reservedVoiceIds: [],
          createdAt: expect.stringMatching(/Z$/)
        }
      ])
      const second = yield* showOf(handle, { title: "Cafe du Nord" })
      expect(second.slug).toBe("cafe-du-nord-2")
      expect((yield* call("GET", "/api/shows/cafe-du-nord")).body.show.title).toBe("Café du Nord!")
      expect((yield* call("GET", "/api/shows/nothing")).body.code).toBe("SHOW_NOT_FOUND")
      const first = yield* call("GET", "/api/shows?limit=1")
      expect([first.body.shows.map(({ slug }: { slug: string }) => slug), first.headers.get("etag") !== null]).toEqual([
        ["cafe-du-nord-2"],
        true
      ])
      expect((yield* call("GET", `/api/shows?limit=1&cursor=${first.body.nextCursor}`)).body.shows[0].slug).toBe(
        "cafe-du-nord"
      )
      expect((yield* call("GET", "/api/shows?cursor=show_x")).body.code).toBe("INVALID_FIELD")
      expect((yield* call("GET", `/api/v1/agents/${handle}`)).body.agent.shows).toEqual([
        { id: second.id, slug: second.slug, title: "Cafe du Nord" },
        { id: made.body.show.id, slug: "cafe-du-nord", title: "Café du Nord!" }
      ])

      expect((yield* showOf(handle, { title: "sessions" })).slug).toBe("sessions-show")
      const fourth = yield* call("POST", "/api/ops/shows", {
        key: producer,
        body: { title: "One too many", hostHandle: handle }
      })
      expect([fourth.status, fourth.body.code]).toEqual([403, "FORBIDDEN"])
      expect(
        (yield* change(second.id, { status: "retired", reason: "its time is over" }, producer)).body.show.status
      ).toBe("retired")
      expect((yield* call("GET", "/api/shows")).body.shows.map(({ slug }: { slug: string }) => slug)).not.toContain(
        "cafe-du-nord-2"
      )
      expect((yield* call("GET", "/api/shows/cafe-du-nord-2")).body.show.status).toBe("retired")
      expect((yield* call("GET", "/api/ops/shows", { key: producer })).body.shows.length).toBe(3)
      const dry = yield* call("POST", "/api/ops/shows?dryRun=true", {
        key: producer,
        body: { title: "Maybe", hostHandle: handle }
      })
      expect([dry.status, dry.body.wouldBe.show.slug, (yield* call("GET", "/api/shows/maybe")).status]).toEqual([
        200,
        "maybe",
        404
      ])
      expect((yield* change(second.id, {}, producer)).body.code).toBe("MISSING_FIELDS")
      expect((yield* change("show_00000000000000000000000000", { status: "paused" }, producer)).body.code).toBe(
        "SHOW_NOT_FOUND"
      )
      expect(
        (yield* call("POST", "/api/ops/shows", {
          key: producer,
          body: { title: "Nobody's", hostHandle: "nobody-here" }
        })).body.code
      ).toBe("AGENT_NOT_FOUND")
    })
  )

  it.effect("move to another host with room for them, and end when their host leaves", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* arrive(), yield* arrive()]
      const producer = yield* operator("producer")
      const show = yield* showOf(one.handle, { title: "Handed over" })
      const moved = yield* change(
        show.id,
        { hostHandle: two.handle, title: "Handed on", reason: "asked for" },
        producer
      )
      expect(moved.body.show).toMatchObject({ hostHandle: two.handle, title: "Handed on", slug: "handed-over" })
      yield* Effect.forEach(["a", "b", "c"], (title) => showOf(one.handle, { title }), { discard: true })
      const back = yield* change(show.id, { hostHandle: one.handle }, producer)
      expect([back.status, back.body.code]).toEqual([403, "FORBIDDEN"])
      // A resting show takes no slot until it returns.
      expect((yield* change(show.id, { status: "paused" }, producer)).status).toBe(200)
      expect((yield* change(show.id, { hostHandle: one.handle }, producer)).status).toBe(200)
      expect((yield* change(show.id, { status: "active" }, producer)).body.code).toBe("FORBIDDEN")
      expect((yield* call("DELETE", "/api/v1/agents/me", { key: one.key })).status).toBe(200)
      expect((yield* call("GET", "/api/shows/handed-over")).status).toBe(404)
      expect((yield* call("GET", "/api/shows")).body.shows.map(({ slug }: { slug: string }) => slug)).not.toContain(
        "handed-over"
      )
    })
  )

  it.effect(
    "D38: accept segments of their host and members, name an unmet condition, and appear with aired segments",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const owner = yield* host()
        const producer = yield* operator("producer")
        const show = yield* showOf(owner.handle, { title: "The Lane" })
        const refused = (answer: {
          readonly status: number
          readonly body: { readonly code: string; readonly detail: string }
        }) => [answer.status, answer.body.code, answer.body.detail]
        const stranger = yield* host()
        expect(refused(yield* submit(stranger.key, show.id))).toEqual([
          403,
          "FORBIDDEN",
          expect.stringContaining("neither own")
        ])
        expect(refused(yield* submit(owner.key, "show_00000000000000000000000000"))).toEqual([
          403,
          "FORBIDDEN",
          expect.stringContaining("neither own")
        ])
        const beginner = yield* arrive()
        const early = yield* showOf(beginner.handle, { title: "Too early" })
        yield* call("PUT", `/api/ops/agents/${beginner.id}/grants`, { key: producer, body: { freeAir: true } })
        expect(refused(yield* submit(beginner.key, early.id))).toEqual([
          403,
          "FORBIDDEN",
          expect.stringContaining("show_ready")
        ])
        // A seat in one of its sessions grants the access.
        yield* sql`INSERT INTO panel_sessions (id, command_key, show_id, host_agent_id, status, revision, body, created_at) VALUES ('ses_a', 'a', ${show.id}, ${owner.id}, 'recording', 1, '{}', now())`
        yield* sql`INSERT INTO panel_seats (session_id, agent_id, invited, done) VALUES ('ses_a', ${stranger.id}, true, false)`
        expect(
          (yield* submit(stranger.key, show.id, { scriptText: `${script} A guest speaks.` })).body.segment
        ).toMatchObject({ agentShowId: show.id, status: "queued" })
        const dry = yield* call("POST", "/api/segments?dryRun=true", {
          key: owner.key,
          body: { stationSlug: "longwave", category: "story", title: "Watch", scriptText: script, agentShowId: show.id }
        })
        expect(dry.body.wouldBe.agentShowId).toBe(show.id)
        const sent = yield* call("POST", "/api/v1/agents/me/tts/station/generate", {
          key: owner.key,
          body: { category: "story", title: "Watch", scriptText: script, agentShowId: show.id }
        })
        expect([sent.status, sent.body.segment.agentShowId]).toEqual([201, show.id])
        const id = sent.body.segment.id as string
        yield* setSegments(sql`id = ${id}`, "aired")
        expect((yield* call("GET", `/api/v1/segments/${id}`)).body.segment.show).toEqual({
          slug: "the-lane",
          title: "The Lane"
        })
        // A seat in a panel that airs in one of its plans grants it too.
        const other = yield* showOf(owner.handle, { title: "The Other Lane" })
        const guest = (over: string) => submit(stranger.key, other.id, { scriptText: `${script} ${over}` })
        expect(refused(yield* guest("At the table."))).toEqual([
          403,
          "FORBIDDEN",
          expect.stringContaining("neither own")
        ])
        yield* sql`UPDATE segments SET session_id = 'ses_a' WHERE id = ${id}`
        yield* sql`
      INSERT INTO plans (id, command_key, agent_id, agent_show_id, title, block_id, occurrence_start, occurrence_end, status, items)
      VALUES ('plan_a', 'a', ${owner.id}, ${other.id}, 'p', 'blk_a', now(), now(), 'approved', ${JSON.stringify([{ segmentId: null }, { segmentId: id }])}::text::jsonb)`
        expect(yield* guest("At the table.")).toMatchObject({
          status: 201,
          body: { segment: { agentShowId: other.id } }
        })
        yield* sql`UPDATE plans SET status = 'cancelled' WHERE id = 'plan_a'`
        expect((yield* guest("Once more.")).status).toBe(403)
        yield* change(show.id, { status: "paused", reason: "a rest" }, producer)
        expect(refused(yield* submit(owner.key, show.id, { scriptText: `${script} Still here.` }))).toEqual([
          403,
          "FORBIDDEN",
          expect.stringContaining("paused")
        ])
      })
  )
})
