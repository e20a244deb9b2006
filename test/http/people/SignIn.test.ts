import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Secret, TOTP } from "otpauth"
import { expect } from "vitest"
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { makeTotpSecret } from "../../../engine/runtime/Totp.ts"
import { Operators } from "../../../engine/store/operations/Operators.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"
import { awaitMail } from "../../support/people/MailDouble.ts"
import { makeBrowser, Providers, SignInHttp } from "../../support/people/SignIn.ts"

const callbackOf = (url: string) => url.startsWith("http://radio.test/login/") && url.includes("/callback")
const title = (body: string) => /<h1[^>]*>([^<]*)</.exec(body)?.[1]
const said = (body: string) => /role="alert">([^<]*)</.exec(body)?.[1]
const me = (browser: { readonly jar: ReadonlyMap<string, string> }) =>
  call("GET", "/api/account/me", { headers: { cookie: `session=${browser.jar.get("session") ?? ""}` } })

layer(SignInHttp(), { excludeTestServices: true, timeout: 300_000 })("sign-in", (it) => {
  it.effect("works by a link in a mail, once, to the same account as a provider with that address", () =>
    Effect.gen(function* () {
      const browser = yield* makeBrowser
      const page = yield* browser.go("/login?to=/chat")
      expect(page.last.body).toContain('action="/login/link"')
      const wrong = yield* browser.press("/login/link", { email: "nobody", to: "/chat" })
      expect([wrong.status, said(wrong.body)]).toEqual([400, "Enter your e-mail address."])
      const asked = yield* browser.press("/login/link", { email: "Mary@Example.org ", to: "/chat" })
      expect([asked.status, title(asked.body)]).toEqual([200, "Check your mail"])
      const letter = yield* awaitMail((letters) => letters.find(({ to }) => to === "mary@example.org"))
      const link = new URL(/http:\S+/.exec(letter.text)![0]).pathname
      // A mail program that opens the link changes nothing.
      const looked = yield* browser.go(link)
      expect([title(looked.last.body), browser.jar.has("session")]).toEqual(["Sign in to Longwave?", false])
      const entered = yield* browser.press(link, {})
      expect([entered.status, entered.headers.get("location")]).toEqual([303, "/chat"])
      expect((yield* me(browser)).body.account).toMatchObject({
        email: "m***@example.org",
        signsInWith: [{ issuer: "mail" }]
      })
      for (const used of [link, `${link}x`, "/login/mail/none"])
        expect([used, (yield* (yield* makeBrowser).press(used, {})).status]).toEqual([used, 400])
    })
  )

  it.effect("leads through a real provider to an account, in both ways", () =>
    Effect.gen(function* () {
      const { a, b } = yield* Providers
      const browser = yield* makeBrowser
      const page = yield* browser.go("/account")
      expect([page.url, title(page.last.body), page.last.status]).toEqual([
        "http://radio.test/login?to=%2Faccount",
        "Sign in",
        200
      ])
      expect(page.last.body).toContain("Continue with Beta &amp; &lt;Sons&gt;")
      expect(page.last.headers.get("content-security-policy")).not.toContain("script-src 'unsafe")
      a.who = { sub: "1", email: "Ada@Example.org" }
      const { last, seen, url } = yield* browser.go("/login/a?to=/account")
      const asked = new URL(seen[0]!.headers.get("location")!)
      expect([
        asked.origin,
        asked.searchParams.get("code_challenge_method"),
        asked.searchParams.get("scope"),
        asked.searchParams.get("nonce")!.length > 20,
        asked.searchParams.get("response_type")
      ]).toEqual([a.issuer, "S256", "openid email", true, "code"])
      expect([url, last.status, title(last.body)]).toEqual(["http://radio.test/account", 200, "Your account"])
      expect(last.body).toContain("a***@example.org")
      const cookie = seen.flatMap(({ headers }) => headers.getSetCookie()).find((line) => line.startsWith("session="))!
      expect(cookie).toMatch(
        /^session=human_session_[a-z0-9]{12}_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/
      )
      expect([...browser.jar.keys()]).toEqual(["session"])
      const { account } = (yield* me(browser)).body
      expect(account).toMatchObject({
        displayName: "A listener",
        published: false,
        email: "a***@example.org",
        signsInWith: [{ issuer: a.issuer }]
      })

      b.who = { sub: "other", email: "ada@example.org" }
      const other = yield* makeBrowser
      expect((yield* other.go("/login/b")).url).toBe("http://radio.test/account")
      expect(b.asked).toContain("GET /me")
      expect((yield* me(other)).body.account).toMatchObject({
        id: account.id,
        signsInWith: [{ issuer: a.issuer }, { issuer: b.issuer }]
      })
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT user_agent FROM human_sessions WHERE human_id = ${account.id}`).toEqual([
        { userAgent: "Firefox 130 on Linux" },
        { userAgent: "Firefox 130 on Linux" }
      ])
      const rows = JSON.stringify([
        yield* sql`SELECT * FROM humans`,
        yield* sql`SELECT * FROM human_sessions`,
        yield* sql`SELECT * FROM human_identities`
      ])
      expect(rows).not.toMatch(/ada@|127\.0\.0\.1"|human_session_/i)
      expect(yield* (yield* makeBrowser).go("/login/a", callbackOf)).toBeDefined()
      expect((yield* browser.go("/login?to=/account")).url).toBe("http://radio.test/account")
    })
  )

  it.effect("opens a new session each time, and ends the browser's former one", () =>
    Effect.gen(function* () {
      const { a } = yield* Providers
      a.who = { sub: "2", email: "eve@example.org" }
      const browser = yield* makeBrowser
      // A value planted there earlier doesn't validate a sign-in.
      const planted = `human_session_${"a".repeat(12)}_${"b".repeat(43)}`
      browser.jar.set("session", planted)
      yield* browser.go("/login/a")
      const first = browser.jar.get("session")!
      expect(first).not.toBe(planted)
      expect((yield* call("GET", "/api/account/me", { headers: { cookie: `session=${planted}` } })).body.code).toBe(
        "SIGN_IN_REQUIRED"
      )
      yield* browser.go("/login/a")
      const second = browser.jar.get("session")!
      expect(second).not.toBe(first)
      expect((yield* call("GET", "/api/account/me", { headers: { cookie: `session=${first}` } })).status).toBe(401)
      expect((yield* me(browser)).status).toBe(200)
    })
  )

  it.effect("accepts a callback once, only in the browser that began, and only with its own state", () =>
    Effect.gen(function* () {
      const { a } = yield* Providers
      a.who = { sub: "3", email: "mallory@example.org" }
      const browser = yield* makeBrowser
      const { url } = yield* browser.go("/login/a", callbackOf)
      const attempt = browser.jar.get("sign-in")!
      const stranger = yield* makeBrowser
      expect([(yield* stranger.hop(url)).status, stranger.jar.has("session")]).toEqual([400, false])
      const forged = new URL(url)
      forged.searchParams.set("state", "x".repeat(43))
      expect(said((yield* browser.hop(forged.href)).body)).toContain("Start again")
      browser.jar.set("sign-in", attempt)
      expect((yield* browser.hop(url.replace("/login/a/", "/login/b/"))).status).toBe(400)
      browser.jar.set("sign-in", attempt)
      expect((yield* browser.hop(url)).status).toBe(303)
      const session = browser.jar.get("session")
      expect([browser.jar.has("sign-in"), session === undefined]).toEqual([false, false])
      browser.jar.set("sign-in", attempt)
      const again = yield* browser.hop(url)
      expect([
        again.status,
        said(again.body),
        again.headers.getSetCookie().some((line) => line.startsWith("session="))
      ]).toEqual([400, "This sign-in link was already used or has expired. Start again.", false])
      // A token made for another sign-in has another nonce.
      const keys = yield* Keys
      const other = yield* makeBrowser
      const made = yield* other.go("/login/a", callbackOf)
      other.jar.set(
        "sign-in",
        keys.seal(
          JSON.stringify({ ...JSON.parse(keys.open(other.jar.get("sign-in")!, "sign-in")), nonce: "another" }),
          "sign-in"
        )
      )
      expect([(yield* other.hop(made.url)).status, other.jar.has("session")]).toEqual([400, false])
      // The code of one attempt with the state of another has another proof key.
      const [one, two] = [yield* makeBrowser, yield* makeBrowser]
      const [first, second] = [yield* one.go("/login/a", callbackOf), yield* two.go("/login/a", callbackOf)]
      const mixed = new URL(second.url)
      mixed.searchParams.set("code", new URL(first.url).searchParams.get("code")!)
      expect([(yield* two.hop(mixed.href)).status, two.jar.has("session")]).toEqual([400, false])
    })
  )

  it.effect("explains a cancellation, an unverified address and a block, and redirects nowhere else", () =>
    Effect.gen(function* () {
      const { a, b } = yield* Providers
      a.who = null
      const browser = yield* makeBrowser
      const cancelled = yield* browser.go("/login/a")
      expect([cancelled.last.status, said(cancelled.last.body), browser.jar.size]).toEqual([
        200,
        "Sign-in was cancelled. Nothing has changed.",
        0
      ])
      for (const who of [{ sub: "4", email: "p@example.org", verified: false }, { sub: "5" }]) {
        for (const [slot, provider] of [
          ["a", a],
          ["b", b]
        ] as const) {
          provider.who = who
          const { last } = yield* browser.go(`/login/${slot}`)
          expect([last.status, said(last.body)?.slice(0, 40), browser.jar.has("session")]).toEqual([
            403,
            "Your provider hasn't verified your e-mai",
            false
          ])
        }
      }
      a.who = { sub: "6", email: "loud@example.org" }
      yield* browser.go("/login/a")
      const { account } = (yield* me(browser)).body
      yield* call("PATCH", `/api/ops/users/${account.id}`, {
        key: yield* operator("admin"),
        body: { blocked: true, reason: "Too loud." }
      })
      expect((yield* me(browser)).body).toMatchObject({
        code: "FORBIDDEN",
        detail: expect.stringContaining("Too loud.")
      })
      const shut = yield* browser.go("/login/a")
      expect([shut.last.status, said(shut.last.body)]).toEqual([
        403,
        "The station's operators blocked this account: Too loud."
      ])
      for (const to of [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "/login/a/callback?x=1"
      ]) {
        a.who = { sub: "7", email: "seven@example.org" }
        expect((yield* (yield* makeBrowser).go(`/login/a?to=${encodeURIComponent(to)}`)).url).toBe(
          "http://radio.test/account"
        )
      }
    })
  )

  it.effect("refuses an address that the same provider has reassigned", () =>
    Effect.gen(function* () {
      const { a } = yield* Providers
      const first = yield* makeBrowser
      a.who = { sub: "old", email: "recycled@example.org" }
      yield* first.go("/login/a")
      a.who = { sub: "new", email: "recycled@example.org" }
      const second = yield* makeBrowser
      const { last } = yield* second.go("/login/a")
      expect([last.status, said(last.body)?.includes("Another account"), second.jar.has("session")]).toEqual([
        403,
        true,
        false
      ])
      a.who = { sub: "old", email: "moved@example.org" }
      yield* first.go("/login/a")
      expect((yield* me(first)).body.account.email).toBe("m***@example.org")
      a.who = { sub: "new", email: "recycled@example.org" }
      expect((yield* second.go("/login/a")).url).toBe("http://radio.test/account")
      expect((yield* me(second)).body.account.id).not.toBe((yield* me(first)).body.account.id)
    })
  )

  it.effect("makes one account for two simultaneous sign-ins", () =>
    Effect.gen(function* () {
      const { a, b } = yield* Providers
      a.who = b.who = { sub: "twice", email: "twice@example.org" }
      const browsers = yield* Effect.all([makeBrowser, makeBrowser, makeBrowser, makeBrowser])
      yield* Effect.forEach(browsers, (browser, at) => browser.go(at % 2 === 0 ? "/login/a" : "/login/b"), {
        concurrency: 4
      })
      const accounts = yield* Effect.forEach(browsers, (browser) =>
        Effect.map(me(browser), ({ body }) => body.account.id as string)
      )
      expect(new Set(accounts).size).toBe(1)
    })
  )

  it.effect("admits operators whose address an admin added, and nobody else as one", () =>
    Effect.gen(function* () {
      const { a } = yield* Providers
      const browser = yield* makeBrowser
      a.who = { sub: "op", email: "Op@example.org" }
      const refused = yield* browser.go("/login/a?as=operator")
      expect([refused.last.status, browser.jar.size, title(refused.last.body)]).toEqual([
        403,
        0,
        "Sign in as an operator"
      ])
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT 1 FROM human_identities WHERE subject = 'op'`).toEqual([])
      const desk = (yield* OperatorDesk.client)("longwave")
      const act = { actor: "test", reason: null }
      yield* desk.AddOperator({ name: "Op", role: "producer", email: "OP@example.org ", ...act })
      expect(
        yield* Effect.flip(desk.AddOperator({ name: "Another", role: "viewer", email: "op@example.org", ...act }))
      ).toMatchObject({ code: "OPERATOR_CONFLICT" })
      const { seen } = yield* browser.go("/login/a?as=operator", (url) => url === "http://radio.test/")
      expect(
        seen.flatMap(({ headers }) => headers.getSetCookie()).find((line) => line.startsWith("__Host-ops="))
      ).toMatch(/Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
      expect([browser.jar.has("__Host-ops"), browser.jar.has("session")]).toEqual([true, false])
      expect(
        (yield* call("GET", "/api/ops/users", { headers: { cookie: `__Host-ops=${browser.jar.get("__Host-ops")}` } }))
          .body.code
      ).toBe("FORBIDDEN")
      expect(
        JSON.stringify([
          yield* sql`SELECT a::text AS row FROM audit a`,
          yield* sql`SELECT o::text AS row FROM operators o`
        ])
      ).not.toMatch(/op@example/i)
      // With a second factor, the provider's answer is only the first factor.
      const factor = makeTotpSecret()
      const one = (yield* (yield* Operators).list(10)).find(({ name }) => name === "Op")!
      yield* sql`UPDATE operators SET totp_secret = ${(yield* Keys).seal(factor, `operator-totp:${one.id}`)} WHERE id = ${one.id}`
      const asked = yield* makeBrowser
      const page = (yield* asked.go("/login/a?as=operator", (url) => url === "http://radio.test/")).last
      expect([page.status, title(page.body), asked.jar.has("__Host-ops")]).toEqual([200, "Enter your code", false])
      const token = /name="token" value="([^"]+)"/.exec(page.body)![1]!
      const enterCode = (code: string) => asked.press("/login/code", { token, to: "/", code })
      const right = TOTP.generate({ secret: Secret.fromBase32(factor) })
      for (const [code, status] of [
        ["12", 400],
        [right === "000000" ? "000001" : "000000", 403]
      ] as const) {
        const answer = yield* enterCode(code)
        expect([code, answer.status, title(answer.body)]).toEqual([code, status, "Enter your code"])
        expect(answer.headers.get("set-cookie")).toBe(null)
      }
      const entered = yield* enterCode(`${right.slice(0, 3)} ${right.slice(3)}`)
      expect([entered.status, entered.headers.get("location"), entered.headers.get("set-cookie")]).toEqual([
        303,
        "/",
        expect.stringMatching(/^__Host-ops=ops_session_/)
      ])
      expect((yield* enterCode(right)).status).toBe(403)
      yield* sql`UPDATE operators SET totp_secret = NULL WHERE id = ${one.id}`
      // The address alone, from the same or the other provider, doesn't identify the operator.
      const { b } = yield* Providers
      a.who = { sub: "heir", email: "op@example.org" }
      b.who = { sub: "op", email: "op@example.org" }
      const enter = Effect.fnUntraced(function* (slot: "a" | "b") {
        const other = yield* makeBrowser
        const { last } = yield* other.go(`/login/${slot}?as=operator`, (url) => url === "http://radio.test/")
        return other.jar.has("__Host-ops") ? "in" : `${last.status} ${said(last.body)}`
      })
      for (const slot of ["a", "b"] as const) expect(yield* enter(slot)).toMatch(/^403 .*another account/)
      a.who = { sub: "op", email: "op@example.org" }
      expect(yield* enter("a")).toBe("in")
      const { id } = (yield* (yield* Operators).list(10)).find(({ name }) => name === "Op")!
      // After an admin sets the address again, the next first sign-in decides.
      yield* desk.ChangeOperator({ id, role: null, email: "op@example.org", newLink: false, ...act })
      expect(yield* enter("b")).toBe("in")
      expect(yield* enter("a")).toMatch(/^403 /)
      yield* desk.ChangeOperator({ id, role: null, email: null, newLink: false, ...act })
      expect((yield* browser.go("/login/a?as=operator")).last.status).toBe(403)
    })
  )
})

layer(
  SignInHttp("http://radio.test", {
    OIDC_B_ISSUER: "http://127.0.0.1:9",
    OIDC_A_CLIENT_SECRET: "not the one that it knows, but as long"
  }),
  { excludeTestServices: true, timeout: 300_000 }
)("signing in where providers are away or set up wrongly", (it) => {
  it.effect("reports an unreachable provider, and the station continues", () =>
    Effect.gen(function* () {
      const { a } = yield* Providers
      a.who = { sub: "1", email: "ada@example.org" }
      const browser = yield* makeBrowser
      for (const slot of ["a", "b"]) {
        const { last } = yield* browser.go(`/login/${slot}`)
        expect([slot, last.status, said(last.body)?.slice(0, 39), browser.jar.size]).toEqual([
          slot,
          503,
          "Your provider can't be reached at the m",
          0
        ])
        expect(last.body).toContain("Continue with Alpha")
      }
      expect((yield* call("GET", "/api/v1/capabilities")).status).toBe(200)
    })
  )
})
