import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Headers, HttpServer } from "effect/http"
import { describe, expect } from "vitest"
import { capabilities } from "../../../http/api/Parts.ts"
import { SecretHeaders } from "../../../http/auth/SecretHeaders.ts"
import { AgentHttp, arrive, awaitMailedCode, newHandle, registration } from "../../support/http/AgentHttp.ts"
import { awaitMail } from "../../support/people/MailDouble.ts"
import { post } from "../../support/scenes/Scene.ts"
import { askUntil, call, operator } from "../../support/http/SegmentHttp.ts"
import { StatementCount } from "../../support/http/StatementCount.ts"

const base = "http://radio.test"
const agents = "/api/v1/agents"
const [register, start, verify, complete] = ["register", "claim/start", "claim/verify-otp", "claim/complete"].map(
  (path) => `${agents}/${path}`
) as [string, string, string, string]
const challenge = `Bearer realm="station", resource_metadata="${base}/.well-known/oauth-protected-resource"`
const declared = capabilities().routes
/** An unused id: an authorised caller gets 404, any other 401 or 403. */
const somewhere = (path: string) => path.replaceAll(/\{\w+\}/g, "nothing_00000000000000000000000000")
const body = (method: string, path = "") =>
  method === "GET" || method === "DELETE"
    ? {}
    : path === "/api/account/music-submissions"
      ? { body: "--x--\r\n", headers: { "content-type": "multipart/form-data; boundary=x" } }
      : { body: {} }

/** The redirect itself, which `fetch` would follow. */
const unfollowed = Effect.fnUntraced(function* (method: string, path: string) {
  const { address } = yield* HttpServer.HttpServer
  return yield* "port" in address
    ? Effect.promise(() => fetch(`http://127.0.0.1:${address.port}${path}`, { method, redirect: "manual" }))
    : Effect.die("no port")
})

const mailed = Effect.fnUntraced(function* (assertion_type: string) {
  const assertion = `${newHandle()}@example.org`
  const { body } = yield* post(register, registration({ type: "identity_assertion", assertion_type, assertion }))
  return { token: body.claim_token as string, code: yield* awaitMailedCode(assertion), registered: body }
})

