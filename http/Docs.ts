import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"

const escaped = (value: unknown): string =>
  String(value ?? "").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly responses?: Record<string, { readonly description?: string }>
}

/** The reference as a page of our own: readable without a script or anybody else's server. */
const page = (title: string, paths: Record<string, Record<string, Operation>>, jsonPath: string): string => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { description, responses, summary }]) =>
      `<section><h2><code>${escaped(method.toUpperCase())} ${escaped(path)}</code></h2><p>${escaped(summary ?? description)}</p><ul>${
        Object.entries(responses ?? {}).map(([status, response]) => `<li><b>${escaped(status)}</b> ${escaped(response.description)}</li>`).join("")
      }</ul></section>`))
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>` +
    `<body><h1>${escaped(title)}</h1><p>For machines: <a href="${jsonPath}">${jsonPath}</a></p>${operations.join("")}</body></html>`
}

/** An API's description for machines and for people, made once from the declarations that serve. */
export const docsRoutes = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>, title: string, jsonPath: `/${string}`, pagePath: `/${string}`) => {
  const spec = OpenApi.fromApi(api) as unknown as { readonly paths: Record<string, Record<string, Operation>>; readonly info: object }
  const document = { ...spec, info: { ...spec.info, title, version: "1.0.0" } }
  return [
    HttpRouter.add("GET", jsonPath, HttpServerResponse.jsonUnsafe(document, { headers: { "cache-control": "public, max-age=300" } })),
    HttpRouter.add("GET", pagePath, HttpServerResponse.text(page(title, spec.paths, jsonPath), {
      contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'", "cache-control": "public, max-age=300" }
    }))
  ] as const
}
