import { Clock, Effect } from "effect"
import { HttpRouter, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { securityTextDays } from "../../engine/rules/http/limits.ts"
import { NotFound } from "../../schema/Problems.ts"
import { type Guide, guidesOf } from "./GuideTexts.ts"
import { type MethodsOf, readOnly } from "../server/Methods.ts"

const dayMs = 86_400_000

const sha256 = (body: string): string => `sha256:${createHash("sha256").update(body).digest("hex")}`

const respond = ({ body, type }: Pick<Guide, "body" | "type">) =>
  HttpServerResponse.text(body, { contentType: type, headers: { "x-content-type-options": "nosniff" } })

const skillPath = (name: string) => `/.well-known/agent-skills/${name}/SKILL.md` as const

/** Agent Skills discovery, 0.2.0: each document with the digest of its served bytes. */
const indexOf = (guides: ReadonlyArray<Guide>, publicUrl: string) => ({
  $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
  version: "0.2.0",
  skills: guides.flatMap(({ body, skill }) =>
    skill === null
      ? []
      : [
          {
            name: skill.name,
            type: "skill-md",
            description: skill.description,
            url: `${publicUrl}${skillPath(skill.name)}`,
            digest: sha256(body),
            files: [{ path: "SKILL.md", digest: sha256(body) }]
          }
        ]
  )
})

const logo = readFileSync(new URL("../pages/public/Icon.svg", import.meta.url), "utf8")

/** Links to the descriptions of an interface (RFC 9727). */
const catalogOf = (publicUrl: string) => ({
  linkset: [
    {
      anchor: `${publicUrl}/api/v1`,
      "service-desc": [{ href: `${publicUrl}/api/v1/openapi.json`, type: "application/vnd.oai.openapi+json" }],
      "service-doc": [
        { href: `${publicUrl}/docs`, type: "text/html" },
        { href: `${publicUrl}/llms.txt`, type: "text/plain" }
      ],
      status: [{ href: `${publicUrl}/healthz`, type: "application/json" }]
    },
    {
      anchor: `${publicUrl}/api/mcp`,
      "service-desc": [{ href: `${publicUrl}/.well-known/mcp.json`, type: "application/json" }]
    }
  ]
})

/** Routes of the guides. Made once, because they depend only on configuration. */
export const GuideRoutes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const config = yield* StationConfig
    const made = yield* Effect.cached(Effect.sync(() => guidesOf(config)))
    const guide = (is: (guide: Guide) => boolean) =>
      Effect.flatMap(made, (guides) => {
        const found = guides.find(is)
        return found === undefined
          ? HttpServerRespondable.toResponse(
              new NotFound({ detail: "Unknown guide. See /.well-known/agent-skills/index.json." })
            )
          : Effect.succeed(respond(found))
      })
    for (const path of ["/skill.md", "/auth.md", "/heartbeat.md", "/shows.md", "/rules.md", "/llms.txt"] as const)
      yield* router.add(
        "GET",
        path,
        guide((each) => each.path === path)
      )
    yield* router.add(
      "GET",
      "/.well-known/agent-skills/index.json",
      Effect.map(made, (guides) => HttpServerResponse.jsonUnsafe(indexOf(guides, config.publicUrl)))
    )
    yield* router.add(
      "GET",
      "/.well-known/agent-skills/:name/SKILL.md",
      Effect.flatMap(HttpRouter.params, ({ name }) => guide(({ skill }) => skill?.name === name))
    )
    // Conventional addresses that programs try first.
    yield* router.add(
      "GET",
      "/AGENTS.md",
      guide(({ path }) => path === "/skill.md")
    )
    yield* router.add("GET", "/openapi.json", HttpServerResponse.redirect("/api/v1/openapi.json", { status: 308 }))
    yield* router.add(
      "GET",
      "/.well-known/api-catalog",
      HttpServerResponse.text(JSON.stringify(catalogOf(config.publicUrl)), {
        contentType: `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`
      })
    )
    yield* router.add(
      "GET",
      "/logo.svg",
      HttpServerResponse.text(logo, {
        contentType: "image/svg+xml",
        headers: { "content-security-policy": "default-src 'none'", "x-content-type-options": "nosniff" }
      })
    )
    // RFC 9116. Rounded to a day, so that it can be cached for one.
    yield* router.add(
      "GET",
      "/.well-known/security.txt",
      Effect.map(Clock.currentTimeMillis, (nowMs) =>
        respond({
          type: "text/plain; charset=utf-8",
          body: [
            `Contact: ${config.securityContact ?? `mailto:${/[^\s<]+@[^\s>]+/.exec(config.mailFrom)?.[0] ?? config.mailFrom}`}`,
            `Expires: ${new Date((Math.floor(nowMs / dayMs) + securityTextDays) * dayMs).toISOString()}`,
            "Preferred-Languages: en",
            `Canonical: ${config.publicUrl}/.well-known/security.txt`,
            `Policy: ${config.publicUrl}/rules.md`,
            ""
          ].join("\n")
        })
      )
    )
  })
)

export const guideMethods: MethodsOf = readOnly([
  /^\/(skill|auth|heartbeat|shows|rules)\.md$/,
  /^\/(llms\.txt|logo\.svg|AGENTS\.md|openapi\.json)$/,
  /^\/\.well-known\/(security\.txt|api-catalog|agent-skills\/(index\.json|[a-z0-9-]+\/SKILL\.md))$/
])
