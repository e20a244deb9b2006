import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { OpenApi } from "effect/http-api"
import { expect } from "vitest"
import { Api } from "../../../http/api/Api.ts"
import { describeApi } from "../../../http/docs/DocsSecurity.ts"
import { requestOf, toolsOf } from "../../../http/mcp/McpTools.ts"
import { AgentHttp, arrive, registration } from "../../support/http/AgentHttp.ts"
import { call } from "../../support/http/SegmentHttp.ts"

/** The official client, over HTTP. */
const connect = Effect.fnUntraced(function* (key?: string, query = "") {
  const { address } = yield* HttpServer.HttpServer
  const client = new Client({ name: "visitor", version: "1.0.0" })
  const transport = new StreamableHTTPClientTransport(
    new URL(`http://127.0.0.1:${(address as { readonly port: number }).port}/api/mcp${query}`),
    key === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${key}` } } }
  )
  yield* Effect.acquireRelease(
    Effect.promise(() => client.connect(transport as Parameters<Client["connect"]>[0])),
    () => Effect.promise(() => client.close())
  )
  return client
})

interface Told {
  readonly isError: boolean
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly structuredContent: any
  readonly content: ReadonlyArray<{ readonly text: string }>
  readonly _meta: { readonly http: Record<string, unknown> }
}
const use = (client: Client, name: string, given: Record<string, unknown> = {}) =>
  Effect.promise(async () => (await client.callTool({ name, arguments: given })) as unknown as Told)
/** A refusal has text content only. */
const problemOf = ({ content, structuredContent }: Told): { readonly code: string } => {
  expect(structuredContent).toBe(undefined)
  return JSON.parse(content[0]!.text) as { readonly code: string }
}

layer(AgentHttp(), { excludeTestServices: true })("the interface over MCP", (it) => {
  it.effect("has a tool for every operation that an agent can call and that answers JSON, described as served", () =>
    Effect.gen(function* () {
      const client = yield* connect(undefined, "?toolset=all")
      // The client compiles every answer schema when it reads the list.
      const { tools } = yield* Effect.promise(() => client.listTools())
      const spec = JSON.parse(JSON.stringify(describeApi(Api))) as {
        paths: Record<
          string,
          Record<
            string,
            {
              deprecated?: boolean
              summary: string
              security?: ReadonlyArray<object>
              requestBody?: { content: object }
              responses: Record<string, { content?: object }>
            }
          >
        >
      }
      const operations = Object.entries(spec.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(
            ([, { deprecated, requestBody, responses, security = [], summary }]) =>
              deprecated !== true &&
              !summary.endsWith(")") &&
              (security.every((each) => Object.keys(each).length === 0) ||
                security.some((each) => "agentKey" in each)) &&
              "application/json" in (requestBody?.content ?? { "application/json": null }) &&
              Object.entries(responses).some(
                ([status, { content }]) => Number(status) < 400 && "application/json" in (content ?? {})
              )
          )
          .map(([method]) => `(${method.toUpperCase()} ${path}`)
      )
      expect(operations.length).toBeGreaterThan(100)
      expect(tools.map(({ description }) => /\([A-Z]+ \/[^ ;)]+/.exec(description!)![0]).sort()).toEqual(
        operations.sort()
      )
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
      for (const { description, inputSchema, name, outputSchema } of tools) {
        expect([name, /^[a-z0-9_]{4,64}$/.test(name), (description ?? "").length > 20, inputSchema.type]).toEqual([
          name,
          true,
          true,
          "object"
        ])
        expect([name, outputSchema?.type]).toEqual([name, "object"])
        expect(JSON.stringify([inputSchema, outputSchema])).not.toContain("#/components")
        for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
          const { description, type } = schema as { description?: string; type?: string }
          expect([name, argument, (description ?? "").length > 8]).toEqual([name, argument, true])
          if (argument === "dryRun") expect([name, type]).toEqual([name, "boolean"])
          if (argument === "limit") expect([name, type]).toEqual([name, "integer"])
          expect([name, argument === "lastEventId"]).toEqual([name, false])
        }
      }
      expect(client.getInstructions()).toContain("/skill.md")
    }).pipe(Effect.scoped)
  )

  it.effect("shows a small set at first, which finds and calls everything", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const client = yield* connect(key)
      const { tools } = yield* Effect.promise(() => client.listTools())
      expect([tools.length <= 25, JSON.stringify(tools).length < 40_000]).toEqual([true, true])
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["check_in", "read_your_own_record", "find_operation", "call_operation"])
      )
      const { structuredContent } = yield* use(client, "find_operation", { query: "free slots", limit: 3 })
      expect(structuredContent.operations).toHaveLength(3)
      expect(structuredContent.operations.map(({ name }: { name: string }) => name)).toContain("list_the_slots")
      const slots = yield* use(client, "call_operation", { name: "list_the_slots", arguments: { limit: 1 } })
      expect([slots.isError, slots._meta.http["status"]]).toEqual([false, 200])
      const names = (query: string) =>
        Effect.gen(function* () {
          const other = yield* connect(key, query)
          return (yield* Effect.promise(() => other.listTools())).tools
        })
      for (const [set, has] of [
        ["broadcast", "submit_a_script"],
        ["social", "write_a_post"],
        ["programmes", "book_the_next_free_slot"]
      ] as const)
        expect([set, (yield* names(`?toolset=${set}`)).map(({ name }) => name)]).toEqual([
          set,
          expect.arrayContaining([has, "check_in"])
        ])
      const reads = yield* names("?toolset=all&readonly=true")
      expect(reads.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
      const reader = yield* connect(key, "?readonly=true")
      for (const [name, given] of [
        ["write_a_post", {}],
        ["call_operation", { name: "write_a_post" }]
      ] as const)
        expect(
          yield* Effect.promise(() =>
            reader.callTool({ name, arguments: given }).then(
              () => "done",
              (error: Error) => error.message
            )
          )
        ).toContain("There is no tool write_a_post")
      const wrong = yield* call("POST", "/api/mcp?toolset=everything", {
        body: { jsonrpc: "2.0", id: 1, method: "tools/list" }
      })
      expect([wrong.status, wrong.body.code, wrong.body.errors[0].detail]).toEqual([
        400,
        "INVALID_FIELD",
        expect.stringContaining("starter, broadcast, social, programmes, all")
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("has the guides as resources and a prompt for the first visit", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const { resources } = yield* Effect.promise(() => client.listResources())
      expect(resources.map(({ name }) => name)).toEqual(expect.arrayContaining(["skill.md", "rules.md"]))
      for (const { uri } of resources) {
        const { contents } = yield* Effect.promise(() => client.readResource({ uri }))
        expect(contents[0]).toMatchObject({ uri, text: (yield* call("GET", new URL(uri).pathname)).body })
      }
      const { prompts } = yield* Effect.promise(() => client.listPrompts())
      expect(prompts.map(({ name }) => name)).toEqual(["first_visit"])
      const { messages } = yield* Effect.promise(() => client.getPrompt({ name: "first_visit" }))
      expect(JSON.stringify(messages)).toContain("register_an_agent")
    }).pipe(Effect.scoped)
  )

  it.effect("answers JSON where an operation could stream", () =>
    Effect.gen(function* () {
      const client = yield* connect()
      const programme = yield* use(client, "read_the_programme", { format: "ics" })
      expect([programme.isError, programme._meta.http["status"]]).toEqual([false, 200])
      const now = toolsOf(Api).find(({ name }) => name === "read_now_playing")!
      expect(requestOf(now, { format: "sse", lastEventId: "7" })).toEqual({
        method: "GET",
        url: "/api/station/now-playing",
        headers: {},
        body: null
      })
    }).pipe(Effect.scoped)
  )

  it("takes no argument twice", () => {
    const spec = JSON.stringify(OpenApi.fromApi(Api))
    const { paths } = JSON.parse(spec) as {
      paths: Record<
        string,
        Record<
          string,
          {
            operationId: string
            parameters?: ReadonlyArray<{ name: string }>
            requestBody?: {
              content: Record<
                string,
                { schema: { properties?: object; anyOf?: ReadonlyArray<{ properties?: object }> } }
              >
            }
          }
        >
      >
    }
    const twice = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ operationId, parameters = [], requestBody }) => {
        const schema = requestBody?.content["application/json"]?.schema
        const inBody = Object.keys(
          schema?.properties ?? schema?.anyOf?.find(({ properties }) => properties !== undefined)?.properties ?? {}
        )
        return parameters.filter(({ name }) => inBody.includes(name)).map(({ name }) => `${operationId} ${name}`)
      })
    expect(twice).toEqual([])
    for (const { inPath, inputSchema, name } of toolsOf(Api))
      expect([name, inPath.filter((each) => !(inputSchema["required"] as Array<string>).includes(each))]).toEqual([
        name,
        []
      ])
  })

  it.effect("registers an agent with the same operations", () =>
    Effect.gen(function* () {
      const stranger = yield* connect()
      const registered = yield* use(stranger, "register_an_agent", registration())
      expect([registered.isError, registered._meta.http["status"]]).toEqual([false, 201])
      const claimed = yield* use(stranger, "claim_the_agent", {
        claimCode: registered.structuredContent.claimCode,
        ownerEmail: "owner@example.org",
        consentGiven: true
      })
      const client = yield* connect(claimed.structuredContent.apiKey as string, "?toolset=all")
      // From here on the client checks every answer against its tool's schema.
      yield* Effect.promise(() => client.listTools())
      const me = yield* use(client, "read_your_own_record")
      expect([me.structuredContent.agent.id, me.structuredContent.agent.status]).toEqual([
        registered.structuredContent.agentId,
        "claimed"
      ])
      expect(JSON.parse(me.content[0]!.text)).toEqual(me.structuredContent)
      const would = yield* use(client, "change_your_key", { dryRun: true })
      expect([would.structuredContent.dryRun, would._meta.http["status"]]).toEqual([true, 200])
      const rotated = yield* use(client, "change_your_key", { idempotencyKey: "once" })
      expect(rotated.structuredContent.apiKey).toMatch(/^svc_agent_/)
      expect(problemOf(yield* use(client, "read_your_own_record")).code).toBe("INVALID_API_KEY")
    }).pipe(Effect.scoped)
  )

  it.effect("refuses like the operations", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const client = yield* connect(key)
      const anybody = yield* connect()
      for (const [name, given, method, path, body] of [
        ["submit_a_script", { stationSlug: "longwave" }, "POST", "/api/segments", { stationSlug: "longwave" }],
        ["read_a_segment_that_has_aired", { id: "seg_none" }, "GET", "/api/v1/segments/seg_none", undefined],
        ["list_your_segments", { limit: 0 }, "GET", "/api/segments?limit=0", undefined],
        ["list_your_segments", { cursor: "../../ops/me" }, "GET", "/api/segments?cursor=..%2F..%2Fops%2Fme", undefined],
        [
          "read_one_voice",
          { voiceId: "../../../ops/agents" },
          "GET",
          "/api/v1/agents/me/tts/voices/voice_none",
          undefined
        ]
      ] as const) {
        const there = yield* use(client, name, given)
        const here = yield* call(method, path, { key, ...(body === undefined ? {} : { body }) })
        expect([name, there.isError, there._meta.http["status"], problemOf(there).code]).toEqual([
          name,
          true,
          here.status,
          here.body.code
        ])
      }
      const nobody = yield* use(anybody, "read_your_own_record")
      expect([nobody.isError, nobody._meta.http["status"], problemOf(nobody).code]).toEqual([
        true,
        401,
        "INVALID_API_KEY"
      ])
      const unknown = yield* Effect.promise(() =>
        client.callTool({ name: "ops_agents", arguments: {} }).then(
          () => "known",
          (error: Error) => error.message
        )
      )
      expect(unknown).toContain("There is no tool")
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a malformed key, and messages outside the protocol", () =>
    Effect.gen(function* () {
      const wrong = yield* call("POST", "/api/mcp", {
        key: "nonsense",
        body: { jsonrpc: "2.0", id: 1, method: "tools/list" }
      })
      expect([
        wrong.status,
        wrong.body.code,
        wrong.headers.get("www-authenticate")?.includes("resource_metadata=")
      ]).toEqual([401, "INVALID_API_KEY", true])
      expect((yield* call("GET", "/api/mcp")).status).toBe(405)
      const elsewhere = yield* call("POST", "/api/mcp", {
        body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
        headers: { origin: "https://elsewhere.example", accept: "application/json, text/event-stream" }
      })
      expect([elsewhere.status, elsewhere.body.code]).toEqual([403, "FORBIDDEN"])
      for (const body of ["{", "7", `{"jsonrpc":"2.0"}`]) {
        const { status } = yield* call("POST", "/api/mcp", {
          body,
          headers: { accept: "application/json, text/event-stream" }
        })
        expect([body, status]).toEqual([body, 400])
      }
    })
  )
})

layer(AgentHttp({ RATE_LIMIT_SCALE: "1" }), { excludeTestServices: true })(
  "the lists of the interface over MCP",
  (it) => {
    it.effect("are limited to sixty a minute without a proven key, and calls are not", () =>
      Effect.gen(function* () {
        const { key } = yield* arrive()
        const invented = `svc_agent_${"a".repeat(12)}_${"b".repeat(43)}`
        const headers = { accept: "application/json, text/event-stream" }
        const ask = (method: string, from?: string) =>
          call("POST", "/api/mcp", {
            body: { jsonrpc: "2.0", id: 1, method },
            headers,
            ...(from === undefined ? {} : { key: from })
          })
        const first = yield* ask("tools/list")
        expect([first.status, first.body.id, first.body.result.tools.length > 10]).toEqual([200, 1, true])
        // One returns every second, and an invented key uses the same sixty.
        const begunMs = performance.now()
        let taken = 1
        let over = yield* ask("tools/list", invented)
        for (; over.status === 200; taken++) over = yield* ask("tools/list", taken % 2 === 0 ? invented : undefined)
        const backMax = Math.ceil((performance.now() - begunMs) / 1_000)
        expect([over.status, over.body.code, over.headers.has("retry-after")]).toEqual([429, "RATE_LIMITED", true])
        expect([taken >= 60, taken <= 60 + backMax + 1]).toEqual([true, true])
        expect((yield* ask("ping")).status).toBe(200)
        expect((yield* call("GET", "/api/v1/agents/me", { key })).status).toBe(200)
        expect((yield* ask("tools/list", key)).status).toBe(200)
      })
    )
  }
)
