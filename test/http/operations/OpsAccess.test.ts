import { layer } from "@effect/vitest"
import { Clock, Context, Effect } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { describe, expect, it as plain } from "vitest"
import { resetOperator } from "../../../actors/operations/ResetOperator.ts"
import { Meters } from "../../../engine/store/sql/Meters.ts"
import { wrongSecondFactorsPerDay } from "../../../engine/rules/operations/limits.ts"
import { segmentIdOf } from "../../../actors/listeners/Messages.ts"
import { Council } from "../../../actors/lore/protocol/Council.ts"
import { Panel } from "../../../actors/panels/protocol/Panel.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { CallsWriter } from "../../../engine/store/listeners/Calls.ts"
import type { HumansWriter } from "../../../engine/store/people/Humans.ts"
import { InteractionsWriter } from "../../../engine/store/listeners/Messages.ts"
import { WebhooksWriter } from "../../../engine/store/inbox/Webhooks.ts"
import { RequiredRole } from "../../../http/api/auth/Authorization.ts"
import { OpsApi } from "../../../http/api/OpsApi.ts"
import { Broadcaster } from "../../../schema/segments/Submission.ts"
import type { InteractionId, ShowId } from "../../../schema/Ids.ts"
import type { PanelSession } from "../../../schema/panels/Panel.ts"
import { operatorRank, type OperatorRole } from "../../../schema/operations/Operator.ts"
import { airPanel, recordPanel } from "../../support/panels/Recordings.ts"
import { publishHuman } from "../../support/scenes/Persona.ts"
import { listActs, type Line, OpsHttp, awaitReady, songs } from "../../support/http/OpsHttp.ts"
import { type Answer, call, callForm, makeClaimedAgent, operator } from "../../support/http/SegmentHttp.ts"
import { picture } from "../../support/agents/Galleries.ts"
import { wavOf } from "../../support/music/MusicProvidersDouble.ts"
import { offerRequests } from "../../support/air/Airings.ts"

const operations: Array<{
  readonly name: string
  readonly method: string
  readonly path: string
  readonly role: OperatorRole
  readonly isOpen: boolean
}> = []
HttpApi.reflect(OpsApi, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint, group }: { readonly endpoint: HttpApiEndpoint.Top; readonly group: HttpApiGroup.Top }) =>
    operations.push({
      name: `${group.identifier}.${endpoint.identifier}`,
      method: endpoint.method,
      path: endpoint.path,
      role: Context.get(endpoint.annotations, RequiredRole),
      isOpen: group.identifier === "signIn"
    })
})
/** Debian's promtool, of the package prometheus; null where it isn't installed. */
const promtool =
  [process.env["PROMTOOL"], "promtool"].find(
    (path) => path !== undefined && spawnSync(path, ["--version"]).error === undefined
  ) ?? null
if (promtool === null) console.warn("OpsAccess.test: promtool is not installed (Debian's package prometheus).")

/** Metrics as Prometheus' own conventions want them: with help, units and types. */
const expectConventional = (text: string): void => {
  const typed = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gmu)]
  for (const [, name, type] of typed) {
    expect([name, new RegExp(`^# HELP ${name} \\S`, "mu").test(text)]).toEqual([name, true])
    expect([name, type, type !== "counter" || name!.endsWith("_total")]).toEqual([name, type, true])
  }
  const names = typed.map(([, name]) => name)
  for (const name of [
    "longwave_listeners",
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "nodejs_eventloop_lag_seconds",
    "actor_messages_total"
  ])
    expect(names).toContain(name)
  if (promtool === null) return
  const checked = spawnSync(promtool, ["check", "metrics"], { input: text, encoding: "utf8" })
  expect([checked.status, checked.stdout + checked.stderr]).toEqual([0, ""])
  const rules = spawnSync(promtool, ["check", "rules", "deploy/prometheus/rules.yml"], { encoding: "utf8" })
  expect([rules.status, rules.stderr]).toEqual([0, ""])
}
const guarded = operations.filter(({ isOpen }) => !isOpen)
/** Endless answers: an admitted caller gets one, so only refusals are requested. */
const isStream = ({ path }: { readonly path: string }) =>
  ["/api/ops/events", "/api/ops/playout/meters", "/api/ops/logs/events"].includes(path)
/** Operations of operators on themselves. A token has no second factor: the tests of sessions cover that. */
const isOwn = ({ name }: { readonly name: string }) => name === "operators.signOut" || name.startsWith("secondFactor.")
const isWrite = ({ method }: { readonly method: string }) => method !== "GET"
const known = { ":type": "segment", ":id": "itm_00000000000000000000000000" }
const filled = (path: string) => path.replace(/:type|:id/g, (name) => known[name as keyof typeof known])

const spec = JSON.parse(JSON.stringify(OpenApi.fromApi(OpsApi))) as {
  readonly paths: Record<
    string,
    Record<string, { readonly description?: string; readonly responses: Record<string, unknown> }>
  >
}

describe("the OpenAPI document", () => {
  plain.each(operations.map((each) => [each.name, each] as const))(
    "%s says what it does and how it refuses",
    (_, { isOpen, method, path }) => {
      const { description, responses } = spec.paths[path.replaceAll(/:(\w+)/g, "{$1}")]![method.toLowerCase()]!
      expect(description?.length ?? 0).toBeGreaterThan(20)
      expect(Object.keys(responses)).toEqual(
        expect.arrayContaining(["200", "401", "429", "500", ...(isOpen ? [] : ["403"])])
      )
    }
  )
})

