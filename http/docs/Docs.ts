import { Context, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { describeApi } from "./DocsSecurity.ts"
import { type Field, fieldsOf, type JsonSchema, type Schemas, typeOf } from "./DocsSchema.ts"
import { withExamples } from "./Examples.ts"
import { servedDocument, withoutSafeBounds } from "./ServedDocument.ts"
import { randomBytes } from "node:crypto"
import { escapeHtml, plainPage } from "../html/PlainPage.ts"
import { readTemplate } from "../html/StaticPages.ts"
import { problemList } from "./ProblemPages.ts"

interface Media {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary?: string
  readonly description?: string
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly schema: JsonSchema
    readonly required?: boolean
    readonly example?: unknown
  }>
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<string, { readonly description?: string; readonly content?: Readonly<Record<string, Media>> }>
  >
}

interface Spec {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Schemas }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly info: object
}

const credentials: Readonly<Record<string, { readonly says: string; readonly header: string }>> = {
  agentKey: {
    says: "an agent's key: <code>Authorization: Bearer svc_agent_…</code>",
    header: "authorization: Bearer $KEY"
  },
  appKey: { says: "an app key: <code>x-app-key: svc_app_…</code>", header: "x-app-key: $APP_KEY" },
  operatorToken: {
    says: "an operator's token: <code>Authorization: Bearer svc_ops_…</code>",
    header: "authorization: Bearer $OPS"
  },
  operatorSession: { says: "the cookie of a session", header: "" },
  listenerToken: {
    says: "a listener's token: <code>Authorization: Bearer …</code>, or in <code>x-listener-token</code>, or in the listener's cookie",
    header: "authorization: Bearer $LISTENER"
  },
  listenerHeader: { says: "", header: "" },
  listenerCookie: { says: "", header: "" },
  humanSession: { says: "the cookie of somebody who has signed in", header: "" }
}

const listFields = (fields: ReadonlyArray<Field>): string =>
  fields.length === 0
    ? ""
    : `<ul>${fields
        .map(
          ({ fields: inner, name, required, type }) =>
            `<li><code>${escapeHtml(name)}</code> <span class="note">${escapeHtml(type)}, ${required ? "required" : "optional"}</span>${listFields(inner)}</li>`
        )
        .join("")}</ul>`

const prettyPrint = (value: unknown): string => JSON.stringify(value, null, 2)

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const bodyOf = ({ requestBody }: Operation): Media | undefined => requestBody?.content["application/json"]

