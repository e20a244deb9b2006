import { Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { afterAll, describe, expect, it } from "vitest"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { Api } from "../../../http/api/Api.ts"
import { OpsApi } from "../../../http/api/OpsApi.ts"
import { findUndescribed } from "../../support/http/Described.ts"
import { agentsIntro, docsRoutes, operatorsIntro, ReferencePage } from "../../../http/docs/Docs.ts"
import { problemList, ProblemRoutes } from "../../../http/docs/ProblemPages.ts"

const { dispose, handler } = HttpRouter.toWebHandler(
  Layer.mergeAll(
    ...docsRoutes(Api, "Agents", agentsIntro, "/api/v1/openapi.json", "/docs"),
    ...docsRoutes(OpsApi, "Operators", operatorsIntro, "/api/ops/openapi.json", "/api/ops/docs"),
    ...ProblemRoutes
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(StationConfig.fromEnvironment({ PUBLIC_URL: "http://station.test" }), HttpServer.layerServices)
    )
  ),
  { disableLogger: true }
)
afterAll(dispose)
const get = (path: string, accept = "text/html") =>
  handler(new Request(`http://station.test${path}`, { headers: { accept } }))

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly requestBody?: { readonly content: Record<string, { readonly example?: unknown; readonly schema: unknown }> }
}

interface Served {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string; readonly required?: boolean }>
  readonly requestBody?: { readonly content: Record<string, object> }
  readonly responses: Record<string, { readonly $ref?: string }>
  readonly "x-codeSamples": ReadonlyArray<{ readonly source: string }>
}

const operationsOf = (spec: unknown) =>
  Object.entries((spec as { readonly paths: Record<string, Record<string, Operation>> }).paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        operation
      }))
  )

const documents = [
  ["/docs/plain", operationsOf(OpenApi.fromApi(Api))],
  ["/api/ops/docs/plain", operationsOf(OpenApi.fromApi(OpsApi))]
] as const

describe.each(documents)("the plain reference at %s", (page, operations) => {
  it("describes the purpose of every operation, briefly and in full", () => {
    expect(operations.length).toBeGreaterThan(20)
    expect(
      operations
        .filter(
          ({ operation: { description, summary } }) => (summary?.length ?? 0) < 5 || (description?.length ?? 0) < 20
        )
        .map(({ name }) => name)
    ).toEqual([])
  })

  it("shows every operation with a link, its credential, a call and its refusals, on one page without scripts", async () => {
    const answer = await get(page)
    const html = await answer.text()
    const policy = answer.headers.get("content-security-policy")!
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/)
    expect(policy).not.toMatch(/unsafe|script-src/)
    expect(html).not.toMatch(/<script| style=| on\w+=/)
    for (const {
      method,
      name,
      operation: { operationId },
      path
    } of operations) {
      const part = html.split(`id="${operationId}"`)[1]?.split("</section>")[0] ?? ""
      expect([
        name,
        html.includes(`href="#${operationId}"`),
        part.includes(`${method}</span> ${path}</code>`),
        /Credential: /.test(part),
        /curl -s /.test(part),
        /href="\/problems\//.test(part) || operationId === "station.listen",
        part.includes("undefined")
      ]).toEqual([name, true, true, true, true, true, false])
    }
  })

  it("names no refusal without a page", async () => {
    const links = [
      ...new Set([...(await (await get(page)).text()).matchAll(/href="(\/problems\/[^"]+)"/g)].map(([, path]) => path!))
    ]
    expect(links.length).toBeGreaterThan(10)
    for (const link of links) expect([link, (await get(link)).status]).toEqual([link, 200])
  })
})

