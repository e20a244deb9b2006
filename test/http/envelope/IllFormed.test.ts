import { layer } from "@effect/vitest"
import { Effect, Result, Schema, SchemaIssue } from "effect"
import { HttpApi } from "effect/http-api"
import * as fc from "fast-check"
import { describe, expect, it as plain } from "vitest"
import { Api } from "../../../http/api/Api.ts"
import { OpsApi } from "../../../http/api/OpsApi.ts"
import { Reading } from "../../../http/api/RequestErrors.ts"
import { AgentHttp, arrive, registration } from "../../support/http/AgentHttp.ts"
import { call } from "../../support/http/SegmentHttp.ts"
import { operatorOperations, publicOperations, withText } from "../../support/http/TextFields.ts"
import { keptTexts, shownTexts } from "../../support/http/TextScenes.ts"

const said = "must not contain lone surrogates or noncharacters"
const planes = Array.from({ length: 17 }, (_, plane) => plane * 0x10000)
const noncharacters = [
  ...planes.flatMap((first) => [first + 0xfffe, first + 0xffff]),
  ...Array.from({ length: 32 }, (_, n) => 0xfdd0 + n)
].map((point) => String.fromCodePoint(point))
const illFormed = fc
  .tuple(
    fc.string({ maxLength: 6 }),
    fc.oneof(
      fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(...noncharacters)
    ),
    fc.string({ maxLength: 6 })
  )
  .map((parts) => parts.join(""))

type Decode = (value: unknown) => Result.Result<unknown, Schema.SchemaError>
const decodeOf = (schemas: ReadonlyArray<Schema.Top>): Decode =>
  Schema.decodeUnknownResult(Schema.Union(schemas) as unknown as Schema.Codec<unknown>, { errors: "all" })
const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Decoders of each operation's body and query. */
const decoders = new Map<string, { readonly body: Decode | null; readonly query: Decode | null }>()
for (const api of [Api, OpsApi])
  HttpApi.reflect(api as typeof Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const payloads = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas as ReadonlyArray<Schema.Top>)
      decoders.set(`${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`, {
        body: payloads.length === 0 ? null : decodeOf(payloads),
        query: endpoint.query === undefined ? null : decodeOf([endpoint.query as Schema.Top])
      })
    }
  })

/** Errors for a text at its position, with no other field. */
const refusalsAt = (operation: string, field: string, text: string): ReadonlyArray<string> => {
  const { body, query } = decoders.get(operation)!
  const isQuery = field.startsWith("?")
  const decode = isQuery ? query! : body!
  const decoded = decode(isQuery ? { [field.slice(1)]: text } : withText({}, field, text))
  if (Result.isSuccess(decoded)) return []
  const at = isQuery ? field.slice(1) : field.slice(1).replaceAll("[]", "/0")
  return format(decoded.failure.issue).issues.flatMap(({ message, path = [] }) =>
    at === path.map((key) => (typeof key === "object" ? key.key : key)).join("/") ? [message] : []
  )
}

describe("T16: ill-formed text", () => {
  // Headers are bytes, so only Latin-1 arrives in them. Two numbers accept any value, and the handler checks them.
  const places = [...publicOperations, ...operatorOperations].flatMap(({ fields, name }) =>
    fields.filter((field) => !/^#|^\/(agentsNeeded|ttlHours)$/.test(field)).map((field) => [name, field] as const)
  )
  plain("is refused in every text field of every operation", () => {
    expect(places.length).toBeGreaterThan(300)
    const takers = places.filter(
      ([name, field]) =>
        fc.check(
          fc.property(illFormed, (text) => refusalsAt(name, field, text).length > 0),
          { numRuns: 12 }
        ).failed
    )
    expect(takers).toEqual([])
  })
  plain("is refused with its own code in any text", () => {
    const free = new Set([...Object.keys(keptTexts), ...shownTexts])
    const silent = places.filter(
      ([name, field]) => free.has(`${name} ${field}`) && !refusalsAt(name, field, "a\ufffeb").join().includes(said)
    )
    expect(silent).toEqual([])
  })
  plain(
    "is refused by the one guard that turns a wrong request into a refusal: every operation that takes anything has it",
    () => {
      const unguarded: Array<string> = []
      for (const api of [Api, OpsApi])
        HttpApi.reflect(api as typeof Api, {
          onGroup: () => undefined,
          onEndpoint: ({ endpoint, middleware }) => {
            const takesAny =
              endpoint.params !== undefined ||
              endpoint.query !== undefined ||
              endpoint.headers !== undefined ||
              endpoint.payload.size > 0
            if (takesAny && ![...middleware].some((guard) => guard.key === Reading.key))
              unguarded.push(`${endpoint.method} ${endpoint.path}`)
          }
        })
      expect(unguarded).toEqual([])
    }
  )
  plain("is distinguished from all other text", () => {
    const decode = decoders.get("PATCH /api/account/me")!.body!
    const isTaken = (bio: string) => Result.isSuccess(decode({ bio }))
    fc.assert(fc.property(illFormed, (text) => !isTaken(text)))
    for (const text of ["\u{1f399}\ufe0f", "\u{10fffd}", "\ufffd", "\ufdcf\ufdf0", "e\u0301"])
      expect(isTaken(text)).toBe(true)
  })
})

layer(AgentHttp(), { excludeTestServices: true, timeout: 300_000 })("ill-formed text over HTTP", (it) => {
  it.effect("is refused with its pointer, in bodies, addresses and tools", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      for (const text of ["A \ud800 stranger", "\udfff", "A \ufffe stranger", "\ufdd0", "\u{1ffff}"]) {
        const registered = yield* call("POST", "/api/v1/agents/register", {
          body: registration({}, { displayName: text })
        })
        expect([registered.status, registered.body.code, registered.body.errors]).toEqual([
          400,
          "INVALID_FIELD",
          [{ pointer: "/agent/displayName", code: "INVALID_FIELD", detail: said }]
        ])
        const profile = yield* call("PATCH", "/api/v1/agents/me/profile", { key, body: { tagline: text } })
        expect([profile.status, profile.body.code]).toEqual([400, "INVALID_FIELD"])
        const tool = yield* call("POST", "/api/mcp", {
          body: {
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "publicProfiles_agent", arguments: { handle: text } }
          },
          headers: { accept: "application/json, text/event-stream" }
        })
        expect(JSON.stringify(tool.body)).toContain("INVALID_FIELD")
      }
      const query = yield* call("GET", "/api/v1/inbox?cursor=%EF%BF%BE", { key })
      expect([query.status, query.body.code, query.body.errors[0].pointer]).toEqual([
        400,
        "INVALID_FIELD",
        "/query/cursor"
      ])
    })
  )
})
