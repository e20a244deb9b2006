import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JWTPayload, SignJWT } from "jose"
import { createPrivateKey } from "node:crypto"
import { describe, expect } from "vitest"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { SigningKeys } from "../../../engine/store/agents/SigningKeys.ts"
import { AgentHttp, arrive, newHandle, registration } from "../../support/http/AgentHttp.ts"
import { app, tokenFor } from "../../support/scenes/Credentials.ts"
import { post } from "../../support/scenes/Scene.ts"
import { call, operator, askUntil } from "../../support/http/SegmentHttp.ts"

const issue = "/api/v1/agents/me/identity-token"
const base = "http://radio.test"
const audience = "https://tides.example"

const ask = (credential: { readonly key?: string; readonly app?: string }, token: string, whom = audience) =>
  post(
    "/api/v1/auth/verify",
    { token, audience: whom },
    credential.key,
    credential.app === undefined ? {} : { "x-app-key": credential.app }
  )

/** A token with any claims, signed with the station's own key. */
const forged = Effect.fnUntraced(function* (claims: JWTPayload, head: { readonly typ?: string } = {}) {
  const [newest] = yield* (yield* SigningKeys).all
  const keys = yield* Keys
  const privateKey = createPrivateKey(keys.open(newest!.privateSealed, `identity ${newest!.kid}`))
  return yield* Effect.promise(() =>
    new SignJWT(claims).setProtectedHeader({ alg: "EdDSA", typ: "JWT", kid: newest!.kid, ...head }).sign(privateKey)
  )
})

const claimsOf = (token: string): JWTPayload =>
  JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as JWTPayload

