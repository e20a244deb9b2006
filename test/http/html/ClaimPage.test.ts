import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Sharding } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { expect, it as plain } from "vitest"
import { ClaimTemplate, form } from "../../../http/html/ClaimViews.ts"
import { mailboxOf } from "../../../http/Send.ts"
import { Persona } from "../../../schema/agents/Agent.ts"
import { ClaimView } from "../../../schema/agents/Claim.ts"
import { AgentHttp, awaitMailedCode, newHandle, registration } from "../../support/http/AgentHttp.ts"
import { call } from "../../support/http/SegmentHttp.ts"

const send = (path: string, fields: Record<string, string>) =>
  call("POST", path, {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" }
  })
const pathOf = (url: string) => new URL(url).pathname
const keyIn = (page: string) => /svc_agent_[A-Za-z0-9]{12}_[\w-]{43}/.exec(page)?.[0]
const titleIn = (page: string) => /<h1[^>]*>([^<]*)<\/h1>/.exec(page)?.[1]
const registered = (agent: object = {}, over: object = {}) =>
  Effect.map(call("POST", "/api/v1/agents/register", { body: registration(over, agent) }), ({ body }) => ({
    ...body,
    path: pathOf(body.claimUrl)
  }))
const byMail = Effect.fnUntraced(function* () {
  const handle = newHandle()
  const assertion = `${handle}@example.org`
  return {
    assertion,
    ...(yield* registered({ handle }, { type: "identity_assertion", assertionType: "email", assertion }))
  }
})

const template =
  '<!doctype html><title>Claim</title><body><div id="claim"></div><script type="module" src="/assets/claim.js"></script></body>'

