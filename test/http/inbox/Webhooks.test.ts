import { layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { webhookTestsPerHourMax, webhooksMax } from "../../../engine/rules/inbox/limits.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { answerWith, hookServer, verify } from "../../support/inbox/HookServer.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"

const own = "/api/v1/agents/me/webhooks"
const post = (path: string, key: string, body?: unknown, headers: Record<string, string> = {}) =>
  call("POST", path, { key, headers, ...(body === undefined ? {} : { body }) })
const endpointOf = (key: string, at = 0) => Effect.map(call("GET", own, { key }), ({ body }) => body.endpoints[at])
const until = <A, E, R>(ask: Effect.Effect<A, E, R>, so: (answer: A) => boolean) =>
  ask.pipe(Effect.repeat({ schedule: Schedule.spaced(20), until: so }))
const said = ({ body, status }: Answer) => [status, body.code]

layer(AgentHttp({ ALLOW_PRIVATE_CALLBACKS: "on" }), { excludeTestServices: true })("webhooks over HTTP", (it) => {
  it.effect("report events in a verifiable way", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer()
      const { id, key } = yield* arrive()
      const made = yield* post(own, key, {
        url: hooks.at("/a#part"),
        events: ["ping", "agent.key_rotated"],
        description: "mine"
      })
      const { signingSecret, webhook } = made.body
      expect([made.status, webhook]).toEqual([
        200,
        {
          id: expect.stringMatching(/^whk_/),
          url: hooks.at("/a"),
          events: ["ping", "agent.key_rotated"],
          description: "mine",
          active: true,
          disabledReason: null,
          createdAt: expect.any(String),
          lastDeliveryAt: null,
          failingSince: null
        }
      ])
      expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      const tested = yield* post(`${own}/${webhook.id}/test`, key)
      expect([tested.status, tested.body]).toEqual([
        200,
        {
          deliveryId: expect.stringMatching(/^dlv_/),
          status: "delivered",
          responseStatus: 200,
          durationMs: expect.any(Number)
        }
      ])
      const ping = yield* hooks.next
      expect(verify(signingSecret, ping)).toEqual({
        type: "ping",
        timestamp: expect.any(String),
        data: { id: webhook.id, agentId: id, station: { slug: "longwave" } }
      })
      expect([ping.headers["user-agent"], ping.headers["content-type"], ping.headers["webhook-id"]]).toEqual([
        "longwave-webhooks/1",
        "application/json",
        expect.stringMatching(/^evt_/)
      ])
      expect(() => verify("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", ping)).toThrow()
      expect(() => verify(signingSecret, { ...ping, body: ping.body.replace("longwave", "otherwave") })).toThrow()

      const rotated = yield* post("/api/v1/agents/me/keys/rotate", key)
      const news = yield* hooks.next
      expect(verify(signingSecret, news)).toMatchObject({
        type: "agent.key_rotated",
        data: { id: rotated.body.keyId, agentId: id, handle: expect.any(String), station: { slug: "longwave" } }
      })
      const after = yield* until(
        endpointOf(rotated.body.apiKey),
        ({ deliveries }) => deliveries[0].status === "delivered"
      )
      expect(after.lastDeliveryAt).toEqual(expect.any(String))
      expect(
        after.deliveries.map(({ attempts, eventId, responseStatus, status, type }: Record<string, unknown>) => ({
          attempts,
          eventId,
          responseStatus,
          status,
          type
        }))
      ).toEqual([
        {
          type: "agent.key_rotated",
          status: "delivered",
          attempts: 1,
          responseStatus: 200,
          eventId: news.headers["webhook-id"]
        },
        { type: "ping", status: "delivered", attempts: 1, responseStatus: 200, eventId: ping.headers["webhook-id"] }
      ])
      expect(JSON.stringify(after)).not.toContain(signingSecret.slice(6, 20))
    })
  )

  it.effect("keep the former secret valid for a day, show each secret once, and store it sealed", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer()
      const { key } = yield* arrive()
      const once = { "idempotency-key": "make" }
      const first = yield* post(own, key, { url: hooks.at("/") }, once)
      const again = yield* post(own, key, { url: hooks.at("/") }, once)
      expect([
        again.body,
        again.headers.get("idempotent-replayed"),
        (yield* call("GET", own, { key })).body.endpoints.length
      ]).toEqual([first.body, "true", 1])
      expect(said(yield* post(own, key, { url: hooks.at("/other") }, once))).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"])
      const path = `${own}/${first.body.webhook.id as string}`
      const second = yield* call("PATCH", path, { key, body: { rotateSecret: true } })
      expect(second.body.signingSecret).toMatch(/^whsec_/)
      expect(second.body.signingSecret).not.toBe(first.body.signingSecret)
      yield* post(`${path}/test`, key)
      const both = yield* hooks.next
      expect(String(both.headers["webhook-signature"]).split(" ")).toHaveLength(2)
      for (const secret of [first.body.signingSecret, second.body.signingSecret])
        expect(verify(secret, both).type).toBe("ping")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE webhooks SET former_secret_until = now() - interval '1 second' WHERE id = ${first.body.webhook.id}`
      yield* post(`${path}/test`, key)
      const one = yield* hooks.next
      expect(verify(second.body.signingSecret, one).type).toBe("ping")
      expect(() => verify(first.body.signingSecret, one)).toThrow()
      const kept = JSON.stringify(yield* sql`SELECT * FROM webhooks`)
      for (const secret of [first.body.signingSecret, second.body.signingSecret])
        expect(kept).not.toContain(secret.slice(6, -1))
      yield* sql`UPDATE idempotency_keys SET created_at = created_at - interval '11 minutes'`
      expect(said(yield* post(own, key, { url: hooks.at("/") }, once))).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"])
    })
  )

  it.effect("are limited to five an agent under concurrency, and private", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const asked = yield* Effect.all(
        Array.from({ length: 40 }, (_, n) => post(own, key, { url: `https://127.0.0.1:1/${n}` })),
        { concurrency: "unbounded" }
      )
      expect(asked.filter(({ status }) => status === 200)).toHaveLength(webhooksMax)
      expect(new Set(asked.filter(({ status }) => status !== 200).map((answer) => said(answer).join()))).toEqual(
        new Set(["409,WEBHOOK_LIMIT_REACHED"])
      )
      const { id } = yield* endpointOf(key)
      const dryRun = yield* call("DELETE", `${own}/${id}?dryRun=true`, { key })
      expect([dryRun.status, dryRun.body.dryRun, dryRun.body.wouldBe.id]).toEqual([200, true, id])
      expect(said(yield* post(`${own}?dryRun=true`, key, { url: "https://127.0.0.1:1/" }))).toEqual([
        409,
        "WEBHOOK_LIMIT_REACHED"
      ])
      const stranger = yield* arrive()
      for (const [method, path, body] of [
        ["PATCH", id, { active: false }],
        ["DELETE", id, undefined],
        ["POST", `${id}/test`, undefined],
        ["POST", `${id}/deliveries/dlv_1/replay`, undefined]
      ] as const) {
        expect([
          method,
          path,
          ...said(yield* call(method, `${own}/${path}`, { key: stranger.key, ...(body === undefined ? {} : { body }) }))
        ]).toEqual([method, path, 404, "NOT_FOUND"])
      }
      expect((yield* call("DELETE", `${own}/${id}`, { key })).body).toMatchObject({ removed: true, webhook: { id } })
      expect(
        (yield* call("GET", own, { key })).body.endpoints.map((endpoint: { id: string }) => endpoint.id)
      ).not.toContain(id)
      expect((yield* post(own, key, { url: "https://127.0.0.1:1/again" })).status).toBe(200)
      expect((yield* call("DELETE", "/api/v1/agents/me", { key })).status).toBe(200)
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT 1 FROM webhooks WHERE url LIKE '%again'`).toEqual([])
    })
  )

  it.effect("accept usable settings only, and name all faults", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const url = "https://127.0.0.1:1/"
      for (const [body, code, pointer] of [
        [{}, "MISSING_FIELDS", "/url"],
        [{ url: "http://hooks.example/" }, "INVALID_FIELD", "/url"],
        [{ url: "https://nowhere.example/" }, "INVALID_FIELD", "/url"],
        [{ url: "https://me:secret@hooks.example/" }, "INVALID_FIELD", "/url"],
        [{ url, events: ["segment.flown"] }, "INVALID_FIELD", "/events/0"],
        [{ url, events: [] }, "INVALID_FIELD", "/events"]
      ] as const) {
        const answer = yield* post(own, key, body)
        expect([body, ...said(answer), answer.body.errors[0].pointer]).toEqual([body, 400, code, pointer])
      }
      const guest = yield* arrive({}, { requestedCapabilities: ["social.post"] })
      expect(said(yield* post(own, guest.key, { url }))).toEqual([403, "FORBIDDEN"])
      const { body } = yield* post(own, key, { url, events: ["ping"] })
      const dry = yield* post(`${own}/${body.webhook.id}/test?dryRun=true`, key)
      expect([dry.status, dry.body.dryRun]).toEqual([200, true])
      const changed = yield* call("PATCH", `${own}/${body.webhook.id}`, {
        key,
        body: { url: "https://hooks.example/b", events: ["*"], active: false }
      })
      expect(changed.body).toEqual({
        webhook: {
          ...body.webhook,
          url: "https://hooks.example/b",
          events: ["*"],
          active: false,
          disabledReason: "owner"
        }
      })
      expect(
        (yield* call("PATCH", `${own}/${body.webhook.id}`, { key, body: { active: true } })).body.webhook
      ).toMatchObject({ active: true, disabledReason: null })
    })
  )

  it.effect("are tested at most twenty times an hour, and replayed under the same id", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({ "/broken": answerWith(500) })
      const { key } = yield* arrive()
      const { body } = yield* post(own, key, { url: hooks.at("/broken") })
      const path = `${own}/${body.webhook.id as string}`
      const failed = yield* post(`${path}/test`, key)
      expect(failed.body).toMatchObject({ status: "failed", responseStatus: 500 })
      expect(yield* endpointOf(key)).toMatchObject({
        failingSince: expect.any(String),
        lastDeliveryAt: null,
        active: true,
        deliveries: [{ fault: "answered 500", attempts: 1, nextAttemptAt: null }]
      })
      delete hooks.manners["/broken"]
      const replayed = yield* post(`${path}/deliveries/${failed.body.deliveryId as string}/replay`, key)
      expect(replayed.body).toMatchObject({
        deliveryId: failed.body.deliveryId,
        status: "delivered",
        responseStatus: 200
      })
      expect(new Set(hooks.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1)
      expect((yield* endpointOf(key)).failingSince).toBe(null)
      expect(said(yield* post(`${path}/deliveries/dlv_none/replay`, key))).toEqual([404, "NOT_FOUND"])
      const asked = yield* Effect.all(
        Array.from({ length: 30 }, () => post(`${path}/test`, key)),
        { concurrency: "unbounded" }
      )
      expect(asked.map((answer) => said(answer).join()).sort()).toEqual([
        ...Array.from({ length: webhookTestsPerHourMax - 2 }, () => "200,"),
        ...Array.from({ length: 32 - webhookTestsPerHourMax }, () => "429,RATE_LIMITED")
      ])
      const refused = asked.find(({ status }) => status !== 200)!
      expect([...said(refused), Number(refused.headers.get("retry-after")) > 0]).toEqual([429, "RATE_LIMITED", true])
    })
  )

  it.effect("are visible to operators, who may disable an endpoint; mail is listed without recipients", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({ "/gone": answerWith(410) })
      const { handle, id, key } = yield* arrive()
      const { body } = yield* post(own, key, { url: hooks.at("/gone") })
      const path = `${own}/${body.webhook.id as string}`
      yield* post(`${path}/test`, key)
      expect(yield* endpointOf(key)).toMatchObject({ active: false, disabledReason: "gone" })
      const viewer = yield* operator("viewer")
      const health = yield* call("GET", `/api/ops/webhooks?webhookId=${body.webhook.id as string}`, { key: viewer })
      expect(health.body.inTrouble).toContainEqual(
        expect.objectContaining({ id: body.webhook.id, agentId: id, handle, disabledReason: "gone" })
      )
      expect(health.body.deliveries).toEqual([
        expect.objectContaining({ webhookId: body.webhook.id, type: "ping", status: "failed", responseStatus: 410 })
      ])
      expect(health.body.counts).toMatchObject({ disabled: expect.any(Number), failed: expect.any(Number) })
      expect((yield* call("GET", "/api/ops/webhooks?cursor=dlv_none", { key: viewer })).body.code).toBe("INVALID_FIELD")
      const ops = `/api/ops/webhooks/${body.webhook.id as string}`
      expect(said(yield* post(`${ops}/enable`, viewer, {}))).toEqual([403, "FORBIDDEN"])
      const producer = yield* operator("producer")
      expect((yield* post(`${ops}/enable`, producer, { reason: "they fixed it" })).body.webhook).toMatchObject({
        active: true,
        disabledReason: null,
        failingSince: null
      })
      expect(said(yield* post(`${ops}/enable`, producer, {}))).toEqual([409, "SUBJECT_CONFLICT"])
      expect(said(yield* post(`${ops}/disable`, producer, {}))).toEqual([400, "MISSING_FIELDS"])
      expect((yield* post(`${ops}/disable`, producer, { reason: "floods somebody" })).body.webhook).toMatchObject({
        active: false,
        disabledReason: "operator"
      })
      expect(said(yield* call("PATCH", path, { key, body: { active: true } }))).toEqual([403, "FORBIDDEN"])
      const sql = yield* SqlClient.SqlClient
      const acts = yield* sql<{
        action: string
        reason: string
      }>`SELECT action, reason FROM audit WHERE subject_id = ${body.webhook.id} ORDER BY position`
      expect(acts).toEqual([
        { action: "webhook.enable", reason: "they fixed it" },
        { action: "webhook.disable", reason: "floods somebody" }
      ])

      const mails = yield* until(
        call("GET", "/api/ops/mail?limit=2", { key: viewer }),
        ({ body: { mails } }) => mails.length === 2
      )
      expect(mails.body.mails[0]).toEqual({
        id: expect.stringMatching(/^mail_/),
        at: expect.any(String),
        kind: "agent_claimed",
        way: "outbox",
        status: "sent"
      })
      expect(JSON.stringify(mails.body)).not.toContain("example.org")
      const older = yield* call("GET", `/api/ops/mail?limit=2&cursor=${mails.body.nextCursor as string}`, {
        key: viewer
      })
      expect(older.body.mails.map((mail: { id: string }) => mail.id)).not.toContain(mails.body.mails[1].id)
      expect((yield* call("GET", "/api/ops/mail?cursor=mail_none", { key: viewer })).body.code).toBe("INVALID_FIELD")
    })
  )
})
