import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import contract from "../../contract/contract.json" with { type: "json" }
import { AgentHttp, arrive, registration } from "../../support/http/AgentHttp.ts"
import { person, signInAgain as sessionOf } from "../../support/people/Humans.ts"
import { signInListener, song } from "../../support/listeners/Listeners.ts"
import { declaredOperations } from "../../support/http/SchemaFuzz.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"

const rotate = "/api/v1/agents/me/keys/rotate"
const complete = "/api/v1/agents/claim/complete"
const token = "/api/v1/agents/me/identity-token"
const headers = { "idempotency-key": "sent before" }

const ofAgents = new Set(
  contract.operations.filter(({ auth }) => /agent/.test(String(auth))).map(({ method, path }) => `${method} ${path}`)
)
/** Every operation with an effect that an agent's key authorises. */
const writes = declaredOperations.filter(
  ({ method, path, secured }) => method !== "GET" && (secured || ofAgents.has(`${method} ${path}`))
)
/** Commands that end the key they were sent with. */
const ending = new Set([`POST ${rotate}`, "DELETE /api/v1/agents/me"])
const inBody = new Set(["/api/segments", "/api/v1/agents/me/avatar"])

const problem = ({ body, status }: Answer) => [status, body.code]
const isReplay = (answer: Answer) => answer.headers.get("idempotent-replayed") === "true"

const send = ({ method, path }: { readonly method: string; readonly path: string }, key: string) =>
  call(method, path.replaceAll(/\{\w+\}/g, "x"), { key, headers, ...(method === "DELETE" ? {} : { body: {} }) })
const sendInBody = (path: string, apiKey: string) => call("POST", path, { headers, body: { apiKey } })

const admin = () => operator("admin")
const shutOut = Effect.fnUntraced(function* (id: string) {
  expect(
    (yield* call("POST", `/api/ops/agents/${id}/suspend`, { key: yield* admin(), body: { reason: "asked too often" } }))
      .status
  ).toBe(200)
})
const ends: ReadonlyArray<
  readonly [
    what: string,
    end: (agent: {
      readonly id: string
      readonly key: string
    }) => Effect.Effect<unknown, never, Effect.Services<ReturnType<typeof shutOut>>>
  ]
> = [
  [
    "revoked",
    ({ id }) =>
      Effect.flatMap(admin(), (key) =>
        call("POST", `/api/ops/agents/${id}/revoke-keys`, { key, body: { reason: "was in a log" } })
      )
  ],
  ["rotated", ({ key }) => call("POST", rotate, { key })],
  ["suspended", ({ id }) => shutOut(id)],
  ["deleted", ({ key }) => call("DELETE", "/api/v1/agents/me", { key })]
]