layer(AgentHttp().pipe(Layer.provide(Layer.succeed(ClaimTemplate, template))), { excludeTestServices: true })(
  "the owner's page",
  (it) => {
    it.effect("keeps no actor in memory for an invented link", () =>
      Effect.gen(function* () {
        const { activeEntityCount } = yield* Sharding.Sharding
        const before = yield* activeEntityCount
        const links = Array.from({ length: 100 }, (_, i) => `/claim/claim_${String(i).padStart(32, "x")}`)
        const answers = yield* Effect.forEach(links, (link) => call("GET", link), { concurrency: 4 })
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
        // The station's own actors may start meanwhile.
        expect((yield* activeEntityCount) - before).toBeLessThan(links.length / 10)
      })
    )

    it.effect("claims with a code, an address and consent, and shows the key once", () =>
      Effect.gen(function* () {
        const { path } = yield* registered({
          displayName: "Wren <b>",
          tagline: "Notes from the marsh",
          bio: "First.\nSecond.",
          syntheticDisclosure: "I am a program."
        })
        const page = yield* call("GET", path)
        expect([
          page.status,
          page.headers.get("content-type"),
          page.headers.get("cache-control"),
          page.headers.get("referrer-policy")
        ]).toEqual([200, "text/html; charset=utf-8", "no-store", "no-referrer"])
        expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*form-action 'self'/)
        expect(page.headers.get("content-security-policy")).not.toMatch(/unsafe|\*|https?:/)
        expect(page.body).toMatch(
          /Wren &lt;b&gt;[\s\S]*Host and artist[\s\S]*Notes from the marsh[\s\S]*<p>First\.<\/p><p>Second\.<\/p>[\s\S]*I am a program\.[\s\S]*name="ownerEmail"[\s\S]*name="consentGiven"/
        )
        expect(page.body).toContain("/assets/claim.js")
        const shy = yield* send(path, { ownerEmail: "owner@example.org" })
        expect([
          shy.status,
          shy.body.includes("Without your consent"),
          shy.body.includes('value="owner@example.org"')
        ]).toEqual([400, true, true])
        expect((yield* send(path, { ownerEmail: "<script>", consentGiven: "yes" })).body).not.toMatch(/<script>/)
        const done = yield* send(path, { ownerEmail: "owner@example.org", consentGiven: "yes" })
        const key = keyIn(done.body)!
        expect([done.status, (yield* call("GET", "/api/v1/agents/me", { key })).status]).toEqual([200, 200])
        for (const again of [
          yield* call("GET", path),
          yield* send(path, { ownerEmail: "owner@example.org", consentGiven: "yes" })
        ]) {
          expect([again.status, keyIn(again.body), titleIn(again.body)]).toEqual([
            410,
            undefined,
            "This link has been used"
          ])
        }
      })
    )

    it.effect("asks for the mailed code to prove the address, and mails another on request", () =>
      Effect.gen(function* () {
        const { assertion, path } = yield* byMail()
        expect((yield* call("GET", path)).body).toMatch(/mailed to <strong>s\*\*\*@example\.org[\s\S]*name="otpCode"/)
        const code = yield* awaitMailedCode(assertion)
        const wrong = yield* send(path, { otpCode: code === "000000" ? "000001" : "000000", consentGiven: "yes" })
        expect([
          wrong.status,
          wrong.body.includes("newest mail"),
          wrong.body.includes("aria-invalid"),
          keyIn(wrong.body)
        ]).toEqual([400, true, true, undefined])
        expect((yield* send(path, { consentGiven: "yes" })).status).toBe(400)
        expect((yield* send(path, { otpCode: "resend" })).body).toContain("every 60 s")
        const proved = yield* send(path, { otpCode: code })
        expect([
          proved.status,
          proved.body.includes('name="otpCode"'),
          proved.body.includes('name="consentGiven"'),
          proved.body.includes('name="ownerEmail"')
        ]).toEqual([200, false, true, false])
        // The proof is stored: a later visit continues from there.
        expect((yield* call("GET", path)).body).toContain('name="consentGiven"')
        const done = yield* send(path, { consentGiven: "yes" })
        expect([done.status, keyIn(done.body)?.slice(0, 10)]).toEqual([200, "svc_agent_"])
      })
    )

    it.effect("accepts digits and consent in one request, for browsers without scripts", () =>
      Effect.gen(function* () {
        const { assertion, path } = yield* byMail()
        const done = yield* send(path, { otpCode: yield* awaitMailedCode(assertion), consentGiven: "yes" })
        expect([done.status, keyIn(done.body)?.slice(0, 10)]).toEqual([200, "svc_agent_"])
      })
    )

    it.effect("names each outcome: expired, replaced, by mail, gone, unknown", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ends = (path: string) =>
          Effect.map(
            Effect.all([
              call("GET", path),
              send(path, { ownerEmail: "a@b.cd", consentGiven: "yes", otpCode: "123456" })
            ]),
            (both) => both.map(({ body, status }) => [status, titleIn(body), keyIn(body)])
          )
        const both = (status: number, title: string) => [
          [status, title, undefined],
          [status, title, undefined]
        ]
        const late = yield* registered()
        yield* sql`UPDATE claims SET expires_at = now() - interval '1 minute' WHERE agent_id = ${late.agentId}`
        expect(yield* ends(late.path)).toEqual(both(410, "This link has expired"))
        const mailed = yield* byMail()
        yield* sql`UPDATE claims SET expires_at = now() - interval '1 minute' WHERE agent_id = ${mailed.agentId}`
        expect(yield* ends(mailed.path)).toEqual(both(410, "This link has expired"))
        const old = yield* registered()
        const newer = yield* call("POST", "/api/v1/agents/claim/start", { body: { agentId: old.agentId } })
        expect(yield* ends(old.path)).toEqual(both(410, "There is a newer link"))
        expect((yield* call("GET", newer.body.verificationUrl)).status).toBe(200)
        const other = yield* byMail()
        const device = yield* call("POST", "/api/v1/agents/claim/start", { body: { agentId: other.agentId } })
        expect(yield* ends(device.body.verificationUrl)).toEqual(both(403, "Use the link in your mail"))
        for (const path of ["/claim/claim_unknown", "/claim/a.b.c", "/claim/device_x"])
          expect(yield* ends(path)).toEqual(both(404, "Unknown link"))
      })
    )

    it.effect("accepts a pasted link, or one in a query, and reading uses nothing up", () =>
      Effect.gen(function* () {
        const { body, status } = yield* call("GET", "/claim")
        expect([status, titleIn(body)]).toEqual([200, "Claim your agent"])
        const { claimCode, claimUrl, path } = yield* registered()
        const token = (yield* byMail()).path
        for (const [query, to] of [
          [`code=${claimCode}`, path],
          [`claimCode=${claimCode}`, path],
          [`code=${encodeURIComponent(claimUrl)}`, path],
          [`code=${encodeURIComponent(`Here: ${claimUrl}?x=1 , thanks`)}`, path],
          [`code=${encodeURIComponent(`http://radio.test${token}`)}`, token]
        ]) {
          const page = yield* call("GET", `/claim?${query}`)
          expect([query, page.status, /name="(ownerEmail|otpCode)"/.exec(page.body)?.[1]]).toEqual([
            query,
            200,
            to === path ? "ownerEmail" : "otpCode"
          ])
        }
        const nonsense = yield* call("GET", "/claim?code=https%3A%2F%2Fevil.example%2F%3Cscript%3E")
        expect([
          nonsense.status,
          nonsense.body.includes("This text contains no claim link"),
          nonsense.body.includes("evil")
        ]).toEqual([400, true, false])
        expect(keyIn((yield* send(path, { ownerEmail: "owner@example.org", consentGiven: "yes" })).body)).toBeDefined()
      })
    )

    it.effect("gives one key to many simultaneous requests, and accepts nothing but its form", () =>
      Effect.gen(function* () {
        const { path } = yield* registered()
        const answers = yield* Effect.forEach(
          Array.from({ length: 12 }),
          () => send(path, { ownerEmail: "owner@example.org", consentGiven: "yes" }),
          { concurrency: "unbounded" }
        )
        expect(
          answers.map(({ body, status }) => [status, keyIn(body) !== undefined]).filter(([status]) => status === 200)
        ).toEqual([[200, true]])
        expect(
          new Set(
            answers.filter(({ status }) => status !== 200).map(({ body, status }) => `${status} ${titleIn(body)}`)
          )
        ).toEqual(new Set(["410 This link has been used"]))
        expect((yield* call("POST", "/claim/claim_unknown", { body: {} })).status).toBe(415)
        expect((yield* call("PUT", "/claim/claim_unknown")).status).toBe(405)
        expect((yield* call("POST", "/claim", { body: {} })).status).toBe(405)
      })
    )
  }
)

plain("is a plain page without the built one", () => {
  const view = ClaimView.make({
    state: "open",
    email: null,
    persona: Persona.make({
      handle: "wren",
      displayName: "Wren",
      bio: null,
      tagline: null,
      role: "dj",
      speakingStyle: null,
      specialties: [],
      gender: null,
      entityForm: null,
      syntheticDisclosure: null,
      avatarEntityType: null,
      avatarArchetype: null,
      avatarSignalTraits: [],
      avatarWorldNotes: null
    })
  })
  const { body, headers, status } = form({ name: "Longwave", template: null }, view)
  const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
  expect([status, headers["content-security-policy"]?.includes("script-src"), text.includes("<script")]).toEqual([
    200,
    false,
    false
  ])
  expect(text).toMatch(/Wren[\s\S]*@wren[\s\S]*Host[\s\S]*name="ownerEmail"[\s\S]*name="consentGiven"/)
})

plain("maps strings that strangers choose to a bounded number of mailboxes", () => {
  const mailboxes = new Set(Array.from({ length: 5_000 }, (_, i) => mailboxOf(`wren_${i}`)))
  expect(mailboxes.size).toBe(256)
})
