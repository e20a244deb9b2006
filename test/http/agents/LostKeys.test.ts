import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { AgentHttp, arrive, awaitMailedCode, registration } from "../../support/http/AgentHttp.ts"
import { person } from "../../support/people/Humans.ts"
import { Post } from "../../support/people/MailDouble.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"

const press = (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  call("POST", path, {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
  })
const keyIn = ({ body }: Answer) => /svc_agent_[A-Za-z0-9]{12}_[\w-]{43}/.exec(body as string)?.[0]
const titleIn = ({ body }: Answer) => /<h1[^>]*>([^<]*)<\/h1>/.exec(body as string)?.[1]
const statusOf = (key: string) => Effect.map(call("GET", "/api/v1/agents/me", { key }), ({ status }) => status)

/** An agent whose owner's address was verified at the claim. */
const owned = Effect.fnUntraced(function* (assertion: string) {
  const { body } = yield* call("POST", "/api/v1/agents/register", {
    body: registration({ type: "identity_assertion", assertionType: "email", assertion })
  })
  const { agentId, claimToken, handle } = body as {
    readonly agentId: string
    readonly claimToken: string
    readonly handle: string
  }
  const claimed = yield* call("POST", "/api/v1/agents/claim/complete", {
    body: { claimToken, otpCode: yield* awaitMailedCode(assertion), consentGiven: true }
  })
  return { id: agentId, handle, key: claimed.body.apiKey as string }
})

const linksTo = Effect.fnUntraced(function* (to: string) {
  const { letters } = yield* Post
  return letters
    .filter((letter) => letter.to === to)
    .flatMap(({ text }) => /http\S+\/lost-key\/\S+/.exec(text) ?? [])
    .map((url) => new URL(url).pathname)
})
/** The nth link mailed to an address; the test's own time limit ends the wait. */
const link = Effect.fnUntraced(function* (to: string, nth: number) {
  while ((yield* linksTo(to)).length < nth) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  return (yield* linksTo(to))[nth - 1]!
})

layer(AgentHttp(), { excludeTestServices: true, timeout: 300_000 })("the owner of an agent with a lost key", (it) => {
  it.effect("replaces it at /account: the new key is shown once, the old one is revoked", () =>
    Effect.gen(function* () {
      const ada = yield* person({ email: "keeper@example.org" })
      const mine = yield* owned("keeper@example.org")
      const page = `/account/agents/${mine.id}/key`
      const here = { cookie: ada.cookie }
      // The agent was claimed after the account was made: until its owner agrees, the account can't replace its key.
      expect((yield* call("GET", page, { headers: here })).status).toBe(404)
      yield* call("POST", "/account", {
        body: new URLSearchParams({ act: "agree", agentId: mine.id }).toString(),
        headers: { ...ada.headers, "content-type": "application/x-www-form-urlencoded" }
      })
      expect((yield* call("GET", "/account", { headers: here })).body).toContain(`href="${page}"`)
      // A look changes nothing; other accounts, and pages of other agents, get nothing.
      expect(titleIn(yield* call("GET", page, { headers: here }))).toBe(`Replace the key of @${mine.handle}?`)
      const eve = yield* person()
      expect([
        (yield* call("GET", page, { headers: { cookie: eve.cookie } })).status,
        (yield* press(page, {}, eve.headers)).status
      ]).toEqual([404, 404])
      expect((yield* press(page, {}, { cookie: ada.cookie, origin: "https://evil.example" })).status).toBe(403)
      expect(titleIn(yield* press(page))).not.toContain("new key")
      const stranger = yield* arrive()
      expect((yield* press(`/account/agents/${stranger.id}/key`, {}, ada.headers)).status).toBe(404)
      expect([yield* statusOf(mine.key), yield* statusOf(stranger.key)]).toEqual([200, 200])

      const done = yield* press(page, {}, ada.headers)
      const key = keyIn(done)!
      expect([done.status, yield* statusOf(key), yield* statusOf(mine.key)]).toEqual([200, 200, 401])
      expect(done.headers.get("cache-control")).toMatch(/no-store/)
      expect((yield* call("GET", "/account", { headers: here })).body).not.toContain("svc_agent_")

      yield* call("POST", `/api/ops/agents/${mine.id}/suspend`, {
        key: yield* operator("admin"),
        body: { reason: "asked too often" }
      })
      const refused = yield* press(page, {}, ada.headers)
      expect([refused.status, keyIn(refused)]).toEqual([403, undefined])
      expect((yield* call("GET", "/account", { headers: here })).body).not.toContain(`href="${page}"`)
    })
  )

  it.effect("replaces it by a link to the verified address, once, within an hour", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const to = "lost@example.org"
      const mine = yield* owned(to)
      expect((yield* call("GET", "/lost-key")).body).toContain('name="ownerEmail"')
      yield* press("/lost-key", { handle: `@${mine.handle}`, ownerEmail: "Lost@Example.org " })
      const first = yield* link(to, 1)
      expect(JSON.stringify(yield* sql`SELECT * FROM key_links`)).not.toContain(first.split(".")[1])
      // Mail programs open links before people do.
      expect([titleIn(yield* call("GET", first)), yield* statusOf(mine.key)]).toEqual([
        "Replace the key of your agent?",
        200
      ])
      expect((yield* press(`${first.slice(0, -1)}${first.endsWith("A") ? "B" : "A"}`)).status).toBe(404)
      expect((yield* press("/lost-key/agt_1.x")).status).toBe(404)
      const [one, two] = yield* Effect.all([press(first), press(first)], { concurrency: 2 })
      expect([one.status, two.status].toSorted()).toEqual([200, 404])
      const key = (keyIn(one) ?? keyIn(two))!
      expect([yield* statusOf(key), yield* statusOf(mine.key)]).toEqual([200, 401])
      expect([titleIn(yield* press(first)), yield* statusOf(key)]).toEqual(["This link can't be used", 200])

      yield* press("/lost-key", { handle: mine.handle, ownerEmail: to })
      const second = yield* link(to, 2)
      yield* press("/lost-key", { handle: mine.handle, ownerEmail: to })
      const third = yield* link(to, 3)
      expect((yield* press(second)).status).toBe(404)
      yield* sql`UPDATE key_links SET expires_at = now() - interval '1 second'`
      expect([(yield* press(third)).status, yield* statusOf(key)]).toEqual([404, 200])
    })
  )

  it.effect("T6: waits for nothing that depends on the address: it answers while no agent can be looked up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const mine = yield* owned("waiting@example.org")
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`LOCK TABLE agents IN ACCESS EXCLUSIVE MODE`
          for (const ownerEmail of ["waiting@example.org", "guess@example.org"])
            expect((yield* press("/lost-key", { handle: mine.handle, ownerEmail })).status).toBe(200)
        })
      )
      yield* link("waiting@example.org", 1)
    })
  )

  it.effect("gets the same answer whether or not the address is the agent's, and no other address gets mail", () =>
    Effect.gen(function* () {
      const to = "known@example.org"
      const mine = yield* owned(to)
      // Claimed with a code: this address was never verified.
      const unverified = yield* arrive()
      const told = (answer: Answer) => [
        answer.status,
        (answer.body as string).replaceAll(/\S+@example\.org|@[\w-]+/g, "…")
      ]
      const known = yield* press("/lost-key", { handle: mine.handle, ownerEmail: to })
      for (const [handle, ownerEmail] of [
        [mine.handle, "guess@example.org"],
        ["nobody-at-all", to],
        [unverified.handle, `${unverified.handle}@example.org`]
      ] as const) {
        expect(told(yield* press("/lost-key", { handle, ownerEmail }))).toEqual(told(known))
      }
      expect((yield* press("/lost-key", { handle: "", ownerEmail: to })).status).toBe(400)
      expect((yield* press("/lost-key", { handle: "<b>", ownerEmail: "<script>" })).body).not.toMatch(/<script>|<b>/)
      yield* link(to, 1)
      // Three a day for an agent, for all callers together. By the time another agent's mail is sent, these were skipped.
      for (let more = 0; more < 4; more++) yield* press("/lost-key", { handle: mine.handle, ownerEmail: to })
      yield* link(to, 3)
      const other = yield* owned("after@example.org")
      yield* press("/lost-key", { handle: other.handle, ownerEmail: "after@example.org" })
      yield* link("after@example.org", 1)
      const { letters } = yield* Post
      const asked = letters.filter(({ text }) => text.includes("/lost-key/"))
      expect([
        asked.filter((letter) => letter.to === to).length,
        [...new Set(asked.map((letter) => letter.to))].filter((each) => /guess|stranger/.test(each))
      ]).toEqual([3, []])
    })
  )
})

layer(AgentHttp({ RATE_LIMIT_SCALE: "1" }), { excludeTestServices: true })("a request for a lost key", (it) => {
  it.effect("is limited for one address", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(Array.from({ length: 11 }), () =>
        press("/lost-key", { handle: "x", ownerEmail: "x@example.org" })
      )
      expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 200), 429])
    })
  )
})