describe.each([
  ["/docs", "/api/v1/openapi.json"],
  ["/api/ops/docs", "/api/ops/openapi.json"]
])("the reference at %s", (page, document) => {
  const template = `<meta property="csp-nonce" nonce="%nonce%"><title>%title%</title><main data-document="%document%"></main><a href="%plain%">Plain</a>`
  const serveBuilt = HttpRouter.toWebHandler(
    Layer.mergeAll(
      ...docsRoutes(Api, "Agents", agentsIntro, "/api/v1/openapi.json", "/docs"),
      ...docsRoutes(OpsApi, "Operators", operatorsIntro, "/api/ops/openapi.json", "/api/ops/docs")
    ).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          StationConfig.fromEnvironment({ PUBLIC_URL: "http://station.test" }),
          HttpServer.layerServices,
          Layer.succeed(ReferencePage, template)
        )
      )
    ),
    { disableLogger: true }
  )
  afterAll(serveBuilt.dispose)

  it("admits own scripts only, and styles with the nonce of this one answer", async () => {
    const read = async () => {
      const answer = await serveBuilt.handler(new Request(`http://station.test${page}`))
      return { html: await answer.text(), headers: answer.headers }
    }
    const { headers, html } = await read()
    expect(html).toContain(`data-document="${document}"`)
    expect(html).toContain(`href="${page}/plain"`)
    const policy = headers.get("content-security-policy")!
    expect(policy).not.toMatch(/style-src-attr|hashes/)
    const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)![1]!
    expect(html).toContain(`nonce="${nonce}"`)
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /)
    expect(policy).not.toMatch(/unsafe|https?:/)
    expect(headers.get("cache-control")).toBe("no-store")
    expect((await read()).html).not.toContain(nonce)
  })

  it("reads a document that describes each shared refusal once, with a call that needs nothing optional", async () => {
    const text = await (await get(document)).text()
    const spec = JSON.parse(text) as {
      readonly paths: Record<string, Record<string, Served>>
      readonly components: { readonly responses: Record<string, { readonly content: object }> }
    }
    const shared = new Set<string>()
    for (const [path, methods] of Object.entries(spec.paths))
      for (const [method, { parameters = [], requestBody, responses, ...operation }] of Object.entries(methods)) {
        const { source } = operation["x-codeSamples"][0]!
        const optional = parameters.filter(({ in: where, required }) => where !== "path" && required !== true)
        expect([
          path,
          source.includes(`"http://station.test${path.split("{")[0]}`),
          method === "get" ||
            (method === "post" && requestBody !== undefined) ||
            source.includes(`-X ${method.toUpperCase()}`),
          optional.filter(({ in: where, name }) => source.includes(where === "query" ? `${name}=` : `${name}:`))
        ]).toEqual([path, true, true, []])
        for (const media of Object.values(requestBody?.content ?? {})) expect(media).not.toHaveProperty("example")
        for (const [status, { $ref }] of Object.entries(responses)) {
          expect([path, status, $ref === undefined]).toEqual([path, status, Number(status) < 400])
          if ($ref !== undefined) shared.add($ref.replace("#/components/responses/", ""))
        }
      }
    const described = spec.components.responses
    expect(Object.keys(described).toSorted()).toEqual([...shared].toSorted())
    expect(new Set(Object.values(described).map((each) => JSON.stringify(each))).size).toBe(shared.size)
    expect(text).not.toMatch(/9007199254740991/)
  })

  it("leads to the plain page where the pages were not built", async () => {
    const bare = HttpRouter.toWebHandler(
      Layer.mergeAll(...docsRoutes(Api, "Agents", agentsIntro, "/api/v1/openapi.json", "/docs")).pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            StationConfig.fromEnvironment({}),
            HttpServer.layerServices,
            Layer.succeed(ReferencePage, null)
          )
        )
      ),
      { disableLogger: true }
    )
    const answer = await bare.handler(new Request("http://station.test/docs"))
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/docs/plain"])
    await bare.dispose()
  })
})

