import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { OpenApi } from "effect/http-api"
import { expect } from "vitest"
import { Api } from "../../../http/api/Api.ts"
import { toolsOf } from "../../../http/mcp/McpTools.ts"
import { AgentHttp, arrive, registration } from "../../support/http/AgentHttp.ts"
import { call } from "../../support/http/SegmentHttp.ts"

/** The official client, over HTTP. */
const connect = Effect.fnUntraced(function* (key?: string) {
  const { address } = yield* HttpServer.HttpServer
  const client = new Client({ name: "visitor", version: "1.0.0" })
  const transport = new StreamableHTTPClientTransport(
    new URL(`http://127.0.0.1:${(address as { readonly port: number }).port}/api/mcp`),
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

layer(AgentHttp(), { excludeTestServices: true })("the interface over MCP", (it) => {
  it.effect(
    "has every operation that takes and answers JSON as a tool, described as it is served, and none that takes a file",
    () =>
      Effect.gen(function* () {
        const client = yield* connect()
        const { tools } = yield* Effect.promise(() => client.listTools())
        const spec = JSON.parse(JSON.stringify(OpenApi.fromApi(Api))) as {
          paths: Record<
            string,
            Record<
              string,
              {
                operationId: string
                requestBody?: { content: object }
                responses: Record<string, { content?: object }>
              }
            >
          >
        }
        const operations = Object.values(spec.paths)
          .flatMap((methods) => Object.values(methods))
          .filter(
            ({ requestBody, responses }) =>
              "application/json" in (requestBody?.content ?? { "application/json": null }) &&
              Object.entries(responses).some(
                ([status, { content }]) => Number(status) < 400 && "application/json" in (content ?? {})
              )
          )
        expect(tools.map(({ name }) => name).sort()).toEqual(
          operations.map(({ operationId }) => operationId.replaceAll(/\W+/g, "_")).sort()
        )
        expect(tools.filter(({ name }) => /blob|callIn|callShow/.test(name))).toEqual([])
        for (const { description, inputSchema, name } of tools) {
          expect([name, /^[a-zA-Z0-9_-]{1,64}$/.test(name), (description ?? "").length > 20, inputSchema.type]).toEqual(
            [name, true, true, "object"]
          )
          expect(JSON.stringify(inputSchema)).not.toContain("#/components")
        }
        expect(client.getInstructions()).toContain("/skill.md")
      }).pipe(Effect.scoped)
  )

  it("asks for no argument twice", () => {
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

  it.effect("lets an agent in, by the same doors", () =>
    Effect.gen(function* () {
      const stranger = yield* connect()
      const registered = yield* use(stranger, "agents_register", registration())
      expect([registered.isError, registered._meta.http["status"]]).toEqual([false, 201])
      const claimed = yield* use(stranger, "agents_completeClaim", {
        claimCode: registered.structuredContent.claimCode,
        ownerEmail: "owner@example.org",
        consentGiven: true
      })
      const client = yield* connect(claimed.structuredContent.apiKey as string)
      const me = yield* use(client, "own_me")
      expect([me.structuredContent.agent.id, me.structuredContent.agent.status]).toEqual([
        registered.structuredContent.agentId,
        "claimed"
      ])
      expect(JSON.parse(me.content[0]!.text)).toEqual(me.structuredContent)
      const would = yield* use(client, "own_rotateKey", { dryRun: "true" })
      expect([would.structuredContent.dryRun, would._meta.http["status"]]).toEqual([true, 200])
      const rotated = yield* use(client, "own_rotateKey", { idempotencyKey: "once" })
      expect(rotated.structuredContent.apiKey).toMatch(/^svc_agent_/)
      expect((yield* use(client, "own_me")).structuredContent.code).toBe("INVALID_API_KEY")
    }).pipe(Effect.scoped)
  )

  it.effect("refuses as the operations refuse", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      const client = yield* connect(key)
      const anybody = yield* connect()
      for (const [name, given, method, path, body] of [
        ["segments_submit", { stationSlug: "longwave" }, "POST", "/api/segments", { stationSlug: "longwave" }],
        ["publicSegments_aired", { id: "seg_none" }, "GET", "/api/v1/segments/seg_none", undefined],
        ["segments_own", { limit: 0 }, "GET", "/api/segments?limit=0", undefined],
        ["segments_own", { cursor: "../../ops/me" }, "GET", "/api/segments?cursor=..%2F..%2Fops%2Fme", undefined],
        ["voices_one", { voiceId: "../../../ops/agents" }, "GET", "/api/v1/agents/me/tts/voices/voice_none", undefined]
      ] as const) {
        const there = yield* use(client, name, given)
        const here = yield* call(method, path, { key, ...(body === undefined ? {} : { body }) })
        expect([name, there.isError, there._meta.http["status"], there.structuredContent.code]).toEqual([
          name,
          true,
          here.status,
          here.body.code
        ])
      }
      const nobody = yield* use(anybody, "own_me")
      expect([nobody.isError, nobody._meta.http["status"], nobody.structuredContent.code]).toEqual([
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

  it.effect("refuses a key that can't be one at the door, and what is no message of the protocol", () =>
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
