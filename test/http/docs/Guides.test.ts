import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { createHash } from "node:crypto"
import { expect } from "vitest"
import { capabilities } from "../../../http/api/Parts.ts"
import { AgentHttp, arrive, registration } from "../../support/http/AgentHttp.ts"
import { call } from "../../support/http/SegmentHttp.ts"

const { groups, routes: operations } = capabilities()
const base = "http://radio.test"
const markdown = ["/skill.md", "/auth.md", "/heartbeat.md", "/shows.md", "/rules.md"]
const texts = [...markdown, "/llms.txt"]
/** Addresses of the stream and the pages, which this world doesn't serve. */
const elsewhere = /^\/(docs|problems|live(\.mp3|\/.*)?|api\/v1\/openapi\.json|not-me\/.*)?$/

layer(AgentHttp(), { excludeTestServices: true })("the guides", (it) => {
  it.effect("are served as cacheable text without placeholders", () =>
    Effect.gen(function* () {
      for (const path of texts) {
        const { body, headers, status } = yield* call("GET", path)
        expect([path, status, headers.get("content-type")]).toEqual([
          path,
          200,
          `text/${path.endsWith(".md") ? "markdown" : "plain"}; charset=utf-8`
        ])
        expect([path, /\{\{|undefined/.exec(body as string)]).toEqual([path, null])
        expect([path, headers.get("cache-control"), headers.get("etag")]).toEqual([
          path,
          "public, max-age=300",
          expect.stringMatching(/^W\/"/)
        ])
        const head = yield* call("HEAD", path)
        expect([path, head.status, head.body, head.headers.get("etag"), head.headers.get("content-type")]).toEqual([
          path,
          200,
          "",
          headers.get("etag"),
          headers.get("content-type")
        ])
        expect((yield* call("GET", path, { headers: { "if-none-match": headers.get("etag")! } })).status).toBe(304)
        expect((yield* call("POST", path, { body: {} })).body.code).toBe("METHOD_NOT_ALLOWED")
      }
    })
  )

  it.effect("list every operation in its section, with the accepted credential, and no missing ones", () =>
    Effect.gen(function* () {
      const { body } = yield* call("GET", "/skill.md")
      const [, list] = (body as string).split("## Every operation\n")
      for (const { auth, method, path, scope, title } of groups.flatMap(({ routes, title }) =>
        routes.map((route) => ({ ...route, title }))
      )) {
        const part = list!.split(`### ${title}\n`)[1]!.split("\n### ")[0]!
        const line = part.split("\n").find((each) => each.startsWith(`- \`${method} ${path}\` (`))
        expect([method, path, line]).toEqual([method, path, expect.stringMatching(/\): [A-Z].{4,}$/)])
        if (auth.join() === "public") expect(line).toContain("(no key")
        if (scope !== null) expect(line).toContain(`\`${scope}\``)
      }
      expect(list!.match(/^- `/gm)).toHaveLength(operations.length)
    })
  )

  it.effect("link only to existing addresses and operations", () =>
    Effect.gen(function* () {
      const known = new Set(operations.map(({ method, path }) => `${method} ${path}`))
      for (const path of texts) {
        const body = (yield* call("GET", path)).body as string
        const named = [
          ...body.matchAll(
            /\b(GET|POST|PUT|PATCH|DELETE) (?:http:\/\/radio\.test)?(\/(?:api|\.well-known)\/[^\s`"?]+)/g
          )
        ].map(([, method, at]) => `${method!} ${at!}`)
        expect([path, named.filter((each) => !known.has(each))]).toEqual([path, []])
        const links = [
          ...new Set(
            [...body.matchAll(/http:\/\/radio\.test(\/[^\s`"'<>()[\]…|]*)?/g)].map(([, at]) =>
              (at ?? "/").replace(/[.,;:]+$/, "")
            )
          )
        ]
        expect(links.length).toBeGreaterThan(2)
        for (const link of links.filter((each) => !elsewhere.test(each) && !each.startsWith("/claim/"))) {
          const { headers, status } = yield* call("OPTIONS", link)
          expect([path, link, status, headers.get("allow")]).toEqual([path, link, 204, expect.any(String)])
        }
      }
    })
  )

  it.effect("are listed with the digest of the served bytes, and found at the listed address and by name", () =>
    Effect.gen(function* () {
      const { body } = yield* call("GET", "/.well-known/agent-skills/index.json")
      expect(body.skills).toHaveLength(markdown.length)
      for (const [index, { description, digest, name, type, url }] of (
        body.skills as ReadonlyArray<Record<string, string>>
      ).entries()) {
        expect(url).toBe(`${base}/.well-known/agent-skills/${name}/SKILL.md`)
        const text = (yield* call("GET", url!.slice(base.length))).body as string
        expect(text).toBe((yield* call("GET", markdown[index]!)).body)
        expect([type, digest]).toEqual(["skill-md", `sha256:${createHash("sha256").update(text).digest("hex")}`])
        expect(text.startsWith(`---\nname: ${name}\ndescription: ${description}\n---\n`)).toBe(true)
        expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(description!.length).toBeLessThan(1_024)
      }
      expect((yield* call("GET", "/.well-known/agent-skills/none/SKILL.md")).status).toBe(404)
    })
  )

  it.effect("lead people to pages with a title and a preview, and to a page that says so where there is nothing", () =>
    Effect.gen(function* () {
      const { handle } = yield* arrive()
      const read = (path: string, accept = "text/html,*/*;q=0.8") => call("GET", path, { headers: { accept } })
      const sitemap = yield* call("GET", "/sitemap.xml")
      expect(sitemap.headers.get("content-type")).toBe("application/xml; charset=utf-8")
      const paths = [...(sitemap.body as string).matchAll(/<loc>http:\/\/radio\.test([^<]*)<\/loc>/g)].map(
        ([, path]) => path!
      )
      expect(paths).toContain(`/voices/${handle}`)
      for (const path of paths.filter((one) => one !== "/")) {
        const { body, headers, status } = yield* read(path)
        expect([path, status, headers.get("content-type")]).toEqual([path, 200, "text/html; charset=utf-8"])
        expect([path, /<title>([^<]+)<\/title>/.exec(body as string)?.[1]]).toEqual([path, expect.stringMatching(/\w/)])
        // Without a build, the page is the plain text of it.
        if ((body as string).includes('id="station"'))
          for (const tag of [`<link rel="canonical" href="${base}${path}"`, 'og:title" content="', "og:description"])
            expect([path, body]).toEqual([path, expect.stringContaining(tag)])
      }
      for (const path of [
        "/nowhere",
        "/nowhere.txt",
        "/voices/nobody",
        "/shows/none",
        "/replays/rep_none",
        "/replays/rep_none/7"
      ]) {
        const { body, headers, status } = yield* read(path)
        expect([path, status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
          path,
          404,
          "text/html; charset=utf-8",
          "no-store"
        ])
        expect([path, body]).toEqual([path, expect.not.stringContaining('rel="canonical"')])
      }
      expect((yield* read("/nowhere", "application/json")).body.code).toBe("NOT_FOUND")
      expect((yield* read("/api/nowhere")).body.code).toBe("NOT_FOUND")
      expect((yield* read("/replays/show/none")).status).toBe(404)
    })
  )

  it.effect("are found at conventional addresses", () =>
    Effect.gen(function* () {
      const agents = yield* call("GET", "/AGENTS.md")
      expect([agents.status, agents.headers.get("content-type"), agents.body]).toEqual([
        200,
        "text/markdown; charset=utf-8",
        (yield* call("GET", "/skill.md")).body
      ])
      const robots = yield* call("GET", "/robots.txt")
      expect([robots.status, robots.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"])
      expect(robots.body).toMatch(/^User-agent: \*$/m)
      expect(robots.body).toContain("/llms.txt")
      expect(robots.body).toContain(`Sitemap: ${base}/sitemap.xml`)
      const catalog = yield* call("GET", "/.well-known/api-catalog")
      expect(catalog.headers.get("content-type")).toMatch(/^application\/linkset\+json/)
      const { linkset } = (typeof catalog.body === "string" ? JSON.parse(catalog.body) : catalog.body) as {
        linkset: ReadonlyArray<{ anchor: string; "service-desc": ReadonlyArray<{ href: string }> }>
      }
      expect(linkset.map((each) => each["service-desc"][0]!.href)).toEqual([
        `${base}/api/v1/openapi.json`,
        `${base}/.well-known/mcp.json`
      ])
      const mcp = yield* call("GET", "/.well-known/mcp.json")
      expect([mcp.status, mcp.body.transport]).toEqual([200, { type: "streamable-http", url: `${base}/api/mcp` }])
      const { address } = yield* HttpServer.HttpServer
      const { port } = address as { readonly port: number }
      const moved = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/openapi.json`, { redirect: "manual" }))
      expect([moved.status, moved.headers.get("location")]).toEqual([308, "/api/v1/openapi.json"])
      expect((yield* call("POST", "/robots.txt", { body: {} })).body.code).toBe("METHOD_NOT_ALLOWED")
    })
  )

  it.effect("name a contact for vulnerabilities, valid for less than a year (RFC 9116)", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* call("GET", "/.well-known/security.txt")
      expect(headers.get("content-type")).toBe("text/plain; charset=utf-8")
      const fields = Object.fromEntries(
        (body as string)
          .trim()
          .split("\n")
          .map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string])
      )
      expect(fields).toMatchObject({
        Contact: "mailto:station@localhost",
        Canonical: `${base}/.well-known/security.txt`
      })
      const days = (Date.parse(fields["Expires"]!) - Date.now()) / 86_400_000
      expect(days).toBeGreaterThan(150)
      expect(days).toBeLessThan(365)
    })
  )

  it.effect("T5: publish a pattern that matches every kind of key", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const pattern = new RegExp(
        `^${/```\n(svc_\S+)\n```/.exec((yield* call("GET", "/auth.md")).body as string)![1]!}$`
      )
      const keys = [key, `svc_app_${key.slice("svc_agent_".length)}`, `svc_ops_${key.slice("svc_agent_".length)}`]
      expect(keys.map((each) => pattern.test(each))).toEqual([true, true, true])
      expect(["svc_agent_…", "svc_agent_short_x", `${key}A`].map((each) => pattern.test(each))).toEqual([
        false,
        false,
        false
      ])
    })
  )

  it.effect("lead from the bare address over a refusal to home, by the answers alone", () =>
    Effect.gen(function* () {
      const at = (url: string) => url.replace(base, "")
      const refused = yield* call("GET", "/api/v1/home")
      expect(refused.status).toBe(401)
      const resource = (yield* call(
        "GET",
        at(/resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate")!)![1]!)
      )).body
      expect(resource.bearer_methods_supported).toEqual(["header"])
      const server = (yield* call(
        "GET",
        `${at(resource.authorization_servers[0])}/.well-known/oauth-authorization-server`
      )).body
      expect(server.issuer).toBe(resource.authorization_servers[0])
      const { agent_auth: how } = server
      expect((yield* call("GET", at(how.skill))).body).toContain(how.register_uri)
      const registered = (yield* call("POST", at(how.register_uri), {
        body: registration({ requested_credential_type: how.anonymous.credential_types_supported[0] })
      })).body
      const claimed = (yield* call("POST", at(how.claim_complete_uri), {
        body: { claim_token: registered.claim_token, email: "owner@example.org", consent_given: true }
      })).body
      const home = yield* call("GET", "/api/v1/home", { key: claimed.credential })
      expect([home.status, home.body.your_account.agentId]).toEqual([200, registered.agentId])
      expect((yield* call("DELETE", at(how.revocation_uri), { key: claimed.credential })).body.status).toBe("suspended")
    })
  )
})
