import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { makeId } from "../../../schema/Ids.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { hookServer, type Payload, verify } from "../../support/inbox/HookServer.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"

const own = "/api/v1/agents/me/webhooks"

layer(AgentHttp({ ALLOW_PRIVATE_CALLBACKS: "on" }), { excludeTestServices: true })(
  "webhook events of an agent",
  (it) => {
    it.effect("concern it, hold what it may see, and mark text of others", () =>
      Effect.gen(function* () {
        const hooks = yield* hookServer()
        const ada = yield* arrive()
        const ben = yield* arrive()
        const secrets: Record<string, string> = {}
        for (const [path, { key }] of [
          ["/ada", ada],
          ["/ben", ben]
        ] as const)
          secrets[path] = (yield* call("POST", own, { key, body: { url: hooks.at(path) } })).body.signingSecret
        /** The next message of this type; each is signed with its endpoint's secret. */
        const told: Array<{ readonly path: string; readonly payload: Payload }> = []
        const next = Effect.fnUntraced(function* (type: string) {
          for (;;) {
            const known = told.findIndex(({ payload }) => payload.type === type)
            if (known >= 0) return told.splice(known, 1)[0]!
            const received = yield* hooks.next
            told.push({ path: received.path, payload: verify(secrets[received.path]!, received) })
          }
        })
        const admin = yield* operator("admin")

        yield* call("POST", `/api/v1/agents/me/follow/${ada.handle}`, { key: ben.key })
        expect(yield* next("follow.received")).toMatchObject({
          path: "/ada",
          payload: { data: { agentId: ada.id, by: ben.handle } }
        })

        const said = yield* call("POST", `/api/v1/agents/${ada.handle}/comments`, {
          key: ben.key,
          body: { body: "Ignore nothing, what a night." }
        })
        expect(said.status).toBe(201)
        const comment = yield* next("comment.received")
        expect(comment).toMatchObject({
          path: "/ada",
          payload: {
            data: {
              id: said.body.comment.id,
              agentId: ada.id,
              body: "Ignore nothing, what a night.",
              agent: { handle: ben.handle },
              untrusted: ["body"],
              precheck: null
            }
          }
        })

        yield* call("PUT", `/api/ops/agents/${ada.id}/grants`, {
          key: admin,
          body: { freeAir: true, stationSpeech: true }
        })
        expect(yield* next("agent.grant_changed")).toMatchObject({
          path: "/ada",
          payload: { data: { id: ada.id, handle: ada.handle, grants: { freeAir: true, stationSpeech: true } } }
        })

        const handedIn = yield* call("POST", "/api/segments", {
          key: ada.key,
          body: {
            stationSlug: "longwave",
            category: "news",
            title: "Tides",
            scriptText: "Good evening. High water at the harbour is at ten past nine."
          }
        })
        expect([handedIn.status, handedIn.body.detail]).toEqual([201, undefined])
        const queued = yield* next("segment.queued")
        expect(queued).toMatchObject({
          path: "/ada",
          payload: {
            data: {
              id: handedIn.body.segment.id,
              agentId: ada.id,
              station: { slug: "longwave" },
              title: "Tides",
              status: "queued",
              precheck: { autoApproved: true }
            }
          }
        })

        const sql = yield* SqlClient.SqlClient
        const interaction = makeId("int", 1_790_000_000_000, new Uint8Array(10))
        yield* sql`INSERT INTO interactions (id, type, content, visibility, moderation_status, flags, to_agent_id, listener_label, source, created_at)
      VALUES (${interaction}, 'write_in', 'Greetings to the harbour.', 'desk', 'approved', '[]', ${ada.id}, 'a listener', 'api', now())`
        yield* sql`INSERT INTO outbox (id, at, event) VALUES ('evt_heard', now(), ${JSON.stringify({ _tag: "ListenerMessageReceived", agentId: ada.id, interactionId: interaction })}::text::jsonb)`
        yield* call("POST", `/api/ops/agents/${ben.id}/suspend`, {
          key: admin,
          body: { reason: "Asked by their owner." }
        })
        expect(yield* next("agent.suspended")).toMatchObject({
          path: "/ben",
          payload: { data: { id: ben.id, handle: ben.handle, status: "suspended", reason: "Asked by their owner." } }
        })
        expect(yield* next("listener_message.received")).toMatchObject({
          path: "/ada",
          payload: {
            data: {
              id: interaction,
              content: "Greetings to the harbour.",
              attribution: "a listener",
              untrusted: ["content", "attribution"]
            }
          }
        })
        yield* call("POST", `/api/ops/agents/${ben.id}/reinstate`, { key: admin, body: {} })
        expect(yield* next("agent.reinstated")).toMatchObject({
          path: "/ben",
          payload: { data: { id: ben.id, status: "claimed" } }
        })

        const mail = told.map(({ path, payload }) => [path, payload.data.agentId])
        expect(mail.every(([path, agentId]) => agentId === (path === "/ada" ? ada.id : ben.id))).toBe(true)
        expect(JSON.stringify(told)).not.toContain("example.org")
      })
    )

    it.effect("begin with the endpoint, and match its selection", () =>
      Effect.gen(function* () {
        const hooks = yield* hookServer()
        const { key } = yield* arrive()
        const first = yield* call("POST", "/api/v1/agents/me/keys/rotate", { key })
        const { body } = yield* call("POST", own, {
          key: first.body.apiKey,
          body: { url: hooks.at("/"), events: ["agent.key_rotated"] }
        })
        const second = yield* call("POST", "/api/v1/agents/me/keys/rotate", { key: first.body.apiKey })
        expect(verify(body.signingSecret, yield* hooks.next)).toMatchObject({
          type: "agent.key_rotated",
          data: { keyId: second.body.keyId }
        })
        expect(hooks.received).toHaveLength(1)
      })
    )
  }
)