layer(AgentHttp(), { excludeTestServices: true, timeout: 300_000 })("a stored answer", (it) => {
  it.effect(
    "is given to no revoked, rotated, suspended or deleted agent's key by any operation",
    () =>
      Effect.gen(function* () {
        expect(writes.length).toBeGreaterThan(60)
        let stored = 0
        for (const [what, end] of ends) {
          const agent = yield* arrive()
          const lasting = writes.filter(({ method, path }) => !ending.has(`${method} ${path}`))
          const sent = Effect.forEach(lasting, (each) => send(each, agent.key), { concurrency: 4 })
          yield* sent
          for (const path of inBody) yield* sendInBody(path, agent.key)
          stored += (yield* sent).filter(isReplay).length
          yield* end(agent)
          for (const each of writes) {
            const again = yield* send(each, agent.key)
            expect([
              what,
              each.method,
              each.path,
              [401, 403].includes(again.status),
              isReplay(again),
              again.body.apiKey,
              again.body.identityToken
            ]).toEqual([what, each.method, each.path, true, false, undefined, undefined])
          }
          for (const path of inBody) {
            const again = yield* sendInBody(path, agent.key)
            expect([what, path, [401, 403].includes(again.status), isReplay(again)]).toEqual([what, path, true, false])
          }
        }
        // Guards the test itself: with the valid key, most operations stored their answer.
        expect(stored).toBeGreaterThan(writes.length * 2)
      }),
    300_000
  )

  it.effect(
    "of a key rotation is shown to nobody: the old key is revoked, and the new one learns that it was done",
    () =>
      Effect.gen(function* () {
        const { key } = yield* arrive()
        const rotated = yield* call("POST", rotate, { key, headers })
        expect([rotated.status, rotated.body.apiKey.slice(0, 10)]).toEqual([200, "svc_agent_"])
        const old = yield* call("POST", rotate, { key, headers })
        expect([problem(old), JSON.stringify(old.body).includes(rotated.body.apiKey)]).toEqual([
          [401, "INVALID_API_KEY"],
          false
        ])
        const again = yield* call("POST", rotate, { key: rotated.body.apiKey, headers })
        expect(problem(again)).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"])
        expect(again.body.detail).toMatch(/carried out[\s\S]*\/lost-key/)
        expect([
          JSON.stringify(again.body).includes("svc_agent_"),
          (yield* call("GET", "/api/v1/agents/me", { key: rotated.body.apiKey })).status
        ]).toEqual([false, 200])
      })
  )

  it.effect("with an identity token is repeated for ten minutes, to a currently valid key only", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const first = yield* call("POST", token, { key, headers })
      expect((yield* call("POST", token, { key, headers })).body).toEqual(first.body)
      yield* (yield* SqlClient.SqlClient)`UPDATE idempotency_keys SET created_at = created_at - interval '11 minutes'`
      expect(problem(yield* call("POST", token, { key, headers }))).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"])
      const later = { "idempotency-key": "later" }
      expect((yield* call("POST", token, { key, headers: later })).status).toBe(200)
      yield* shutOut(id)
      expect(problem(yield* call("POST", token, { key, headers: later }))).toEqual([403, "AGENT_SUSPENDED"])
    })
  )

  it.effect("about an identity token is never repeated: validity is checked each time", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const {
        body: { identityToken }
      } = yield* call("POST", token, { key, body: { audience: "https://elsewhere.example" } })
      const app = yield* call("POST", "/api/ops/app-keys", {
        key: yield* admin(),
        body: { name: `app of ${id}`, audiences: ["https://elsewhere.example"] }
      })
      const verify = (appKey: string) =>
        call("POST", "/api/v1/auth/verify", {
          headers: { ...headers, "x-app-key": appKey },
          body: { token: identityToken, audience: "https://elsewhere.example" }
        })
      const before = yield* verify(app.body.secret)
      expect(before.status).toBe(200)
      yield* shutOut(id)
      const after = yield* verify(app.body.secret)
      expect([isReplay(after), JSON.stringify(after.body) === JSON.stringify(before.body)]).toEqual([false, false])
      yield* call("DELETE", `/api/ops/app-keys/${app.body.appKey.id}?reason=over`, { key: yield* admin() })
      expect(problem(yield* verify(app.body.secret))).toEqual([401, "INVALID_APP_KEY"])
    })
  )

  it.effect("of a claim is repeated to the same code alone, for ten minutes, while its key is valid", () =>
    Effect.gen(function* () {
      const claim = Effect.fnUntraced(function* () {
        const {
          body: { agentId, claimCode }
        } = yield* call("POST", "/api/v1/agents/register", { body: registration() })
        return {
          agentId: agentId as string,
          ask: { headers, body: { claimCode, ownerEmail: "o@example.org", consentGiven: true } }
        }
      })
      const [one, two, three] = [yield* claim(), yield* claim(), yield* claim()]
      const first = yield* call("POST", complete, one.ask)
      const same = yield* call("POST", complete, one.ask)
      expect([same.status, same.body, isReplay(same)]).toEqual([200, first.body, true])
      // Another code is another caller, under any key.
      const other = yield* call("POST", complete, two.ask)
      expect([other.status, other.body.agentId, isReplay(other)]).toEqual([200, two.agentId, false])
      const wrong = yield* call("POST", complete, {
        headers,
        body: { ...one.ask.body, claimCode: `${one.ask.body.claimCode.slice(0, -2)}xx` }
      })
      expect([wrong.status, wrong.body.apiKey]).toEqual([404, undefined])
      expect(
        problem(yield* call("POST", complete, { headers, body: { ...one.ask.body, ownerEmail: "other@example.org" } }))
      ).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"])
      yield* call("POST", rotate, { key: first.body.apiKey })
      expect(problem(yield* call("POST", complete, one.ask))).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"])
      yield* shutOut(two.agentId)
      expect(problem(yield* call("POST", complete, two.ask))).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"])
      const sql = yield* SqlClient.SqlClient
      const third = yield* call("POST", complete, three.ask)
      yield* sql`UPDATE idempotency_keys SET created_at = created_at - interval '11 minutes'`
      expect([third.status, problem(yield* call("POST", complete, three.ask))]).toEqual([
        200,
        [409, "IDEMPOTENCY_KEY_CONFLICT"]
      ])
    })
  )

  it.effect("is not given to a revoked operator's token", () =>
    Effect.gen(function* () {
      const { id } = yield* arrive()
      const sql = yield* SqlClient.SqlClient
      const key = yield* admin()
      const sent = [
        ["PUT", `/api/ops/agents/${id}/grants`, { freeAir: true }],
        ["POST", "/api/ops/app-keys", { name: `app for ${id}`, audiences: [] }]
      ] as const
      for (const [method, path, body] of sent)
        expect((yield* call(method, path, { key, headers, body })).status).toBe(200)
      for (const [method, path, body] of sent)
        expect(isReplay(yield* call(method, path, { key, headers, body }))).toBe(true)
      yield* sql`UPDATE operator_tokens SET revoked_at = now() WHERE public_id = ${key.split("_")[2]!}`
      for (const [method, path, body] of sent)
        expect(problem(yield* call(method, path, { key, headers, body }))).toEqual([401, "OPERATOR_REQUIRED"])
    })
  )

  it.effect("is not given to a voided listener's token or an ended session", () =>
    Effect.gen(function* () {
      const listener = yield* signInListener()
      const path = `/api/v1/tracks/${yield* song()}/engagement`
      const vote = call("POST", path, {
        headers: { ...headers, "x-listener-token": listener.token },
        body: { action: "like" }
      })
      expect((yield* vote).status).toBe(200)
      expect(isReplay(yield* vote)).toBe(true)
      expect(
        (yield* call("PATCH", `/api/ops/users/${listener.id}`, { key: yield* admin(), body: { voidTokens: true } }))
          .status
      ).toBe(200)
      expect(problem(yield* vote)).toEqual([401, "LISTENER_TOKEN_REQUIRED"])

      const ada = yield* person()
      const store = (own: Record<string, string>) =>
        call("PUT", "/api/account/provider-keys/openai", {
          headers: { ...headers, ...own },
          body: { key: "sk-live-0123456789abcdef" }
        })
      const there = yield* sessionOf(ada.id)
      expect((yield* store(there.headers)).status).toBe(200)
      expect(isReplay(yield* store(there.headers))).toBe(true)
      yield* call("DELETE", `/api/account/sessions/${there.sessionId}`, { headers: ada.headers })
      expect(problem(yield* store(there.headers))).toEqual([401, "SIGN_IN_REQUIRED"])
    })
  )

  it.effect("is never made from a refused credential: the key stays free for a valid one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = Effect.map(sql<{ n: number }>`SELECT count(*)::int AS n FROM idempotency_keys`, ([row]) => row!.n)
      const before = yield* rows
      const unknown = `svc_agent_${"a".repeat(12)}_${"b".repeat(43)}`
      for (const each of writes) yield* send(each, unknown)
      for (const path of inBody) yield* sendInBody(path, unknown)
      yield* call("POST", "/api/ops/app-keys", { key: unknown, headers, body: { name: "x", audiences: [] } })
      yield* call("POST", "/api/account/sign-out", { headers, body: {} })
      expect(yield* rows).toBe(before)
    })
  )
})
