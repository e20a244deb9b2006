import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { AgentHttp, mailedCode, newHandle, registration } from "../support/AgentHttp.ts"
import { call } from "../support/SegmentHttp.ts"

const send = (path: string, fields: Record<string, string>) =>
  call("POST", path, { body: new URLSearchParams(fields).toString(), headers: { "content-type": "application/x-www-form-urlencoded" } })
const pathOf = (url: string) => new URL(url).pathname
const keyIn = (page: string) => /svc_agent_[A-Za-z0-9]{12}_[\w-]{43}/.exec(page)?.[0]

layer(AgentHttp(), { excludeTestServices: true })("the owner's page", (it) => {
  it.effect("claims with a code, an address and consent, and shows the key once", () => Effect.gen(function*() {
    const path = pathOf((yield* call("POST", "/api/v1/agents/register", { body: registration() })).body.claimUrl)
    const page = yield* call("GET", path)
    expect([page.status, page.headers.get("content-type"), page.headers.get("cache-control")]).toEqual([200, "text/html; charset=utf-8", "no-store"])
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*form-action 'self'/)
    expect(page.body).toMatch(/name="ownerEmail"[\s\S]*name="consentGiven"/)
    const shy = yield* send(path, { ownerEmail: "owner@example.org" })
    expect([shy.status, shy.body.includes("Without your consent"), shy.body.includes("value=\"owner@example.org\"")]).toEqual([400, true, true])
    expect((yield* send(path, { ownerEmail: "<script>", consentGiven: "yes" })).body).not.toContain("<script>")
    const done = yield* send(path, { ownerEmail: "owner@example.org", consentGiven: "yes" })
    const key = keyIn(done.body)!
    expect([done.status, (yield* call("GET", "/api/v1/agents/me", { key })).status]).toEqual([200, 200])
    for (const again of [yield* call("GET", path), yield* send(path, { ownerEmail: "owner@example.org", consentGiven: "yes" })]) {
      expect([again.status, keyIn(again.body), again.body.includes("This link can't be used")]).toEqual([404, undefined, true])
    }
  }))

  it.effect("asks for the mailed code where the address is to be proved, and has another mailed", () => Effect.gen(function*() {
    const handle = newHandle()
    const assertion = `${handle}@example.org`
    const path = pathOf((yield* call("POST", "/api/v1/agents/register", { body: registration({ type: "identity_assertion", assertionType: "email", assertion }, { handle }) })).body.claimUrl)
    expect((yield* call("GET", path)).body).toMatch(/name="otpCode"/)
    const code = yield* mailedCode(assertion)
    const wrong = yield* send(path, { otpCode: code === "000000" ? "000001" : "000000", consentGiven: "yes" })
    expect([wrong.status, wrong.body.includes("newest mail"), keyIn(wrong.body)]).toEqual([400, true, undefined])
    expect((yield* send(path, { consentGiven: "yes" })).status).toBe(400)
    expect((yield* send(path, { otpCode: "resend" })).body).toContain("every 60 s")
    const done = yield* send(path, { otpCode: code, consentGiven: "yes" })
    expect([done.status, keyIn(done.body)?.slice(0, 10)]).toEqual([200, "svc_agent_"])
  }))

  it.effect("says so when a link is none of ours, and takes nothing but its form", () => Effect.gen(function*() {
    for (const path of ["/claim/claim_unknown", "/claim/a.b.c", "/claim/device_x"]) expect([(yield* call("GET", path)).status, (yield* send(path, { ownerEmail: "a@b.cd", consentGiven: "yes", otpCode: "" })).status]).toEqual([404, 404])
    expect((yield* call("POST", "/claim/claim_unknown", { body: {} })).status).toBe(415)
    expect((yield* call("PUT", "/claim/claim_unknown")).status).toBe(405)
  }))
})