layer(AgentHttp(), { excludeTestServices: true })("identity and app keys", (it) => {
  describe("an agent's identity", () => {
    it.effect("is proven by a token that anybody can verify with the published keys", () =>
      Effect.gen(function* () {
        const agent = yield* arrive({ role: "artist" }, { requestedCapabilities: ["broadcast", "inbox.read"] })
        const { body, headers } = yield* post(issue, { audience }, agent.key)
        expect(body).toEqual({
          identityToken: expect.any(String),
          tokenType: "JWT",
          audience,
          expiresIn: 3_600,
          expiresAt: expect.any(String)
        })
        expect(headers.get("cache-control")).toBe("no-store")
        const jwks = (yield* call("GET", "/.well-known/jwks.json")).body
        expect(jwks.keys.every((key: object) => !("d" in key))).toBe(true)
        const { payload } = yield* Effect.promise(() =>
          jwtVerify(body.identityToken as string, createLocalJWKSet(jwks), { issuer: base, audience })
        )
        expect(payload).toMatchObject({
          sub: agent.id,
          handle: agent.handle,
          display_name: "A stranger",
          role: "artist",
          tier: "T0",
          jti: expect.stringMatching(/^idt_/)
        })
        expect([...(payload["scopes"] as Array<string>)].sort()).toEqual(["broadcast", "inbox.read"])
        expect([payload.exp! - payload.iat!, payload.exp! * 1_000]).toEqual([
          3_600,
          Date.parse(body.expiresAt as string)
        ])
        expect(decodeProtectedHeader(body.identityToken as string)).toEqual({
          alg: "EdDSA",
          typ: "JWT",
          kid: jwks.keys[0].kid
        })
        expect((yield* post(`${issue}?dryRun=true`, { audience }, agent.key)).body).toEqual({
          dryRun: true,
          status: 200,
          expectedAirAt: null,
          wouldBe: { tokenType: "JWT", audience, expiresIn: 3_600, expiresAt: expect.any(String) }
        })
      })
    )

    it.effect("is issued for the named audience, for the station by default, and for no invalid audience", () =>
      Effect.gen(function* () {
        const agent = yield* arrive()
        expect((yield* post(issue, undefined, agent.key)).body.audience).toBe(base)
        const meant = [
          audience,
          "https://tides.example:8443",
          agent.id,
          `${base}/api/agents/${agent.handle}`,
          `${base}/api/v1/agents/${agent.handle}`,
          base,
          "app_00000000000000000000000000"
        ]
        for (const whom of meant)
          expect([whom, (yield* post(issue, { audience: whom }, agent.key)).status]).toEqual([whom, 200])
        const senseless = [
          "http://tides.example",
          "https://tides.example/",
          "https://tides.example/path",
          "https://user@tides.example",
          "tides.example",
          "*",
          "https://",
          `https://${"a".repeat(250)}.example`,
          `${base}.evil.example`,
          7,
          [audience]
        ]
        for (const whom of senseless)
          expect([whom, (yield* post(issue, { audience: whom }, agent.key)).body.code]).toEqual([whom, "INVALID_FIELD"])
        for (const body of [{}, { audience: "" }, { audience: "  " }])
          expect([body, (yield* post(issue, body, agent.key)).body.code]).toEqual([body, "MISSING_FIELDS"])
        for (const body of ["[]", "7", "{"])
          expect([body, (yield* post(issue, body, agent.key)).body.code]).toEqual([body, "INVALID_JSON"])
      })
    )

    it.effect("is verified for the program it is meant for, and no other", () =>
      Effect.gen(function* () {
        const program = yield* app()
        const agent = yield* tokenFor(audience)
        expect((yield* ask({ app: program.key }, agent.token)).body).toEqual({
          valid: true,
          claims: claimsOf(agent.token),
          agent: {
            id: agent.id,
            handle: agent.handle,
            displayName: "A stranger",
            role: "hybrid",
            status: "claimed",
            tier: "T0"
          }
        })
        const own = yield* tokenFor(program.id)
        expect((yield* ask({ app: program.key }, own.token, program.id)).status).toBe(200)
        const other = yield* tokenFor("https://elsewhere.example")
        expect((yield* ask({ app: program.key }, other.token, "https://elsewhere.example")).body.code).toBe("FORBIDDEN")
        expect((yield* ask({ app: program.key }, other.token)).body.code).toBe("INVALID_TOKEN")
      })
    )

    it.effect("is verified for the agent it is meant for, by its own key", () =>
      Effect.gen(function* () {
        const me = yield* arrive()
        for (const whom of [me.id, `${base}/api/agents/${me.handle}`]) {
          const { id, token } = yield* tokenFor(whom)
          expect((yield* ask({ key: me.key }, token, whom)).body.agent.id).toBe(id)
          expect((yield* ask({ key: (yield* arrive()).key }, token, whom)).body.code).toBe("FORBIDDEN")
        }
        const { token } = yield* tokenFor(audience)
        expect((yield* ask({ key: me.key }, token)).body.code).toBe("FORBIDDEN")
      })
    )

    it.effect("is rejected if the station never issued it or no longer confirms it", () =>
      Effect.gen(function* () {
        const { key } = yield* app()
        const { id, token } = yield* tokenFor(audience)
        const claims = claimsOf(token)
        const [head, body, signature] = token.split(".") as [string, string, string]
        const nowSec = Math.floor(Date.now() / 1_000)
        const mailed = yield* post(
          "/api/v1/agents/register",
          registration({ type: "identity_assertion", assertionType: "email", assertion: `${newHandle()}@example.org` })
        )
        const { sub: _, ...nobody } = claims
        const lies: Record<string, string> = {
          "no signature": `${Buffer.from(JSON.stringify({ alg: "none", typ: "JWT" })).toString("base64url")}.${body}.`,
          "another body": `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: "agt_00000000000000000000000000" })).toString("base64url")}.${signature}`,
          "another signature": `${head}.${body}.${"A".repeat(86)}`,
          "a claim token": mailed.body.claimToken as string,
          rubbish: "a.b.c",
          expired: yield* forged({ ...claims, exp: nowSec - 1 }),
          "another issuer": yield* forged({ ...claims, iss: "https://radio.test" }),
          "another kind": yield* forged(claims, { typ: "claim+jwt" }),
          "without a subject": yield* forged(nobody),
          "an agent there never was": yield* forged({ ...claims, sub: "agt_00000000000000000000000000" })
        }
        for (const [what, lie] of Object.entries(lies)) {
          const { body: refused, headers, status } = yield* ask({ app: key }, lie)
          expect([what, status, refused.code]).toEqual([what, 401, "INVALID_TOKEN"])
          expect(headers.get("www-authenticate")).toContain(`error="invalid_token"`)
          expect(JSON.stringify(refused)).not.toContain(lie)
        }
        expect((yield* ask({ app: key }, yield* forged(claims))).status).toBe(200)
        yield* call("POST", `/api/ops/agents/${id}/suspend`, {
          key: yield* operator("admin"),
          body: { reason: "spam" }
        })
        expect((yield* ask({ app: key }, token)).body.code).toBe("INVALID_TOKEN")
        const gone = yield* tokenFor(audience)
        yield* call("DELETE", "/api/v1/agents/me", { key: gone.key })
        expect((yield* ask({ app: key }, gone.token)).body.code).toBe("INVALID_TOKEN")
      })
    )

    it.effect("needs a complete, known and valid key", () =>
      Effect.gen(function* () {
        const { key } = yield* app()
        const { token, key: agentKey } = yield* tokenFor(audience)
        const wrong = [
          "",
          "x",
          key.slice(0, -1),
          `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`,
          agentKey,
          key.replace("svc_app_", "svc_ops_"),
          `svc_app_${"0".repeat(12)}_${"a".repeat(43)}`
        ]
        for (const each of wrong) {
          const { body, headers, status } = yield* ask({ app: each }, token)
          expect([each, status, body.code, headers.get("www-authenticate")?.includes(`error="invalid_token"`)]).toEqual(
            [each, 401, "INVALID_APP_KEY", true]
          )
        }
        expect((yield* ask({ key }, token)).body.code).toBe("INVALID_APP_KEY")
        const none = yield* ask({}, token)
        expect([none.status, none.body.code, none.headers.get("www-authenticate")]).toEqual([
          401,
          "INVALID_APP_KEY",
          `Bearer realm="station", resource_metadata="${base}/.well-known/oauth-protected-resource"`
        ])
      })
    )
  })

  describe("app keys", () => {
    const path = "/api/ops/app-keys"
    it.effect("are made, changed and revoked by admins, each once in the audit log, their secrets shown once", () =>
      Effect.gen(function* () {
        const admin = yield* operator("admin")
        const rows = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql<{
              action: string
              reason: string | null
            }>`SELECT action, reason FROM audit WHERE action LIKE 'app_key.%' AND reason IS NOT NULL ORDER BY id`
        )
        const body = { name: "Tide service", audiences: [audience, audience, base], reason: "asked by mail" }
        expect((yield* post(`${path}?dryRun=true`, body, admin)).body).toMatchObject({
          dryRun: true,
          wouldBe: { appKey: { name: "Tide service" } }
        })
        expect(yield* rows).toEqual([])
        const made = yield* post(path, body, admin)
        const { appKey, secret } = made.body
        expect(secret).toMatch(/^svc_app_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/)
        expect(appKey).toMatchObject({
          id: expect.stringMatching(/^app_/),
          audiences: [audience, base],
          prefix: secret.slice(0, 20),
          lastUsedAt: null,
          revokedAt: null
        })
        const { token } = yield* tokenFor(audience)
        expect((yield* ask({ app: secret }, token)).status).toBe(200)
        // The use is recorded asynchronously, beside the answer.
        const listed = yield* askUntil(
          call("GET", path, { key: admin }),
          ({ body }) => body.appKeys[0].lastUsedAt !== null
        )
        expect(listed.body.appKeys[0]).toMatchObject({ id: appKey.id, lastUsedAt: expect.any(String) })
        expect(JSON.stringify(listed.body)).not.toContain(secret.slice(21))
        const sql = yield* SqlClient.SqlClient
        expect(
          JSON.stringify(yield* sql`SELECT k::text FROM app_keys k UNION ALL SELECT a::text FROM audit a`)
        ).not.toContain(secret.slice(21))
        expect((yield* post(path, body, admin)).body.code).toBe("OPERATOR_CONFLICT")

        expect((yield* post(`${path}/${appKey.id}/rotate?dryRun=1`, undefined, admin)).body.dryRun).toBe(true)
        const rotated = (yield* post(`${path}/${appKey.id}/rotate`, { reason: "was in a log" }, admin)).body
        expect([
          (yield* ask({ app: secret }, token)).body.code,
          (yield* ask({ app: rotated.secret }, token)).status
        ]).toEqual(["INVALID_APP_KEY", 200])
        expect(rotated.appKey).toMatchObject({ id: appKey.id, rotatedAt: expect.any(String) })

        for (let n = 0; n < 2; n++)
          expect(
            (yield* call("DELETE", `${path}/${appKey.id}?reason=over`, { key: admin })).body.appKey.revokedAt
          ).toEqual(expect.any(String))
        expect((yield* ask({ app: rotated.secret }, token)).body.code).toBe("INVALID_APP_KEY")
        expect((yield* post(`${path}/${appKey.id}/rotate`, {}, admin)).body.code).toBe("NOT_FOUND")
        expect((yield* post(path, body, admin)).status).toBe(200)
        expect(yield* rows).toEqual([
          { action: "app_key.make", reason: "asked by mail" },
          { action: "app_key.rotate", reason: "was in a log" },
          { action: "app_key.revoke", reason: "over" },
          { action: "app_key.make", reason: "asked by mail" }
        ])
      })
    )

    it.effect("need an admin and a valid audience", () =>
      Effect.gen(function* () {
        const admin = yield* operator("admin")
        for (const role of ["viewer", "reviewer", "producer"] as const)
          expect((yield* post(path, { name: "x", audiences: [] }, yield* operator(role))).body.code).toBe("FORBIDDEN")
        expect((yield* post(path, { name: "x", audiences: [] }, (yield* arrive()).key)).body.code).toBe(
          "OPERATOR_REQUIRED"
        )
        const refused = yield* post(
          path,
          { name: "y", audiences: [audience, "http://tides.example", "everybody"] },
          admin
        )
        expect([refused.body.code, refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
          "INVALID_FIELD",
          ["/audiences/1", "/audiences/2"]
        ])
        expect(
          (yield* post(path, {}, admin)).body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()
        ).toEqual(["/audiences", "/name"])
        const [one, two] = yield* Effect.all(
          [post(path, { name: "twice", audiences: [] }, admin), post(path, { name: "twice", audiences: [] }, admin)],
          { concurrency: 2 }
        )
        expect([one.status, two.status].sort()).toEqual([200, 409])
        const again = { "idempotency-key": "one key, once" }
        const [first, second] = [
          yield* post(path, { name: "repeated", audiences: [] }, admin, again),
          yield* post(path, { name: "repeated", audiences: [] }, admin, again)
        ]
        expect([second.body, second.headers.get("idempotent-replayed")]).toEqual([first.body, "true"])
      })
    )
  })
})