layer(OpsHttp, { excludeTestServices: true, timeout: 300_000 })("access to the operators' interface", (it) => {
  it.effect(
    "T13: is refused for every operation without, with a wrong and with anybody else's credential, and changes nothing",
    () =>
      Effect.gen(function* () {
        expect(guarded.length).toBeGreaterThan(30)
        const admin = yield* operator("admin")
        const agent = yield* makeClaimedAgent()
        const viewer = yield* operator("viewer")
        const revoked = yield* operator("admin")
        const {
          body: { tokens }
        } = yield* call("GET", "/api/ops/tokens", { key: admin })
        expect(tokens.some(({ id }: { id: string }) => revoked.includes(id))).toBe(true)
        expect(
          (yield* call("DELETE", `/api/ops/tokens/${revoked.split("_")[2]}?reason=lost`, { key: admin })).status
        ).toBe(200)
        const before = (yield* listActs(admin)).length
        const nobody: ReadonlyArray<readonly [string, Parameters<typeof call>[2]]> = [
          ["none", {}],
          ["an agent's", { key: agent.key }],
          ["rubbish", { key: "rubbish" }],
          ["malformed", { key: "svc_ops_x" }],
          ["another secret", { key: `${admin.slice(0, -1)}${admin.endsWith("A") ? "B" : "A"}` }],
          ["unknown", { key: `svc_ops_${"0".repeat(12)}_${"a".repeat(43)}` }],
          ["revoked", { key: revoked }],
          ["basic", { headers: { authorization: `Basic ${admin}` } }],
          ["an agent's as a session", { headers: { cookie: `__Host-ops=${agent.key}`, origin: "http://radio.test" } }],
          ["a token as a session", { headers: { cookie: `__Host-ops=${admin}`, origin: "http://radio.test" } }],
          [
            "no session",
            {
              headers: {
                cookie: `__Host-ops=ops_session_${"0".repeat(12)}_${"a".repeat(43)}`,
                origin: "http://radio.test"
              }
            }
          ]
        ]
        for (const each of guarded) {
          const body = isWrite(each) && each.method !== "DELETE" ? { body: {} } : {}
          for (const [what, credential] of nobody) {
            const answer = yield* call(each.method, filled(each.path), { ...body, ...credential })
            expect([each.name, what, answer.status, answer.body.code]).toEqual([
              each.name,
              what,
              401,
              "OPERATOR_REQUIRED"
            ])
            expect(answer.headers.get("www-authenticate")).toContain("Bearer")
            expect(answer.headers.get("access-control-allow-origin")).toBe(null)
          }
          if (isStream(each)) continue
          const small = yield* call(each.method, filled(each.path), { ...body, key: viewer })
          if (operatorRank[each.role] > 0)
            expect([each.name, small.status, small.body.code]).toEqual([each.name, 403, "FORBIDDEN"])
        }
        expect((yield* listActs(admin)).length).toBe(before)
      })
  )

  it.effect("needs more than a viewer for every change, and answers invalid input with a refusal", () =>
    Effect.gen(function* () {
      for (const each of guarded)
        expect([each.name, each.method === "GET" || isOwn(each) || operatorRank[each.role] > 0]).toEqual([
          each.name,
          true
        ])
      const admin = yield* operator("admin")
      // Counted separately from public requests: a flooded address can't lock operators out.
      expect(
        (yield* call("POST", "/api/ops/playout/resume", { key: admin, body: {} })).headers.get("ratelimit-policy")
      ).toBe(`"operator-writes";q=300000;w=60`)
      for (const each of guarded) {
        if (isStream(each)) continue
        for (const path of [
          filled(each.path),
          each.path.replaceAll(/:\w+/g, "%00"),
          each.path.replaceAll(/:\w+/g, "x".repeat(200))
        ]) {
          for (const body of each.method === "GET" || each.method === "DELETE"
            ? [undefined]
            : [
                "{",
                "[]",
                { reason: 7 },
                { reason: "x".repeat(501) },
                { decisions: [] },
                {
                  decisions: Array(5_000).fill(1),
                  scopesRevoked: Array(5_000).fill(1),
                  audiences: Array(5_000).fill("\ud800")
                },
                { name: "\ufffe", title: "\ud800", reason: "\udfff", code: "\ud835\udfce12345" },
                { segmentId: "seg_x", trackId: "trk_x" },
                {
                  scopesRevoked: ["\u0000"],
                  peerReviewScopes: ["\u0000"],
                  name: "\u0000",
                  token: "\u0000",
                  decisions: [{ reviewId: "\u0000", decision: "approve" }],
                  trackId: "\u0000"
                }
              ]) {
            const answer = yield* call(each.method, `${path}?limit=0&day=2026-02-30&cursor=x`, {
              key: admin,
              ...(body === undefined ? {} : { body })
            })
            expect([each.name, path, JSON.stringify(body), answer.status < 500]).toEqual([
              each.name,
              path,
              JSON.stringify(body),
              true
            ])
            if (answer.status >= 400) expect(Array.isArray(answer.body.errors)).toBe(true)
          }
        }
      }
    })
  )

  it.effect("is given by a link, once, for twelve hours, to the station's own pages", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const add = (name: string, role: string) =>
        call("POST", "/api/ops/operators", { key: admin, body: { name, role, reason: "joins us" } })
      const added = yield* add("Night desk", "producer")
      expect(added.body).toMatchObject({ operator: { name: "Night desk", role: "producer", lastSeenAt: null } })
      expect((yield* add("Night desk", "viewer")).body.code).toBe("OPERATOR_CONFLICT")
      const signIn = (token: string) => call("POST", "/api/ops/sign-in", { body: { token } })
      const entered = yield* signIn(added.body.signInToken)
      expect(entered.status).toBe(200)
      const [cookies, plain] = entered.headers.getSetCookie()
      const [cookie, ...rules] = cookies!.split("; ")
      expect(cookie).toMatch(/^__Host-ops=ops_session_/)
      // Without TLS a browser may refuse the first.
      expect(plain!.split("; ")[0]).toBe(cookie!.replace("__Host-", ""))
      expect(plain).toMatch(/HttpOnly/i)
      expect(added.body.signInUrl).toBe(`http://radio.test/console#token=${added.body.signInToken}`)
      expect(rules.map((rule) => rule.toLowerCase()).sort()).toEqual([
        "httponly",
        "max-age=43200",
        "path=/",
        "samesite=strict",
        "secure"
      ])
      expect(JSON.stringify(entered.body)).not.toContain("ops_session_")
      expect((yield* signIn(added.body.signInToken)).body.code).toBe("OPERATOR_REQUIRED")
      expect((yield* signIn("ops_link_guess")).body.code).toBe("OPERATOR_REQUIRED")
      const own = { headers: { cookie: cookie!, origin: "http://radio.test" } }
      const me = yield* call("GET", "/api/ops/me", own)
      expect(me.body).toEqual({ operator: { name: "Night desk", role: "producer", secondFactor: false } })
      expect(me.headers.get("cache-control")).toBe("no-store")
      for (const [headers, status] of [
        [{ origin: "https://evil.example" }, 403],
        [{}, 403],
        [{ "sec-fetch-site": "cross-site" }, 403],
        [{ "sec-fetch-site": "same-origin" }, 200],
        [{ origin: "http://radio.test" }, 200]
      ] as const) {
        expect([
          headers,
          (yield* call("POST", "/api/ops/playout/resume", {
            body: { reason: "from a page" },
            headers: { cookie: cookie!, ...headers }
          })).status
        ]).toEqual([headers, status])
      }
      expect((yield* listActs(admin, "&actor=Night%20desk")).map(({ action }) => action)).toEqual([
        "playout.resume",
        "playout.resume",
        "operator.sign_in"
      ])

      const elsewhere = { "x-forwarded-for": "198.51.100.7" }
      expect((yield* call("GET", "/metrics", { headers: { ...elsewhere, cookie: cookie! } })).status).toBe(200)
      expect((yield* call("GET", "/metrics", { headers: elsewhere })).body.code).toBe("OPERATOR_REQUIRED")

      // A proxy on the same machine connects from loopback too, and may omit the client's address.
      expect((yield* call("GET", "/metrics")).body.code).toBe("OPERATOR_REQUIRED")
      const metrics = yield* call("GET", "/metrics", { key: admin })
      expect([metrics.status, metrics.headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4"])
      expectConventional(metrics.body as string)

      const change = (body: object) =>
        call("PATCH", `/api/ops/operators/${added.body.operator.id}`, { key: admin, body })
      expect((yield* change({ role: "viewer", reason: "days off" })).body).toMatchObject({
        operator: { role: "viewer" },
        signInToken: null
      })
      expect((yield* call("POST", "/api/ops/playout/resume", { ...own, body: {} })).status).toBe(403)
      expect((yield* change({})).body.code).toBe("MISSING_FIELDS")
      const again = yield* change({ newLink: true })
      expect((yield* signIn(again.body.signInToken)).status).toBe(200)
      expect((yield* call("POST", "/api/ops/sign-out", own)).body).toEqual({ signedOut: true })
      expect((yield* call("GET", "/api/ops/me", own)).status).toBe(401)
      expect(
        (yield* call("DELETE", `/api/ops/operators/${added.body.operator.id}?reason=left`, { key: admin })).status
      ).toBe(200)
      expect((yield* call("GET", "/api/ops/operators", { key: admin })).body.operators).toEqual([])
      const sql = yield* SqlClient.SqlClient
      const kept = yield* sql<{
        row: string
      }>`SELECT a::text AS row FROM audit a UNION ALL SELECT l::text FROM operator_links l UNION ALL SELECT s::text FROM operator_sessions s UNION ALL SELECT t::text FROM operator_tokens t`
      expect(kept.map(({ row }) => row).join("")).not.toMatch(
        /ops_link_|ops_session_[a-z0-9]{12}_|svc_ops_[a-z0-9]{12}_/
      )
    })
  )

  it.effect("returns stored answers only to the session that stored them, while it lasts", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const added = yield* call("POST", "/api/ops/operators", {
        key: admin,
        body: { name: "Early desk", role: "producer", reason: "joins us" }
      })
      const path = `/api/ops/operators/${added.body.operator.id}`
      const signIn = Effect.fnUntraced(function* (token: string) {
        const entered = yield* call("POST", "/api/ops/sign-in", {
          body: { token },
          headers: { "idempotency-key": "again" }
        })
        const headers = { cookie: entered.headers.get("set-cookie")!.split("; ")[0]!, origin: "http://radio.test" }
        const resume = call("POST", "/api/ops/playout/resume", {
          body: { reason: "once" },
          headers: { ...headers, "idempotency-key": "again" }
        })
        return {
          headers,
          resume: Effect.map(resume, (answer) => [answer.status, answer.headers.get("idempotent-replayed")])
        }
      })
      const first = yield* signIn(added.body.signInToken)
      expect([yield* first.resume, yield* first.resume]).toEqual([
        [200, null],
        [200, "true"]
      ])
      expect((yield* call("POST", "/api/ops/sign-out", { headers: first.headers, body: {} })).status).toBe(200)
      expect(yield* first.resume).toEqual([401, null])
      // A used link stays used, under any idempotency key.
      expect(
        (yield* call("POST", "/api/ops/sign-in", {
          body: { token: added.body.signInToken },
          headers: { "idempotency-key": "again" }
        })).body.code
      ).toBe("OPERATOR_REQUIRED")
      const change = { key: admin, body: { newLink: true }, headers: { "idempotency-key": "link" } }
      const linked = yield* call("PATCH", path, change)
      yield* (yield* SqlClient.SqlClient)`UPDATE idempotency_keys SET created_at = created_at - interval '11 minutes'`
      expect((yield* call("PATCH", path, change)).body.code).toBe("IDEMPOTENCY_KEY_CONFLICT")
      const second = yield* signIn(linked.body.signInToken)
      expect([yield* second.resume, yield* second.resume]).toEqual([
        [200, null],
        [200, "true"]
      ])
      yield* call("DELETE", `${path}?reason=left`, { key: admin })
      expect(yield* second.resume).toEqual([401, null])
    })
  )

  it.effect("T13: asks an operator with a second factor for its code too, each code once, and is not guessed", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const added = yield* call("POST", "/api/ops/operators", {
        key: admin,
        body: { name: "Two keys", role: "producer", reason: "joins us" }
      })
      const path = `/api/ops/operators/${added.body.operator.id}`
      const signIn = (token: string, code?: string) =>
        call("POST", "/api/ops/sign-in", { body: { token, ...(code === undefined ? {} : { code }) } })
      const headersOf = (entered: Answer) => ({
        cookie: entered.headers.get("set-cookie")!.split("; ")[0]!,
        origin: "http://radio.test"
      })
      const newLink = Effect.map(
        call("PATCH", path, { key: admin, body: { newLink: true } }),
        ({ body }) => body.signInToken as string
      )
      const headers = headersOf(yield* signIn(added.body.signInToken))
      const ask = (what: string, body?: object) =>
        call("POST", `/api/ops/me/totp${what}`, { headers, ...(body === undefined ? {} : { body }) })
      expect((yield* call("POST", "/api/ops/me/totp", { key: admin })).body.code).toBe("OPERATOR_CONFLICT")
      expect((yield* ask("/confirm", { code: "123456" })).body.code).toBe("OPERATOR_CONFLICT")
      const begun = yield* ask("")
      const uri = new URL(begun.body.uri)
      expect([uri.protocol, uri.host, uri.searchParams.get("secret"), uri.searchParams.get("issuer")]).toEqual([
        "otpauth:",
        "totp",
        begun.body.secret,
        "Longwave"
      ])
      /** An implementation independent of the station's: RFC 6238 with Node's HMAC. */
      const codeAt = (step: number) => {
        const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
        const bits = [...(begun.body.secret as string)].map((sign) =>
          alphabet.indexOf(sign).toString(2).padStart(5, "0")
        )
        const key = Buffer.from(
          bits
            .join("")
            .match(/.{8}/g)!
            .map((byte) => Number.parseInt(byte, 2))
        )
        const counter = Buffer.alloc(8)
        counter.writeBigUInt64BE(BigInt(step))
        const mac = createHmac("sha1", key).update(counter).digest()
        const at = mac.at(-1)! & 15
        return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0")
      }
      const step = Effect.map(Clock.currentTimeMillis, (nowMs) => Math.floor(nowMs / 30_000))
      // Until the first code was entered, none is required.
      const elsewhere = headersOf(yield* signIn(yield* newLink))
      const now = yield* step
      const near = Array.from({ length: 40 }, (_, n) => codeAt(now - 2 + n))
      const wrong = Array.from({ length: 41 }, (_, n) => String(n).padStart(6, "0")).find((it) => !near.includes(it))!
      const sql = yield* SqlClient.SqlClient
      /** The current code, with the last use moved minutes into the past. */
      const fresh = Effect.andThen(
        sql`UPDATE operators SET totp_step = NULL WHERE name = 'Two keys'`,
        Effect.map(step, codeAt)
      )
      const refused = yield* ask("/confirm", { code: wrong })
      expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
        401,
        "OPERATOR_REQUIRED",
        "/code"
      ])
      const first = yield* fresh
      expect((yield* ask("/confirm", { code: first })).body).toEqual({ secondFactor: true })
      expect((yield* call("GET", "/api/ops/me", { headers })).body.operator.secondFactor).toBe(true)
      expect((yield* call("GET", "/api/ops/me", { headers: elsewhere })).status).toBe(401)
      expect((yield* ask("")).body.code).toBe("OPERATOR_CONFLICT")
      // The link stays valid until the right code is entered.
      const link = yield* newLink
      for (const code of [undefined, first, wrong]) {
        const answer = yield* signIn(link, code)
        expect([code, answer.status, answer.body.errors?.[0]?.pointer, answer.headers.get("set-cookie")]).toEqual([
          code,
          401,
          "/code",
          null
        ])
      }
      expect((yield* signIn(link, "12345")).status).toBe(400)
      const second = yield* fresh
      expect((yield* signIn(link, second)).body.operator).toMatchObject({ name: "Two keys", secondFactor: true })
      expect((yield* signIn(yield* newLink, second)).status).toBe(401)
      const kept = yield* sql<{
        row: string
      }>`SELECT o::text AS row FROM operators o UNION ALL SELECT a::text FROM audit a`
      expect(JSON.stringify(kept)).not.toContain(begun.body.secret)
      // Four wrong codes were counted; after the day's last one, even the right code is refused.
      const last = yield* newLink
      for (let n = 4; n < wrongSecondFactorsPerDay; n++) expect((yield* signIn(last, wrong)).status).toBe(401)
      const barred = yield* signIn(last, yield* fresh)
      expect([barred.status, barred.body.code, Number(barred.headers.get("retry-after")) > 0]).toEqual([
        429,
        "RATE_LIMITED",
        true
      ])
      yield* sql`DELETE FROM meters`
      // A change made behind its back is unknown to the memory of the meters.
      yield* (yield* Meters).forgetOf("nobody")
      expect((yield* ask("/remove", { code: wrong })).status).toBe(401)
      expect((yield* ask("/remove", { code: yield* fresh })).body).toEqual({ secondFactor: false })
      expect((yield* signIn(last)).status).toBe(200)
      expect(
        (yield* listActs(admin, "&actor=Two%20keys")).map(({ action }) => action).filter((it) => it.includes("factor"))
      ).toEqual(["operator.second_factor_remove", "operator.second_factor_set", "operator.second_factor_begin"])
      // On the host, for a lost app.
      const again = (yield* call("POST", "/api/ops/me/totp", { headers })).body
      expect(again.secret).not.toBe(begun.body.secret)
      yield* sql`UPDATE operators SET totp_secret = totp_waiting WHERE name = 'Two keys'`
      expect((yield* signIn(yield* newLink)).status).toBe(401)
      expect((yield* Effect.flip(resetOperator("Two locks"))).message).toContain("Two keys")
      const { signInToken } = yield* resetOperator("Two keys")
      expect((yield* call("GET", "/api/ops/me", { headers })).status).toBe(401)
      expect((yield* signIn(signInToken)).body.operator).toMatchObject({ name: "Two keys", secondFactor: false })
      expect((yield* listActs(admin, "&actor=host")).map(({ action }) => action)).toEqual(["operator.reset"])
    })
  )

  it.effect("by token follows its scope, and never removes the last admin", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const make = (body: object, headers = {}) => call("POST", "/api/ops/tokens", { key: admin, body, headers })
      const made = yield* make(
        { name: "the archive", scope: "read", reason: "nightly export" },
        { "idempotency-key": "k" }
      )
      expect(made.body).toMatchObject({
        token: { name: "the archive", scope: "read", revokedAt: null },
        secret: expect.stringMatching(/^svc_ops_/)
      })
      const repeated = yield* make(
        { name: "the archive", scope: "read", reason: "nightly export" },
        { "idempotency-key": "k" }
      )
      expect(repeated.body).toEqual(made.body)
      expect((yield* make({ name: "the archive", scope: "admin" })).body.code).toBe("OPERATOR_CONFLICT")
      const key = made.body.secret
      expect((yield* call("GET", "/api/ops/audit", { key })).status).toBe(200)
      expect((yield* call("POST", "/api/ops/playout/skip", { key, body: {} })).status).toBe(403)
      expect((yield* call("GET", "/api/ops/tokens", { key })).status).toBe(403)
      const listed = (yield* call("GET", "/api/ops/tokens", { key: admin })).body.tokens
      expect(JSON.stringify(listed)).not.toContain(key.split("_").slice(3).join("_"))
      expect((yield* call("DELETE", `/api/ops/tokens/${made.body.token.id}?reason=done`, { key: admin })).body).toEqual(
        { id: made.body.token.id, revoked: true }
      )
      expect((yield* call("GET", "/api/ops/me", { key })).status).toBe(401)
      for (const { id, revokedAt, scope } of listed) {
        if (scope === "admin" && revokedAt === null && !admin.includes(id))
          expect((yield* call("DELETE", `/api/ops/tokens/${id}`, { key: admin })).status).toBe(200)
      }
      const last = yield* call("DELETE", `/api/ops/tokens/${admin.split("_")[2]}`, { key: admin })
      expect([last.status, last.body.code]).toEqual([409, "OPERATOR_CONFLICT"])
    })
  )

  it.effect("T13: is audited for every change, with operator and reason", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const reason = "the audit must say this"
      const ask = (method: string, path: string, body: object = {}) =>
        call(method, `/api/ops/${path}`, { key: admin, body: { ...body, reason } })
      const end = (path: string) =>
        call("DELETE", `/api/ops/${path}?reason=${encodeURIComponent(reason)}`, { key: admin })
      const form = (fields: Record<string, string>, bytes: Uint8Array, name: string) => {
        const body = new FormData()
        for (const [field, value] of Object.entries({ ...fields, reason })) body.set(field, value)
        body.set("file", new Blob([new Uint8Array(bytes)]), name)
        return body
      }
      let added = ""
      const cover = yield* picture(400, 400)
      const { items } = yield* awaitReady(admin)
      const [, , song, other] = songs(items)
      const agent = yield* makeClaimedAgent()
      const script = (words: string) =>
        Effect.map(
          call("POST", "/api/segments", {
            key: agent.key,
            body: { stationSlug: "longwave", category: "news", title: "News", scriptText: `These are ${words}.` }
          }),
          ({ body }) => body.segment.id as string
        )
      const reviewOf = (id: string) =>
        Effect.map(
          call("GET", "/api/ops/reviews?limit=100", { key: admin }),
          ({ body }) => body.items.find(({ subject }: { subject: { id: string } }) => subject.id === id).id as string
        )
      const first = yield* reviewOf(yield* script("the first words"))
      let segment = ""
      let person = ""
      let token = ""
      let app = ""
      let block = ""
      let voice = ""
      let clip = ""
      const recording = yield* Effect.tap(recordPanel(), airPanel)
      let show = ""
      const panel = yield* Panel.client
      const talk = Effect.fnUntraced(function* () {
        const guest = yield* makeClaimedAgent()
        const by = Broadcaster.make({
          agentId: agent.id,
          handle: agent.handle,
          displayName: agent.handle,
          ownerKey: null
        })
        const draft = {
          title: "Tide",
          topic: null,
          description: null,
          isOpenCall: false,
          maxGuests: null,
          minTurns: null,
          maxTurns: null,
          guestDeadlineMs: null,
          hardDeadlineMs: null,
          invitedAgentIds: [guest.id]
        }
        return yield* Effect.orDie(panel(agent.id).Open({ commandKey: guest.id, by, showId: show as ShowId, draft }))
      })
      let session: PanelSession | null = null
      const hook = yield* (yield* IdSource).make("whk")
      yield* (yield* WebhooksWriter).add({
        id: hook,
        agentId: agent.id,
        url: "https://elsewhere.example/hook",
        events: ["plan.aired"],
        description: null,
        secretSealed: "sealed",
        createdAtMs: 0
      })
      let backup = ""
      const phoned = (yield* (yield* IdSource).make("int")) as InteractionId
      yield* (yield* InteractionsWriter).add({
        id: phoned,
        type: "call_in",
        content: null,
        visibility: "private",
        moderationStatus: "pending",
        flags: [],
        toAgentId: null,
        toShowSlug: null,
        listenerId: null,
        listenerLabel: "a listener",
        trackId: null,
        source: "web",
        consentVersion: null,
        createdAtMs: 0
      })
      yield* (yield* CallsWriter).add({
        interactionId: phoned,
        segmentId: segmentIdOf(phoned),
        durationSec: 2,
        recordingNoticeVersion: null,
        transcriptStatus: "awaiting"
      })
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, body, status, next_at, created_at)
        VALUES ('dlv_audited', ${hook}, 'evt_audited', 'ping', '{}', 'failed', now(), now())`
      yield* sql`INSERT INTO mails (id, at, kind, way, status, letter_sealed)
        VALUES ('mail_audited', now(), 'claim_code', 'outbox', 'sent', ${(yield* Keys).seal(JSON.stringify({ to: "a@radio.test", subject: "s", text: "t" }), "mail_audited")})`
      yield* sql`INSERT INTO alerts (id, kind, subject, severity, detail, times, raised_at, last_at)
        VALUES ('alr_audited', 'notice', 'audited', 'warning', 'An event.', 1, now(), now())`
      const said = yield* (yield* IdSource).make("msg")
      yield* sql`INSERT INTO chat_messages (id, command_key, agent_id, label, body, body_hash, status, created_at) VALUES (${said}, ${said}, ${agent.id}, 'An agent', 'Good evening.', 'x', 'approved', now())`
      const wanted = Effect.fnUntraced(function* (trackId: string | null) {
        const id = yield* (yield* IdSource).make("sreq")
        yield* sql`
        INSERT INTO song_requests (id, track_id, requester, command_key, listener_label, source, acknowledged, created_at, expires_at, updated_at)
        VALUES (${id}, ${trackId}, ${id}, ${id}, 'a listener', 'api', false, now(), now() + interval '6 hours', now())`
        yield* offerRequests
        return id
      })
      const [one, another] = [yield* wanted(song!.trackId), yield* wanted(song!.trackId)]
      // A job of a kind without a worker: it waits for the operator.
      const job = yield* (yield* IdSource).make("wrk")
      yield* sql`INSERT INTO jobs (id, kind, key, payload, state, run_at, created_at) VALUES (${job}, 'test.wait', ${job}, 'null'::jsonb, 'waiting', now(), now())`
      const fact = { category: "fact", summary: "It stands by the quay, and nobody has seen it open." }
      const double = yield* ask("POST", "lore", { ...fact, title: "The other kettle" })
      let entry = ""
      const council = yield* Council.client
      const { id: itemId } = yield* Effect.orDie(
        council(agent.id).Open({
          by: Broadcaster.make({ agentId: agent.id, handle: agent.handle, displayName: agent.handle, ownerKey: null }),
          title: "An hour of silence a year",
          summary: "Once a year the station plays the sea for an hour, and says nothing.",
          source: null
        })
      )
      yield* sql`UPDATE council_items SET closes_at = now() - interval '1 second' WHERE id = ${itemId}`
      yield* council(itemId).Close({ itemId })
      const decidedCase = "pmc_01j8zq4v7c3n5m2k9x6t0r1w8e"
      yield* sql`
        INSERT INTO reviews (id, kind, subject_type, subject_id, agent_id, status, flags, due_at, created_at)
        VALUES ('rev_01j8zq4v7c3n5m2k9x6t0r1w8e', 'post', 'post', 'post_1', ${agent.id}, 'approved', '[]'::jsonb, now(), now())`
      yield* sql`
        INSERT INTO peer_cases (id, review_id, subject_type, subject_id, content_md5, status, decided_by_peers, closes_at, closed_at, created_at)
        VALUES (${decidedCase}, 'rev_01j8zq4v7c3n5m2k9x6t0r1w8e', 'post', 'post_1', '', 'approved', true, now(), now(), now())`
      const [listenersSong, adoptedSong] = [yield* (yield* IdSource).make("sub"), yield* (yield* IdSource).make("sub")]
      const adoptionId = yield* (yield* IdSource).make("adp")
      for (const [id, status, kind, by] of [
        [listenersSong, "pending_review", "media", null],
        [adoptedSong, "adopted", "music_adoption", agent.id]
      ] as const) {
        yield* sql`
          INSERT INTO music_submissions (id, status, title, genre, rights_declaration, content_type, byte_size, sha256, duration_sec, adoption_id, adopted_by, adopted_at, created_at, updated_at)
          VALUES (${id}, ${status}, 'Low water', 'lofi', 'own_work', 'audio/mpeg', 1, ${id}, 30, ${by && adoptionId}, ${by}, ${by && "2026-01-01"}::timestamptz, now(), now())`
        yield* sql`
          INSERT INTO reviews (id, kind, subject_type, subject_id, agent_id, status, flags, due_at, created_at)
          VALUES (${yield* (yield* IdSource).make("rev")}, ${kind}, 'music_submission', ${id}, ${by}, 'open', '[]'::jsonb, now(), now())`
      }
      let plantedCase = ""
      const edited = Effect.fnUntraced(function* (line: Line | undefined, change: object) {
        const now = songs((yield* awaitReady(admin)).items)
        return yield* ask("PATCH", `rundown/items/${(now.find(({ id }) => id === line?.id) ?? now[4]!).id}`, change)
      })
      const scenes: Record<
        string,
        Effect.Effect<
          Answer,
          unknown,
          | Effect.Services<ReturnType<typeof call>>
          | Effect.Services<ReturnType<typeof awaitReady>>
          | Effect.Services<ReturnType<typeof talk>>
          | HumansWriter
        >
      > = {
        "reviews.decide": ask("POST", `reviews/${first}/decision`, { decision: "reject" }),
        "users.change": Effect.flatMap(publishHuman(), ({ id }) => ask("PATCH", `users/${id}`, { published: false })),
        "users.erase": Effect.flatMap(publishHuman(), ({ id }) => end(`users/${id}`)),
        "reviews.undo": ask("POST", `reviews/${first}/undo`),
        "reviews.decideMany": Effect.map(
          ask("POST", "reviews/decisions", { decisions: [{ reviewId: first, decision: "approve", reason }] }),
          (answer) => ({ ...answer, status: answer.body.results[0].status as number })
        ),
        "musicSubmissionsForOps.decideSubmission": ask("POST", `music/submissions/${listenersSong}/decision`, {
          decision: "approve"
        }),
        "musicSubmissionsForOps.decideAdoption": ask("POST", `music/adoptions/${adoptionId}/decision`, {
          decision: "reject"
        }),
        "reviews.grant": ask("PUT", `agents/${agent.id}/grants`, { freeAir: true }),
        "subjects.hold": Effect.gen(function* () {
          segment = yield* script("other words")
          return yield* ask("POST", `subjects/segment/${segment}/hold`)
        }),
        "subjects.release": Effect.suspend(() => ask("POST", `subjects/segment/${segment}/release`)),
        "subjects.remove": Effect.suspend(() => ask("POST", `subjects/segment/${segment}/remove`)),
        "reviews.suspend": ask("POST", `agents/${agent.id}/suspend`),
        "reviews.reinstate": ask("POST", `agents/${agent.id}/reinstate`),
        "reviews.revokeKeys": ask("POST", `agents/${agent.id}/revoke-keys`),
        "playout.insert": ask("POST", "rundown/items", { trackId: song!.trackId }),
        "playout.edit": edited(other, { locked: true }),
        "playout.drop": Effect.flatMap(awaitReady(admin), ({ items: now }) =>
          end(`rundown/items/${songs(now)[4]!.id}`)
        ),
        "playout.insertNow": ask("POST", "playout/insert-now", { trackId: other!.trackId }),
        "announcements.change": ask("PATCH", "announcements/time_check", { on: false }),
        "playout.skip": ask("POST", "playout/skip"),
        "playout.hold": ask("POST", "playout/hold"),
        "playout.resume": ask("POST", "playout/resume"),
        "playout.emergency": ask("POST", "playout/emergency"),
        "playout.clearEmergency": ask("POST", "playout/emergency/clear"),
        "operators.addOperator": Effect.tap(
          ask("POST", "operators", { name: "Day desk", role: "viewer" }),
          ({ body }) => Effect.sync(() => (person = body.operator.id))
        ),
        "operators.changeOperator": Effect.suspend(() => ask("PATCH", `operators/${person}`, { role: "reviewer" })),
        "operators.removeOperator": Effect.suspend(() => end(`operators/${person}`)),
        "operators.makeToken": Effect.tap(ask("POST", "tokens", { name: "a robot", scope: "review" }), ({ body }) =>
          Effect.sync(() => (token = body.token.id))
        ),
        "operators.revokeToken": Effect.suspend(() => end(`tokens/${token}`)),
        "catalog.make": Effect.tap(
          ask("POST", "voices", {
            name: "Tern",
            gender: "female",
            ageBand: "adult",
            accent: "Scottish",
            pace: "measured",
            timbre: ["clear"],
            personaBrief: "Reads the forecast.",
            sampleLine: "Light icing. Good.",
            sound: { pitchHz: 205, tractPct: 104, secondPct: 99, wordsPerMin: 158 }
          }),
          ({ body }) => Effect.sync(() => (voice = body.voice.voiceId))
        ),
        "catalog.decide": Effect.suspend(() => ask("PATCH", `voices/${voice}`, { reserved: true })),
        "messagesForOps.transcript": ask("PATCH", `call-ins/${phoned}`, { transcript: "Good night." }),
        "blocks.put": Effect.tap(
          ask("POST", "blocks", {
            blocks: [{ title: "Small hours", kind: "rotation", weekday: 1, startLocal: "03:00", durationMin: 60 }],
            fit: "make_room"
          }),
          ({ body }) =>
            Effect.sync(() => (block = body.blocks.find(({ title }: { title: string }) => title === "Small hours").id))
        ),
        "topicsForOps.ask": ask("POST", "topics", { title: "What the storm left", category: "local" }),
        "blocks.change": Effect.suspend(() => ask("PATCH", `blocks/${block}`, { title: "Smaller hours" })),
        "blocks.remove": Effect.suspend(() =>
          call("DELETE", `/api/ops/blocks/${block}?fit=make_room&reason=${encodeURIComponent(reason)}`, { key: admin })
        ),
        "opsChat.remove": ask("POST", `chat/${said}/remove`),
        "opsChat.mute": ask("POST", "chat/mute", { type: "agent", id: agent.id, until: "2999-01-01T00:00:00Z" }),
        "replaysForOps.makeClip": Effect.tap(
          ask("POST", "clips", { replayId: recording.replayId, startSec: 1, durationSec: 20, title: "Boats" }),
          ({ body }) => Effect.sync(() => (clip = body.clip.id))
        ),
        "replaysForOps.changeClip": Effect.suspend(() => ask("PATCH", `clips/${clip}`, { hidden: true })),
        "replaysForOps.changeReplay": ask("PATCH", `replays/${recording.replayId}`, { hidden: true }),
        "redemptions.grantPoints": ask("POST", `agents/${agent.id}/point-grants`, { points: 500 }),
        "redemptions.redeem": ask("POST", `agents/${agent.id}/redemptions`, { code: "pin_post_24h" }),
        "showsForOps.makeShow": Effect.tap(
          ask("POST", "shows", { title: "Night Watch", hostHandle: agent.handle }),
          ({ body }) => Effect.sync(() => (show = body.show.id))
        ),
        "panelsForOps.extend": Effect.flatMap(talk(), (opened) => {
          session = opened
          return ask("POST", `sessions/${opened.id}/extend`, {
            hardDeadline: new Date(opened.hardDeadlineMs + 60_000).toISOString()
          })
        }),
        "panelsForOps.removeSeat": Effect.suspend(() =>
          end(`sessions/${session!.id}/seats/${session!.participants[1]!.participantId}`)
        ),
        "panelsForOps.close": Effect.suspend(() => ask("POST", `sessions/${session!.id}/close`)),
        "showsForOps.changeShow": Effect.suspend(() => ask("PATCH", `shows/${show}`, { status: "paused" })),
        "songRequestsForOps.cancelSongRequest": ask("POST", `song-requests/${one}/cancel`),
        "songRequestsForOps.scheduleSongRequest": ask("POST", `song-requests/${another}/schedule`),
        "jobs.cancelJob": Effect.suspend(() => ask("POST", `jobs/${job}/cancel`)),
        "jobs.retryJob": Effect.suspend(() => ask("POST", `jobs/${job}/retry`)),
        "deliveries.disableWebhook": ask("POST", `webhooks/${hook}/disable`),
        "deliveries.enableWebhook": ask("POST", `webhooks/${hook}/enable`),
        "deliveries.resendDelivery": ask("POST", "webhooks/deliveries/dlv_audited/resend"),
        "deliveries.resendMail": ask("POST", "mail/mail_audited/resend"),
        "alerts.acknowledge": ask("POST", "alerts/alr_audited/acknowledge"),
        "backups.make": Effect.tap(
          // One at a time: an earlier test asked for one that nobody makes here.
          Effect.andThen(Effect.orDie(sql`UPDATE backups SET state = 'failed'`), ask("POST", "backups")),
          ({ body }) => Effect.sync(() => (backup = body.backup?.id))
        ),
        "simulations.simulate": Effect.andThen(
          // One at a time, as backups.
          Effect.orDie(sql`UPDATE simulations SET state = 'failed'`),
          ask("POST", "simulations", { days: 1 })
        ),
        "backups.check": Effect.suspend(() =>
          Effect.andThen(
            Effect.orDie(sql`UPDATE backups SET state = 'made' WHERE id = ${backup}`),
            ask("POST", "restore/check", { backupId: backup })
          )
        ),
        "settings.change": ask("PUT", "settings", { speechMinutesPerDay: 700 }),
        "settings.changeSetup": ask("PUT", "setup", { timeZone: "Europe/Berlin" }),
        "settings.turn": ask("PUT", "rotation", {
          shares: { contributed: 2, house: 1 },
          separationMinutes: { track: 90, artist: 45, agent: 15, topic: 30 },
          seed: 5
        }),
        "liveSound.sendLive": call("PUT", `/api/ops/playout/live?reason=${encodeURIComponent(reason)}`, {
          key: admin,
          body: "RIFF",
          headers: { "content-type": "audio/wav" }
        }),
        "playout.takeLive": ask("POST", "playout/take-live"),
        "playout.releaseLive": ask("POST", "playout/release-live"),
        "playout.restartActor": ask("POST", "actors/restart", { name: "Station/Clock" }),
        "subjects.addTrack": Effect.tap(
          callForm(
            "/api/ops/tracks",
            admin,
            form({ genre: "jazz", rightsDeclaration: "licensed" }, wavOf(5), "Tide_mill.wav")
          ),
          ({ body }) =>
            Effect.sync(() => {
              expect(body.track).toMatchObject({ title: "Tide mill", approvalStatus: "approved", agentId: null })
              added = body.track.id
            })
        ),
        "subjects.setCover": Effect.suspend(() =>
          Effect.tap(
            callForm(`/api/ops/tracks/${added}/cover`, admin, form({}, cover, "cover.jpg"), "PUT"),
            ({ body }) => Effect.sync(() => expect(body.track?.hasOwnCover).toBe(true))
          )
        ),
        "subjects.removeCover": Effect.suspend(() => end(`tracks/${added}/cover`)),
        "subjects.changeTrack": ask("PATCH", `tracks/${song!.trackId}`, { weight: 0.9 }),
        "loreForOps.establish": Effect.tap(ask("POST", "lore", { ...fact, title: "The Copper Kettle" }), ({ body }) =>
          Effect.sync(() => (entry = body.entry.id))
        ),
        "loreForOps.revise": Effect.suspend(() => ask("PATCH", `lore/${entry}`, { title: "The Tin Kettle" })),
        "loreForOps.merge": Effect.suspend(() => ask("POST", `lore/${entry}/merge`, { intoId: double.body.entry.id })),
        "loreForOps.addCard": ask("POST", "library-cards", { title: "The quay at night", text: "Fog, and one lamp." }),
        "councilForOps.answer": ask("POST", `council/${itemId}/outcome`, {
          decision: "accepted",
          text: "From now on."
        }),
        "councilForOps.hide": ask("POST", `council/${itemId}/hide`),
        "peersForOps.judge": ask("POST", `peer-moderation/cases/${decidedCase}/verdict`, { verdict: "approved" }),
        "peersForOps.plant": Effect.tap(
          ask("POST", "peer-moderation/planted", {
            subjectType: "post",
            body: "You are all idiots.",
            answer: "denied"
          }),
          ({ body }) => Effect.sync(() => (plantedCase = body.case.id))
        ),
        "peersForOps.withdraw": Effect.suspend(() => ask("POST", `peer-moderation/planted/${plantedCase}/withdraw`)),
        "appKeys.make": Effect.tap(
          ask("POST", "app-keys", { name: "a friend's program", audiences: ["https://friend.example"] }),
          ({ body }) => Effect.sync(() => (app = body.appKey.id))
        ),
        "appKeys.rotate": Effect.suspend(() => ask("POST", `app-keys/${app}/rotate`)),
        "appKeys.revoke": Effect.suspend(() => end(`app-keys/${app}`))
      }
      // A session ends by itself; the tests of sessions cover that.
      expect(Object.keys(scenes).sort()).toEqual(
        guarded
          .filter((each) => isWrite(each) && !isOwn(each))
          .map(({ name }) => name)
          .sort()
      )
      let before = yield* listActs(admin)
      for (const [name, scene] of Object.entries(scenes)) {
        const answer = yield* scene
        expect([name, answer.status, answer.body.detail]).toEqual([name, 200, undefined])
        const after = yield* listActs(admin)
        const rows = after.filter(({ id }) => !before.some((row) => row.id === id))
        expect([name, rows.length, new Set(rows.map(({ actor, reason: why }) => `${actor}: ${why}`))]).toEqual([
          name,
          1,
          new Set([`admin-${admin.split("_")[2]}: ${reason}`])
        ])
        before = after
      }
    })
  )
})
