import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose"
import { generateKeyPairSync } from "node:crypto"
import { expect } from "vitest"
import { IdentityKeys } from "../../../actors/agents/IdentityKeys.ts"
import { listenerMintsPerHour } from "../../../engine/rules/listeners/limits.ts"
import { SigningKeys } from "../../../engine/store/agents/SigningKeys.ts"
import { Counted } from "../../../http/api/Counted.ts"
import { Flood } from "../../../http/envelope/Flood.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { from, listener, newAddress, signInListener } from "../../support/listeners/Listeners.ts"
import { type Answer, call } from "../../support/http/SegmentHttp.ts"

const path = "/api/listeners/session"
const open = (headers: Record<string, string> = {}, query = "") => call("POST", `${path}${query}`, { headers })
const refused = ({ body, status }: Answer) => [status, body.code]
const dayMs = 86_400_000

layer(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32" }), { excludeTestServices: true })("listeners' sessions", (it) => {
  it.effect("begin with a signed token, which keeps the listener's identity", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* open()
      expect([status, body.signedIn, body.displayName]).toEqual([200, false, null])
      expect(decodeProtectedHeader(body.listenerToken)).toMatchObject({ alg: "EdDSA", typ: "listener+jwt" })
      const claims = decodeJwt(body.listenerToken)
      expect(claims).toMatchObject({ iss: "http://radio.test", aud: "listener", sub: body.listenerId, gen: 0 })
      expect(claims.exp! - claims.iat!).toBe(180 * 86_400)
      expect(Date.parse(body.expiresAt)).toBe(claims.exp! * 1_000)
      expect(headers.get("set-cookie")).toMatch(new RegExp(`^listener=${body.listenerToken}; .*HttpOnly.*SameSite=Lax`))
      expect(headers.get("cache-control")).toContain("no-store")
      for (const shown of [
        { authorization: `Bearer ${body.listenerToken}` },
        { "x-listener-token": body.listenerToken },
        { cookie: `listener=${body.listenerToken}`, "sec-fetch-site": "same-origin" }
      ] as ReadonlyArray<Record<string, string>>) {
        expect((yield* open(shown)).body).toEqual(body)
      }
    })
  )

  it.effect("begin anew for an invalid token, and are refused to agents", () =>
    Effect.gen(function* () {
      const one = yield* listener()
      const { privateKey } = generateKeyPairSync("ed25519")
      const forged = (kid: string) =>
        Effect.promise(() =>
          new SignJWT({ gen: 0 })
            .setProtectedHeader({ alg: "EdDSA", typ: "listener+jwt", kid })
            .setIssuer("http://radio.test")
            .setAudience("listener")
            .setSubject(one.id)
            .setIssuedAt()
            .setExpirationTime("1h")
            .sign(privateKey)
        )
      const [{ kid }] = yield* Effect.flatMap(SigningKeys, ({ all }) => all) as unknown as Effect.Effect<
        [{ readonly kid: string }]
      >
      const unsigned = `${Buffer.from(JSON.stringify({ alg: "none", typ: "listener+jwt" })).toString("base64url")}.${one.token.split(".")[1]}.`
      for (const text of [
        "nonsense",
        `${one.token.slice(0, -8)}AAAAAAAA`,
        yield* forged(kid!),
        yield* forged("another"),
        unsigned,
        "a.b.c",
        "x".repeat(9_000)
      ]) {
        const { body, status } = yield* open({ "x-listener-token": text })
        expect([status, body.listenerId !== one.id]).toEqual([200, true])
      }
      // The first credential counts, valid or not.
      expect(
        (yield* open({ authorization: "Bearer nonsense", "x-listener-token": one.token })).body.listenerId
      ).not.toBe(one.id)
      const { key } = yield* arrive()
      expect(refused(yield* open({ authorization: `Bearer ${key}` }))).toEqual([403, "FORBIDDEN"])
    })
  )

  it.effect("renew a token that is a month old, and end with its expiry, its voiding and its key", () =>
    Effect.gen(function* () {
      const one = yield* listener()
      const sql = yield* SqlClient.SqlClient
      const { kid, privateKey } = yield* Effect.flatMap(IdentityKeys, (keys) => keys.findSigning(Date.now()))
      const aged = (days: number, over: object = {}) => {
        const iat = Math.floor((Date.now() - days * dayMs) / 1_000)
        return Effect.promise(() =>
          new SignJWT({ gen: 0, ...over })
            .setProtectedHeader({ alg: "EdDSA", typ: "listener+jwt", kid })
            .setIssuer("http://radio.test")
            .setAudience("listener")
            .setSubject(one.id)
            .setIssuedAt(iat)
            .setExpirationTime(iat + 180 * 86_400)
            .sign(privateKey)
        )
      }
      const whose = (token: string) =>
        Effect.map(open({ "x-listener-token": token }), ({ body }) => [
          body.listenerId === one.id,
          body.listenerToken === token
        ])
      expect(yield* whose(yield* aged(29))).toEqual([true, true])
      expect(yield* whose(yield* aged(31))).toEqual([true, false])
      expect(yield* whose(yield* aged(181))).toEqual([false, false])
      expect(yield* whose(yield* aged(1, { gen: 1 }))).toEqual([false, false])
      yield* sql`UPDATE listeners SET gen = 1 WHERE id = ${one.id}`
      expect(yield* whose(one.token)).toEqual([false, false])
      expect(yield* whose(yield* aged(1, { gen: 1 }))).toEqual([true, true])
      // An identity token identifies an agent, and no listener.
      const agent = yield* arrive()
      const { body } = yield* call("POST", "/api/v1/agents/me/identity-token", {
        key: agent.key,
        body: { audience: "https://tides.example" }
      })
      expect((yield* open({ "x-listener-token": body.identityToken })).body.listenerId).not.toBe(one.id)
    }).pipe(Effect.provide(IdentityKeys.layer))
  )

  it.effect("survive a rotation of the signing key", () =>
    Effect.gen(function* () {
      const store = yield* SigningKeys
      const one = yield* listener()
      const before = (yield* store.all)[0]!
      const sql = yield* SqlClient.SqlClient
      for (let turn = 0; turn < 2; turn++) {
        yield* sql`UPDATE signing_keys SET created_at = now() - interval '91 days' WHERE kid = ${(yield* store.all)[0]!.kid}`
        const other = yield* listener()
        expect(decodeProtectedHeader(other.token).kid).not.toBe(before.kid)
        // The new key is valid at once, and the old one stays valid.
        expect((yield* open({ "x-listener-token": other.token })).body.listenerId).toBe(other.id)
        expect((yield* open({ "x-listener-token": one.token })).body.listenerId).toBe(one.id)
      }
      yield* sql`UPDATE signing_keys SET created_at = now() - interval '91 days' WHERE kid = ${(yield* store.all)[0]!.kid}`
      const last = yield* listener()
      expect((yield* open({ "x-listener-token": last.token })).body.listenerId).toBe(last.id)
      expect((yield* open({ "x-listener-token": one.token })).body.listenerId).not.toBe(one.id)
    })
  )

  it.effect("name the signed-in account, and are refused to blocked ones", () =>
    Effect.gen(function* () {
      const one = yield* signInListener({ displayName: "Mara" })
      const shown = { "x-listener-token": one.token }
      expect((yield* open(shown)).body).toMatchObject({ listenerId: one.id, signedIn: true, displayName: "Mara" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE humans SET blocked_reason = 'Sells places in the queue.' WHERE id = ${one.human.id}`
      const answer = yield* open(shown)
      expect([...refused(answer), answer.body.detail.includes("Sells places")]).toEqual([403, "FORBIDDEN", true])
    })
  )

  it.effect("can't be used by pages of other origins", () =>
    Effect.gen(function* () {
      const one = yield* listener()
      const elsewhere = yield* open({ origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" })
      expect([elsewhere.status, elsewhere.headers.get("set-cookie")]).toEqual([200, null])
      expect(refused(yield* open({ origin: "https://elsewhere.example", cookie: `listener=${one.token}` }))).toEqual([
        403,
        "FORBIDDEN"
      ])
      const own = yield* open({ origin: "http://radio.test", cookie: `listener=${one.token}` })
      expect([own.body.listenerId, own.headers.get("set-cookie") !== null]).toEqual([one.id, true])
    })
  )

  it.effect("are readable by a program with the cookie alone, while nothing is changed", () =>
    Effect.gen(function* () {
      const one = yield* listener()
      const cookie = { cookie: `listener=${one.token}` }
      const shown = yield* open(cookie)
      expect([shown.status, shown.body.listenerId, shown.body.listenerToken]).toEqual([200, one.id, one.token])
      expect(refused(yield* open({ ...cookie, origin: "null" }))).toEqual([403, "FORBIDDEN"])
      expect(refused(yield* open({ ...cookie, "sec-fetch-site": "cross-site" }))).toEqual([403, "FORBIDDEN"])
      // Writes must still come from the station's own pages.
      const vote = yield* call("POST", "/api/station/engage", { body: { kind: "listening" }, headers: cookie })
      expect(refused(vote)).toEqual([403, "FORBIDDEN"])
    })
  )

  it.effect("in a dry run leave nothing, and no key returns another's token", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const counted = Effect.map(sql<{ n: number }>`SELECT count(*)::int AS n FROM listeners`, ([row]) => row!.n)
      const before = yield* counted
      const dry = yield* open({}, "?dryRun=true")
      expect([dry.body.dryRun, dry.body.wouldBe.listenerToken, dry.headers.get("set-cookie"), yield* counted]).toEqual([
        true,
        undefined,
        null,
        before
      ])
      const [first, second] = [yield* open({ "idempotency-key": "1" }), yield* open({ "idempotency-key": "1" })]
      expect(first.body.listenerId).not.toBe(second.body.listenerId)
    })
  )
})

layer(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32", RATE_LIMIT_SCALE: "1", PUBLIC_URL: "https://radio.test" }), {
  excludeTestServices: true
})("an address", (it) => {
  it.effect("gets sixty new listeners an hour, and keeps its present ones", () =>
    Effect.gen(function* () {
      const [address, flood] = [newAddress(), yield* Flood]
      const here = from(address)
      const { body, headers } = yield* open(here)
      const one = { id: body.listenerId, token: body.listenerToken }
      // Over TLS the cookie is limited to this host.
      expect(headers.get("set-cookie")).toMatch(/^__Host-listener=.*; Path=\/.*; Secure/)
      // Most of the hour's allowance is already used: an address may not request it faster in a test.
      for (let i = 0; i < 58; i++)
        yield* flood.take({ name: "listeners", limit: listenerMintsPerHour, windowSec: 3_600 }, address)
      expect((yield* open(here)).status).toBe(200)
      const refusal = yield* open(here)
      expect([...refused(refusal), Number(refusal.headers.get("retry-after")) > 0]).toEqual([429, "RATE_LIMITED", true])
      expect((yield* open({ ...here, "x-listener-token": one.token })).body.listenerId).toBe(one.id)
      expect((yield* open(from(newAddress()))).status).toBe(200)
    }).pipe(Effect.provideService(Counted, []))
  )
})