describe("the OpenAPI document", () => {
  interface Described {
    readonly paths: Record<string, Record<string, { readonly security?: ReadonlyArray<object> }>>
    readonly components: { readonly securitySchemes: Record<string, object> }
  }

  interface ProblemSchema {
    readonly additionalProperties?: unknown
    readonly properties: Readonly<Record<string, { readonly pattern?: string }>>
    readonly required: ReadonlyArray<string>
  }

  it("describes problems as they are sent, and allows members of later versions", async () => {
    const spec = (await (await get("/api/v1/openapi.json")).json()) as {
      readonly components: { readonly schemas: Record<string, ProblemSchema> }
    }
    const { additionalProperties, properties, required } = spec.components.schemas["RateLimitedEncoded"]!
    expect([additionalProperties, properties["retryAfterSec"], properties["error"]]).toEqual([
      undefined,
      undefined,
      { type: "string", enum: ["rate_limited"], examples: ["rate_limited"] }
    ])
    expect(new RegExp(properties["type"]!.pattern!).test("https://radio.example/problems/rate-limited")).toBe(true)
    expect(required).toEqual(
      expect.arrayContaining(["type", "title", "status", "code", "instance", "errors", "requestId"])
    )
  })

  it("is enforced on answers: another shape, status or type is a fault", () => {
    const answer = (status: number, type: string, body: unknown) =>
      findUndescribed("GET", "/api/v1/capabilities", { status, headers: new Headers({ "content-type": type }), body })
    expect(answer(200, "application/json", { version: "1.0.0", groups: [], routes: [] })).toEqual([])
    for (const [status, type, body] of [
      [200, "application/json", { version: "1.0.0", groups: [] }],
      [200, "application/json", { version: "1.0.0", groups: [], routes: [{ auth: "agent" }] }],
      [200, "text/html", ""],
      [418, "application/json", {}],
      [429, "application/problem+json", { type: "/problems/rate-limited", status: 429 }]
    ] as const)
      expect([type, body, answer(status, type, body).length > 0]).toEqual([type, body, true])
  })

  it("names the credentials of listeners and signed-in people, and the operations without any", async () => {
    const {
      components: { securitySchemes },
      paths
    } = (await (await get("/api/v1/openapi.json")).json()) as Described
    const ways = (path: string, method: string) =>
      paths[path]?.[method]?.security?.map((each) => Object.keys(each)[0] ?? "none")
    expect(ways("/api/listeners/me/streaks", "get")).toEqual(["listenerToken", "listenerHeader", "listenerCookie"])
    expect(ways("/api/station/write-in", "post")).toEqual(["none", "listenerToken", "listenerHeader", "listenerCookie"])
    expect(ways("/api/station/chat", "post")).toEqual(["agentKey", "listenerToken", "listenerHeader", "listenerCookie"])
    expect(ways("/api/account/me", "get")).toEqual(["humanSession"])
    const used = new Set(
      Object.values(paths).flatMap((methods) =>
        Object.values(methods).flatMap(({ security = [] }) => security.flatMap((each) => Object.keys(each)))
      )
    )
    expect([...used].filter((name) => securitySchemes[name] === undefined)).toEqual([])
  })
})

describe("an example", () => {
  const payloads: Record<string, ReadonlyArray<Schema.Top>> = {}
  const visitor = {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }: { readonly endpoint: HttpApiEndpoint.Top }) => {
      payloads[`${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`] = [
        ...endpoint.payload.values()
      ].flatMap(({ schemas }) => schemas as ReadonlyArray<Schema.Top>)
    }
  }
  HttpApi.reflect(Api, visitor)
  HttpApi.reflect(OpsApi, visitor)
  const given = documents
    .flatMap(([, operations]) => operations)
    .flatMap(({ name, operation }) =>
      Object.values(operation.requestBody?.content ?? {}).flatMap(({ example }) =>
        example === undefined ? [] : [[name, example] as const]
      )
    )
  it.each(given)("of %s can be sent unchanged", (name, example) => {
    expect(
      payloads[name]!.some(
        (schema) => Schema.decodeUnknownOption(schema as Schema.Codec<unknown>)(example)._tag === "Some"
      )
    ).toBe(true)
  })

  it("states the bounds of requests", async () => {
    const html = await (await get("/docs/plain")).text()
    expect(html).toMatch(/<code>handle<\/code> <span class="note">text, 3 to 30 characters, required/)
    expect(html).toMatch(/<code>title<\/code> <span class="note">text, 1 to \d+ characters, required/)
  })
})

describe("pages of refusals", () => {
  it("exist for every code, as page and document, with advice", async () => {
    expect(problemList.length).toBeGreaterThan(40)
    for (const { code, path, status, whatToDo } of problemList) {
      const page = await get(path)
      expect([code, page.status, (await page.text()).includes(`<h1>${code}</h1>`)]).toEqual([code, 200, true])
      const document = await get(path, "application/json")
      expect(await document.json()).toMatchObject({
        type: `http://station.test${path}`,
        code,
        statuses: expect.arrayContaining([status]) as unknown,
        whatToDo
      })
      expect(whatToDo.length).toBeGreaterThan(15)
    }
    expect((await get("/problems")).status).toBe(200)
    expect((await get("/problems/none")).status).toBe(404)
  })
})