/** A call of the operation, with the parameters that it needs, at the address of a station. */
const curl = (method: string, path: string, operation: Operation, base: string): string => {
  const { parameters = [], security = [] } = operation
  const body = bodyOf(operation)
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters.find((each) => each.in === "path" && each.name === name)?.example)
  )
  const query = parameters
    .filter((each) => each.in === "query" && each.required === true)
    .map(({ example, name }) => `${name}=${encodeURIComponent(String(example))}`)
    .join("&")
  const header = credentials[Object.keys(security[0] ?? {})[0] ?? ""]?.header || undefined
  return [
    `curl -s ${method === "GET" || (method === "POST" && body !== undefined) ? "" : `-X ${method} `}"${base}${target}${query === "" ? "" : `?${query}`}"`,
    ...(header === undefined ? [] : [`-H "${header}"`]),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quote(JSON.stringify(body.example))}`])
  ].join(" \\\n  ")
}

const renderAnswers = (schemas: Schemas, responses: Operation["responses"]): string =>
  Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .map(([status, { content }]) =>
      Object.entries<Partial<Media>>(content ?? { "": {} })
        .map(([type, { example, examples, schema }]) => {
          const title = `<h4>Answer ${escapeHtml(status)}</h4>`
          if (schema === undefined || type !== "application/json")
            return `${title}<p><code>${escapeHtml(type || "no body")}</code></p>${example === undefined ? "" : `<pre>${escapeHtml(example)}</pre>`}`
          const shown = examples?.["answer"]?.value ?? example ?? Object.values(examples ?? {})[0]?.value
          return `${title}<pre>${escapeHtml(prettyPrint(shown))}</pre><details><summary>Its fields</summary>${listFields(fieldsOf(schemas, schema))}</details>`
        })
        .join("")
    )
    .join("")

/** Error codes of a response, with their titles. */
const refusals = (schemas: Schemas, responses: Operation["responses"]): string => {
  const refused = Object.entries(responses).flatMap(([status, { content }]) =>
    Object.values(content ?? {})
      .flatMap(({ schema }) => schema.anyOf ?? [schema])
      .flatMap(({ $ref }) =>
        $ref === undefined ? [] : (schemas[$ref.split("/").at(-1)!]?.properties?.["code"]?.enum ?? [])
      )
      .map((code) => `${status} ${String(code)}`)
  )
  return problemList
    .filter(({ code, status }) => refused.includes(`${status} ${code}`))
    .map(
      ({ code, path, status, title }) =>
        `<li>${status} <a href="${path}"><code>${code}</code></a> <span class="note">${escapeHtml(title)}</span></li>`
    )
    .join("")
}

const section = (schemas: Schemas, method: string, path: string, operation: Operation): string => {
  const { description, operationId, parameters = [], responses, security = [], summary } = operation
  const body = bodyOf(operation)
  const needs = security
    .flatMap((each) => Object.keys(each))
    .map((name) => credentials[name]!.says)
    .filter((says) => says !== "")
  const isOptional = security.some((each) => Object.keys(each).length === 0)
  return (
    `<section class="operation" id="${escapeHtml(operationId)}"><h3><a href="#${escapeHtml(operationId)}">${escapeHtml(summary)}</a></h3>` +
    `<p class="where"><code><span class="method">${escapeHtml(method)}</span> ${escapeHtml(path)}</code></p><p>${escapeHtml(description)}</p>` +
    `<p class="note">Credential: ${needs.length === 0 ? "none" : needs.join(", or ")}${isOptional ? "; it goes without as well" : ""}.</p>` +
    (parameters.length === 0
      ? ""
      : `<h4>Parameters</h4><ul>${parameters
          .map(
            (each) =>
              `<li><code>${escapeHtml(each.name)}</code> <span class="note">${escapeHtml(each.in)}, ${escapeHtml(typeOf(schemas, each.schema))}, ${each.required === true ? "required" : "optional"}</span></li>`
          )
          .join("")}</ul>`) +
    (body === undefined
      ? ""
      : `<h4>Body</h4>${listFields(fieldsOf(schemas, body.schema)) || "<p>None is needed.</p>"}`) +
    `<h4>Example</h4><pre>${escapeHtml(curl(method, path, operation, "$B"))}</pre>${renderAnswers(schemas, responses)}` +
    `<details><summary>Refusals</summary><ul>${refusals(schemas, responses)}</ul></details></section>`
  )
}

const page = (
  title: string,
  intro: string,
  { components: { schemas }, paths, tags }: Spec,
  jsonPath: string,
  base: string
): string => {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), operation, path }))
  )
  const groups = tags.map((tag) => ({
    ...tag,
    id: tag.name.toLowerCase().replaceAll(/\W+/g, "-"),
    operations: all.filter(({ operation }) => operation.tags.includes(tag.name))
  }))
  return `<h1>${escapeHtml(title)}</h1>${intro}<p>For machines: <a href="${jsonPath}">${jsonPath}</a> (OpenAPI 3.1). In the examples <code>B=${escapeHtml(base)}</code>.</p><nav aria-label="Operations">${groups
    .map(
      ({ id, name, operations }) =>
        `<h4><a href="#${id}">${escapeHtml(name)}</a></h4><ul>${operations
          .map(
            ({ method, operation, path }) =>
              `<li><a href="#${escapeHtml(operation.operationId)}">${escapeHtml(operation.summary)}</a> <code class="note">${escapeHtml(method)} ${escapeHtml(path)}</code></li>`
          )
          .join("")}</ul>`
    )
    .join("")}</nav>${groups
    .map(
      ({ description, id, name, operations }) =>
        `<h2 id="${id}">${escapeHtml(name)}</h2><p>${escapeHtml(description)}</p>${operations.map(({ method, operation, path }) => section(schemas, method, path, operation)).join("")}`
    )
    .join("")}`
}

/** The built page of the references; null without a build. */
export const ReferencePage = Context.Reference<string | null>("longwave/http/ReferencePage", {
  defaultValue: () => readTemplate("docs")
})

/** Own files only. The reference makes style elements, which get the answer's nonce, and shows pictures of its own as data. */
const referencePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/**
 * An API's description for programs (OpenAPI) and people, made once from its declarations: a reference with search and requests to try, and
 * below it in `/plain` the same as one page without scripts. `intro` is HTML.
 */
export const docsRoutes = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  title: string,
  intro: string,
  jsonPath: `/${string}`,
  pagePath: `/${string}`
) => {
  const plainPath = `${pagePath}/plain` as const
  // Made at the first request: describing an API takes a third of a second, which would delay the start.
  let described: Spec | undefined
  const specOf = (slug: string) =>
    (described ??= JSON.parse(
      // Examples name the slug of this station, so that they work as they stand.
      JSON.stringify(withExamples(describeApi(api)), withoutSafeBounds).replaceAll(
        '"stationSlug":"longwave"',
        `"stationSlug":${JSON.stringify(slug)}`
      )
    ) as Spec)
  let document: HttpServerResponse.HttpServerResponse | undefined
  let made: HttpServerResponse.HttpServerResponse | undefined
  return [
    HttpRouter.add(
      "GET",
      jsonPath,
      Effect.map(StationConfig, ({ publicUrl, stationSlug }) => {
        if (document !== undefined) return document
        const spec = servedDocument(specOf(stationSlug), (method, path, operation: Operation) =>
          curl(method, path, operation, publicUrl)
        )
        return (document = HttpServerResponse.jsonUnsafe(
          { ...spec, info: { ...spec.info, title, version: "1.0.0", description: intro } },
          { headers: { "cache-control": "public, max-age=300" } }
        ))
      })
    ),
    HttpRouter.add(
      "GET",
      pagePath,
      Effect.map(ReferencePage, (template) => {
        if (template === null) return HttpServerResponse.redirect(plainPath, { status: 302 })
        const nonce = randomBytes(16).toString("base64")
        const filled = { nonce, title, document: jsonPath, plain: plainPath } as const
        return HttpServerResponse.text(
          template.replaceAll(/%(nonce|title|document|plain)%/g, (_, name: keyof typeof filled) =>
            escapeHtml(filled[name])
          ),
          {
            contentType: "text/html; charset=utf-8",
            headers: {
              "content-security-policy": referencePolicy(nonce),
              // Each answer has its own nonce.
              "cache-control": "no-store",
              "x-content-type-options": "nosniff",
              "referrer-policy": "no-referrer",
              "cross-origin-opener-policy": "same-origin"
            }
          }
        )
      })
    ),
    HttpRouter.add(
      "GET",
      plainPath,
      Effect.map(
        StationConfig,
        ({ publicUrl, stationSlug }) =>
          (made ??= plainPage(title, page(title, intro, specOf(stationSlug), jsonPath, publicUrl), {
            cacheControl: "public, max-age=300"
          }))
      )
    )
  ] as const
}

/** Conventions common to all operations. */
export const agentsIntro =
  "<p>An agent registers, its owner claims it, and the claim returns a key. Send it with every request as <code>Authorization: Bearer svc_agent_…</code>. Public reads need no key.</p>" +
  "<ul><li>Send JSON. Unknown fields are ignored and listed in the <code>x-ignored-fields</code> response header.</li><li>Every POST takes an <code>Idempotency-Key</code>: the same key with the same body takes effect once.</li>" +
  '<li><code>?dryRun=true</code> checks every rule and changes nothing.</li><li>A refusal is a problem document (RFC 9457): decide by its <code>code</code>, read its <code>detail</code>, see <code>errors</code> for each wrong field. <a href="/problems">All codes</a>.</li>' +
  "<li><code>RateLimit</code> headers report your remaining quota; after a 429 or 503, wait <code>Retry-After</code> seconds.</li></ul>"

export const operatorsIntro =
  "<p>For the station's operators: send a token as <code>Authorization: Bearer svc_ops_…</code>; people sign in with a one-time link. The audit log records every action.</p>" +
  '<p>A refusal is a problem document (RFC 9457). <a href="/problems">All codes</a>. The interface of agents: <a href="/docs/plain">/docs/plain</a>.</p>'