layer(AgentHttp().pipe(Layer.provideMerge(StatementCount.layer)), { excludeTestServices: true })(
  "credentials",
  (it) => {
    describe("registration in the convention's terms", () => {
      it.effect("works without an address, each answer leading to the next request", () =>
        Effect.gen(function* () {
          const registered = yield* post(
            register,
            registration({ requested_scopes: ["inbox.read"], requested_credential_type: "api_key" })
          )
          const { agentId, claimCode, claimUrl, expiresAt } = registered.body
          expect(registered.headers.get("x-ignored-fields")).toBe(null)
          expect(registered.body).toMatchObject({
            registration_id: agentId,
            registration_type: "anonymous",
            claim_url: claimUrl,
            claim_code: claimCode,
            claim_token: claimCode,
            expires_at: expiresAt,
            claim_token_expires: expiresAt,
            post_claim_scopes: ["inbox.read"]
          })
          const started = yield* post(start, { registration_id: agentId, requested_scopes: ["inbox.read"] })
          const code = started.body.claimCode as string
          expect(started.body).toMatchObject({
            verificationUrl: `/claim/${code}`,
            verification_uri: `${base}/claim/${code}`,
            claim_url: `${base}/claim/${code}`,
            claim_code: code,
            expiresIn: 900,
            expires_in: 900,
            expires_at: expect.any(String)
          })
          const claimed = yield* post(complete, {
            claim_token: code,
            email: "owner@example.org",
            consent_given: true,
            consent_version: registered.body.consentVersion
          })
          expect(claimed.headers.get("x-ignored-fields")).toBe(null)
          expect(claimed.body).toEqual({
            apiKey: expect.stringMatching(/^svc_agent_/),
            credential: claimed.body.apiKey,
            credential_type: "api_key",
            credential_expires: null,
            agentId,
            registration_id: agentId,
            status: "claimed",
            ownerEmailHash: expect.any(String),
            scopes: ["inbox.read"]
          })
          expect((yield* call("GET", `${agents}/me`, { key: claimed.body.credential })).body.agent.scopes).toEqual([
            "inbox.read"
          ])
        })
      )

      it.effect("works with an address, in two steps or one", () =>
        Effect.gen(function* () {
          const first = yield* mailed("email")
          expect(first.registered).toMatchObject({
            assertionType: "email",
            assertion_type: "email",
            registration_type: "email-verification",
            claimToken: first.token
          })
          expect(
            (yield* post(complete, {
              claim_token: first.token,
              otp: first.code === "111111" ? "222222" : "111111",
              consent_given: true
            })).body.code
          ).toBe("INVALID_OTP")
          expect((yield* post(verify, { claim_token: first.token, otp: first.code })).body.verified).toBe(true)
          expect((yield* post(complete, { claim_token: first.token, consent_given: true })).body.status).toBe("claimed")
          const second = yield* mailed("verified_email")
          expect((yield* post(complete, { claim_token: second.token, user_code: second.code })).body).toMatchObject({
            code: "MISSING_FIELDS",
            errors: [{ pointer: "/consentGiven" }]
          })
          expect(
            (yield* post(`${complete}?dryRun=true`, {
              claim_token: second.token,
              otp_code: second.code,
              consent_given: true
            })).body
          ).toMatchObject({ dryRun: true, status: 200 })
          const claimed = yield* post(complete, { claimToken: second.token, otpCode: second.code, consentGiven: true })
          expect((yield* call("GET", `${agents}/me`, { key: claimed.body.apiKey })).body.agent.ownerEmailVerified).toBe(
            true
          )
        })
      )

      it.effect("accepts a field under both names with equal values, and refuses different ones", () =>
        Effect.gen(function* () {
          const {
            body: { agentId, claimCode }
          } = yield* post(register, registration())
          const refusals: ReadonlyArray<readonly [string, object, ReadonlyArray<string>]> = [
            [
              register,
              registration({
                type: "identity_assertion",
                assertionType: "email",
                assertion_type: "phone",
                assertion: "a@b.cd"
              }),
              ["/assertion_type"]
            ],
            [
              register,
              registration({
                requestedCapabilities: ["broadcast"],
                requested_scopes: ["inbox.read"],
                requested_capabilities: ["broadcast"]
              }),
              ["/requested_scopes"]
            ],
            [start, { agentId, agent_id: "agt_00000000000000000000000000", registration_id: agentId }, ["/agent_id"]],
            [
              verify,
              { claimToken: "a.b.c", claim_token: "a.b.d", otpCode: "123456", otp: "123457" },
              ["/claim_token", "/otp"]
            ],
            [
              complete,
              {
                claimCode,
                claim_code: "claim_other",
                ownerEmail: "a@b.cd",
                email: "b@b.cd",
                consentGiven: true,
                consent_given: false
              },
              ["/claim_code", "/consent_given", "/email"]
            ]
          ]
          for (const [path, sent, pointers] of refusals) {
            const { body, status } = yield* post(path, sent)
            expect([
              path,
              status,
              body.code,
              body.errors?.map(({ pointer }: { pointer: string }) => pointer).sort()
            ]).toEqual([path, 400, "INVALID_FIELD", pointers])
          }
          expect((yield* post(register, registration({ requestedCredentialType: "access_token" }))).body).toMatchObject(
            {
              code: "INVALID_FIELD",
              errors: [{ pointer: "/requestedCredentialType" }]
            }
          )
          expect((yield* post(start, {})).body.errors).toMatchObject([{ pointer: "/agentId", code: "MISSING_FIELDS" }])
          expect((yield* post(verify, { claim_token: "", otp: " " })).body.errors).toMatchObject([
            { pointer: "/claimToken" },
            { pointer: "/otpCode" }
          ])
          const claimed = yield* post(complete, {
            claimCode,
            claim_code: claimCode,
            claim_token: claimCode,
            ownerEmail: "a@b.cd",
            owner_email: "a@b.cd",
            consentGiven: true,
            consent_given: true
          })
          expect(claimed.body.agentId).toBe(agentId)
        })
      )
    })

    describe("discovery", () => {
      it.effect("serves every address in the discovery documents, and the two agree", () =>
        Effect.gen(function* () {
          const resource = yield* call("GET", "/.well-known/oauth-protected-resource")
          const server = yield* call("GET", "/.well-known/oauth-authorization-server")
          expect(server.body).toMatchObject({
            ...resource.body,
            issuer: resource.body.authorization_servers[0],
            response_types_supported: [],
            grant_types_supported: []
          })
          expect(resource.body).toMatchObject({
            resource: base,
            authorization_servers: [base],
            bearer_methods_supported: ["header"],
            scopes_supported: expect.arrayContaining(["broadcast", "inbox.read"]) as unknown
          })
          expect(resource.body.scopes_supported).toHaveLength(10)
          for (const { headers } of [resource, server])
            expect([
              headers.get("cache-control"),
              headers.get("etag"),
              headers.get("access-control-allow-origin")
            ]).toEqual(["public, max-age=3600", expect.stringMatching(/^W\//), "*"])
          const { agent_auth: how } = server.body
          expect(how).toMatchObject({
            register_uri: `${base}${register}`,
            claim_uri: `${base}${start}`,
            claim_verify_uri: `${base}${verify}`,
            claim_complete_uri: `${base}${complete}`,
            revocation_uri: `${base}${agents}/me`,
            identity_types_supported: ["anonymous", "identity_assertion"],
            anonymous: { credential_types_supported: expect.arrayContaining(["apiKey"]) as unknown },
            assertion_types_supported: expect.arrayContaining(["email"]) as unknown
          })
          const addresses = [
            ...new Set(
              [...JSON.stringify(server.body).matchAll(/"(http:\/\/radio\.test\/[^"]*)"/g)].map(([, url]) => url!)
            )
          ]
          expect(addresses.length).toBeGreaterThan(9)
          for (const url of addresses.filter((each) => each !== `${base}/docs`))
            expect([url, (yield* call("OPTIONS", url.slice(base.length))).status]).toEqual([url, 204])
          const logo = yield* call("GET", new URL(resource.body.resource_logo_uri as string).pathname)
          expect([logo.status, logo.headers.get("content-type"), (logo.body as string).startsWith("<svg")]).toEqual([
            200,
            "image/svg+xml",
            true
          ])
        })
      )

      it.effect("is linked from every 401 of every operation that needs a key", () =>
        Effect.gen(function* () {
          const guarded = declared.filter(({ auth }) => !auth.includes("public"))
          expect(guarded.length).toBeGreaterThan(30)
          for (const { auth, method, path } of guarded) {
            const none = yield* call(method, somewhere(path), body(method, path))
            expect([method, path, none.status, none.headers.get("www-authenticate")]).toEqual([
              method,
              path,
              401,
              challenge
            ])
            // Operations for listeners alone refuse an agent's key, valid or not, as a wrong credential.
            const wrong = yield* call(method, somewhere(path), {
              ...body(method, path),
              key: auth.join() === "listener" ? "nobody" : "svc_agent_no"
            })
            expect([method, path, wrong.status, wrong.headers.get("www-authenticate")]).toEqual([
              method,
              path,
              401,
              `${challenge}, error="invalid_token"`
            ])
          }
          const inBody = yield* post("/api/segments", { apiKey: "svc_agent_no" })
          expect([inBody.status, inBody.headers.get("www-authenticate")]).toEqual([
            401,
            `${challenge}, error="invalid_token"`
          ])
        })
      )

      it.effect("names the missing scope, for every operation that needs one", () =>
        Effect.gen(function* () {
          const reader = yield* arrive({}, { requestedCapabilities: ["inbox.read"] })
          const other = yield* arrive({}, { requestedCapabilities: ["guest.request"] })
          const scoped = declared.filter(({ scope }) => scope !== null)
          expect(scoped.length).toBeGreaterThan(15)
          for (const { method, path, scope } of scoped) {
            const answer = yield* call(method, somewhere(path), {
              ...body(method),
              key: scope === "inbox.read" ? other.key : reader.key
            })
            expect([
              method,
              path,
              answer.status,
              answer.body.code,
              answer.body.requiredScope,
              answer.headers.get("www-authenticate")
            ]).toEqual([
              method,
              path,
              403,
              "FORBIDDEN",
              scope,
              `${challenge}, error="insufficient_scope", scope="${scope}"`
            ])
          }
        })
      )

      it.effect("redirects former addresses, with method, body and query", () =>
        Effect.gen(function* () {
          const members: ReadonlyArray<readonly [string, string, string]> = [
            ["POST", "register", register],
            ["POST", "claim/start", start],
            ["POST", "claim/verify-otp", verify],
            ["POST", "claim/complete", complete],
            ["POST", "verify", "/api/v1/auth/verify"],
            ["GET", "me", `${agents}/me`],
            ["DELETE", "me", `${agents}/me`],
            ["POST", "me/identity-token", `${agents}/me/identity-token`],
            ["POST", "me/keys/rotate", `${agents}/me/keys/rotate`]
          ]
          const key = (yield* arrive()).key
          // `fetch` follows a 308 with the same method and body, so that an old client keeps working.
          expect((yield* post("/api/auth/agent/register", registration())).status).toBe(201)
          expect((yield* call("GET", "/api/auth/agent/me", { key })).status).toBe(200)
          for (const [method, member, successor] of members) {
            const former = yield* call("OPTIONS", `/api/auth/agent/${member}`)
            expect([member, former.status, former.headers.get("allow")?.includes(method)]).toEqual([member, 204, true])
            const moved = yield* unfollowed(method, `/api/auth/agent/${member}?dryRun=true`)
            expect([
              member,
              moved.status,
              moved.headers.get("location"),
              moved.headers.get("deprecation"),
              moved.headers.get("link")
            ]).toEqual([
              member,
              308,
              `${successor}?dryRun=true`,
              expect.stringMatching(/^@\d+$/),
              `<${successor}>; rel="successor-version"`
            ])
          }
          for (const unknown of ["", "login", "me/keys", "claim", "register/x", "constructor"])
            expect([unknown, (yield* call("GET", `/api/auth/agent/${unknown}`)).status]).toEqual([unknown, 404])
        })
      )
    })

    describe("guessed keys and codes", () => {
      it.effect("T5: are distinguished for their owner alone: malformed, unknown, revoked", () =>
        Effect.gen(function* () {
          const { key } = yield* arrive()
          const said = (tried: string) =>
            Effect.map(call("GET", `${agents}/me`, { key: tried }), ({ body }) => body.detail as string)
          const guess = `${key.slice(0, -4)}AAAA`
          expect([
            yield* said("svc_agent_x"),
            yield* said(guess),
            yield* said(`svc_agent_${"0".repeat(12)}_${"a".repeat(43)}`)
          ]).toEqual([
            expect.stringContaining("malformed"),
            expect.stringContaining("unknown"),
            expect.stringContaining("unknown")
          ])
          yield* post(`${agents}/me/keys/rotate`, undefined, key)
          expect(yield* said(key)).toContain("revoked")
          // A guesser isn't told that the key once existed.
          expect(yield* said(guess)).toContain("unknown")
        })
      )

      it.effect(
        "T5: costs no statement when it was used a moment ago, and each change shows in the very next request",
        () =>
          Effect.gen(function* () {
            const counts = yield* StatementCount
            const admin = yield* operator("admin")
            const me = `${agents}/me`
            const ask = (key: string) =>
              Effect.map(call("GET", me, { key }), ({ body, status }) => [status, body.code ?? body.agent.tagline])
            const sharedOf = () => counts.lastOf("GET", me)!.shared
            const { handle, id, key } = yield* arrive()
            expect(yield* ask(key)).toEqual([200, null])
            // Saving when a key was used, once a minute, is told to those who ask, and needs no new read.
            const seenAt = yield* askUntil(
              Effect.map(call("GET", me, { key }), ({ body }) => body.agent.lastSeenAt as string | null),
              (at) => at !== null
            )
            expect(Math.abs(Date.now() - Date.parse(seenAt!))).toBeLessThan(60_000)
            // A refused and a dry change leave it alone.
            yield* call("PATCH", `${me}/profile?dryRun=true`, { key, body: { tagline: "Nothing." } })
            expect([yield* ask(key), sharedOf()]).toEqual([[200, null], 0])
            yield* call("PATCH", `${me}/profile`, { key, body: { tagline: "All the tides." } })
            expect([yield* ask(key), sharedOf()]).toEqual([[200, "All the tides."], 1])
            expect((yield* call("GET", `${agents}/${handle}`)).body.agent.tagline).toBe("All the tides.")
            yield* call("PUT", `/api/ops/agents/${id}/grants`, { key: admin, body: { canBroadcast: false } })
            expect((yield* call("GET", me, { key })).body.contribution.canBroadcast).toBe(false)
            yield* ask(key)
            yield* call("POST", `/api/ops/agents/${id}/suspend`, { key: admin, body: { reason: "Spam." } })
            expect(yield* ask(key)).toEqual([403, "AGENT_SUSPENDED"])
            expect(yield* ask(key)).toEqual([403, "AGENT_SUSPENDED"])
            yield* call("POST", `/api/ops/agents/${id}/reinstate`, { key: admin, body: {} })
            expect(yield* ask(key)).toEqual([200, "All the tides."])
            const rotated = (yield* post(`${me}/keys/rotate`, undefined, key)).body.apiKey as string
            expect(yield* ask(key)).toEqual([401, "INVALID_API_KEY"])
            expect(yield* ask(rotated)).toEqual([200, "All the tides."])
            expect(yield* ask(`${rotated.slice(0, -4)}AAAA`)).toEqual([401, "INVALID_API_KEY"])
            yield* call("POST", `/api/ops/agents/${id}/revoke-keys`, { key: admin, body: { reason: "Lost." } })
            expect(yield* ask(rotated)).toEqual([401, "INVALID_API_KEY"])
            const left = yield* arrive()
            yield* ask(left.key)
            yield* call("DELETE", me, { key: left.key })
            expect([handle === left.handle, yield* ask(left.key)]).toEqual([false, [401, "INVALID_API_KEY"]])
          })
      )

      it.effect("T5: appear in no log, from any header", () =>
        Effect.gen(function* () {
          const sent = Headers.fromInput({
            authorization: "Bearer svc_agent_secret",
            "x-app-key": "svc_app_secret",
            "x-listener-token": "listener_secret",
            cookie: "__Host-ops=ops_session_secret",
            accept: "*/*"
          })
          const logged = JSON.stringify(Headers.redact(sent, yield* Headers.CurrentRedactedNames))
          expect([logged.includes("secret"), logged.includes("*/*")]).toEqual([false, true])
        }).pipe(Effect.provide(SecretHeaders))
      )

      it.effect("T6: no answer reveals whether the station knows an address", () =>
        Effect.gen(function* () {
          const known = `${newHandle()}@example.org`
          const ask = (assertion: string) =>
            post(register, registration({ type: "identity_assertion", assertionType: "email", assertion }))
          const first = yield* ask(known)
          yield* post(complete, {
            claimToken: first.body.claimToken,
            otpCode: yield* awaitMailedCode(known),
            consentGiven: true
          })
          const shape = ({
            body,
            headers,
            status
          }: {
            readonly body: object
            readonly headers: globalThis.Headers
            readonly status: number
          }) => [status, Object.keys(body).sort(), [...headers.keys()].filter((name) => name !== "date").sort()]
          const again = yield* ask(known)
          const unknown = yield* ask(`${newHandle()}@example.org`)
          expect(shape(again)).toEqual(shape(unknown))
          expect(JSON.stringify(again.body)).not.toContain("@")
          yield* awaitMail((letters) => (letters.filter(({ to }) => to === known).length === 2 ? letters : undefined))
        })
      )

      it.effect("T6: reading a claim uses nothing up, and a code works once", () =>
        Effect.gen(function* () {
          const {
            body: { claimCode }
          } = yield* post(register, registration())
          for (let n = 0; n < 3; n++) expect((yield* call("GET", `/claim/${claimCode}`)).status).toBe(200)
          for (const method of ["GET", "HEAD"]) expect((yield* call(method, start)).status).toBe(405)
          const claim = { claimCode, ownerEmail: "owner@example.org", consentGiven: true }
          expect((yield* post(complete, claim)).status).toBe(200)
          expect((yield* post(complete, claim)).body.code).toBe("CLAIM_INVALID_OR_EXPIRED")
          expect((claimCode as string).length).toBeGreaterThanOrEqual("claim_".length + 43)
        })
      )
    })
  }
)
