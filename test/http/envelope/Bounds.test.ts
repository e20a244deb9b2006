import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { describe, expect, it as plain } from "vitest"
import { Api } from "../../../http/api/Api.ts"
import { OpsApi } from "../../../http/api/OpsApi.ts"
import { AgentHttp, arrive, registration } from "../../support/http/AgentHttp.ts"
import { person } from "../../support/people/Humans.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"

const [answerMaxBytes, detailMaxBytes, errorsMax, ignoredMaxBytes] = [16_384, 2_048, 20, 1_024]
/** The most that a body of 256 KiB can hold. */
const many = 120_000

interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Record<string, JsonSchema>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly maxItems?: number
  readonly maxProperties?: number
}

interface Spec {
  readonly paths: Record<
    string,
    Record<
      string,
      {
        readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string; readonly schema: JsonSchema }>
        readonly requestBody?: { readonly content: Record<string, { readonly schema: JsonSchema }> }
      }
    >
  >
  readonly components: { readonly schemas: Record<string, JsonSchema> }
}

/** Position of an array in a body: field names, and `[]` for an entry of an array. */
interface Place {
  readonly path: ReadonlyArray<string>
  readonly maxItems: number | undefined
  readonly kind: "array" | "record"
}

const placesIn = ({ components }: Spec, whole: JsonSchema): ReadonlyArray<Place> => {
  const walk = (schema: JsonSchema, path: ReadonlyArray<string>, seen: ReadonlyArray<string>): ReadonlyArray<Place> => {
    const name = schema.$ref?.split("/").at(-1)
    if (name !== undefined) return seen.includes(name) ? [] : walk(components.schemas[name]!, path, [...seen, name])
    const bounds = [schema, ...(schema.allOf ?? [])].flatMap(({ maxItems }) => maxItems ?? [])
    return [
      ...(schema.type === "array"
        ? [{ path, maxItems: bounds.length === 0 ? undefined : Math.min(...bounds), kind: "array" as const }]
        : []),
      ...(typeof schema.additionalProperties === "object"
        ? [
            { path, maxItems: schema.maxProperties, kind: "record" as const },
            ...walk(schema.additionalProperties, [...path, "{}"], seen)
          ]
        : []),
      ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((part) =>
        walk(part, path, seen)
      ),
      ...Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => walk(inner, [...path, field], seen)),
      ...(schema.items === undefined ? [] : walk(schema.items, [...path, "[]"], seen))
    ]
  }
  return walk(whole, [], [])
}

const fieldsOf = (spec: Spec, schema: JsonSchema): ReadonlyArray<string> => [
  ...Object.keys(schema.properties ?? {}),
  ...(schema.$ref === undefined ? [] : fieldsOf(spec, spec.components.schemas[schema.$ref.split("/").at(-1)!]!)),
  ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((part) => fieldsOf(spec, part))
]

const operations = [Api, OpsApi]
  .map((api) => JSON.parse(JSON.stringify(OpenApi.fromApi(api as typeof Api))) as Spec)
  .flatMap((spec) =>
    Object.entries(spec.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
        const json = requestBody?.content["application/json"]?.schema
        return {
          name: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path,
          taken: [
            ...Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
            ...parameters.map(({ schema }) => schema)
          ].flatMap((schema) => placesIn(spec, schema)),
          arrays: json === undefined ? [] : placesIn(spec, json).filter(({ kind }) => kind === "array"),
          fields: json === undefined ? null : [...new Set(fieldsOf(spec, json))]
        }
      })
    )
  )
/** Operations of agents and their operators. The other operator operations need a programme, and take no array. */
const served = operations.filter(
  ({ fields, path }) =>
    fields !== null && !/^\/api\/ops\/(playout|rundown|operators|tokens|sign|me|audit|as-run|sessions)/.test(path)
)

/** A body with a value at one position. */
const bodyWith = (path: ReadonlyArray<string>, inner: unknown): unknown =>
  path.reduceRight<unknown>((value, step) => (step === "[]" ? [value] : { [step]: value }), inner)

const bytes = (text: string): number => Buffer.byteLength(text)

describe("the published interface", () => {
  plain("bounds every array and every record in requests", () => {
    expect(operations.filter(({ arrays }) => arrays.length > 0).length).toBeGreaterThan(20)
    expect(
      operations.flatMap(({ name, taken }) =>
        taken.filter(({ maxItems }) => maxItems === undefined).map(({ path }) => `${name} ${path.join("/")}`)
      )
    ).toEqual([])
    // None of the operations left out below takes an array.
    expect(
      operations
        .filter((operation) => operation.arrays.length > 0 && !served.includes(operation))
        .map(({ name }) => name)
    ).toEqual([])
  })
})

layer(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32" }), { excludeTestServices: true, timeout: 300_000 })(
  "a refusal is small",
  (it) => {
    const small = (where: string, { body, headers, status }: Answer) => {
      const text = typeof body === "string" ? body : JSON.stringify(body)
      expect([where, status < 500 || status === 503]).toEqual([where, true])
      expect([where, bytes(text) <= answerMaxBytes ? "small" : bytes(text)]).toEqual([where, "small"])
      expect([where, bytes(headers.get("x-ignored-fields") ?? "") <= ignoredMaxBytes]).toEqual([where, true])
      if (status < 400) return
      expect([
        where,
        headers.get("content-type"),
        body.errors.length <= errorsMax,
        bytes(body.detail ?? "") <= detailMaxBytes
      ]).toEqual([where, "application/problem+json", true, true])
    }
    const callers = Effect.gen(function* () {
      const [admin, agent, human] = [yield* operator("admin"), yield* arrive(), yield* person()]
      return (path: string): { readonly key?: string; readonly headers?: Record<string, string> } =>
        path.startsWith("/api/ops/")
          ? { key: admin }
          : path.startsWith("/api/account/")
            ? { headers: human.headers }
            : { key: agent.key }
    })
    const target = (path: string) => path.replaceAll(/\{\w+\}/g, "nothing_00000000000000000000000000")

    it.effect("for a too long array with any content, in every operation that takes one", () =>
      Effect.gen(function* () {
        const as = yield* callers
        for (const { arrays, method, name, path } of served) {
          for (const { maxItems = 0, path: place } of arrays) {
            for (const count of [maxItems + 1, many]) {
              const where = `${name} /${place.join("/")} × ${count}`
              const answer = yield* call(method, target(path), {
                ...as(path),
                body: bodyWith(
                  place,
                  Array.from({ length: count }, () => 1)
                )
              })
              small(where, answer)
              expect([where, answer.status]).toEqual([
                where,
                expect.toSatisfy((status: number) => status === 400 || status === 413)
              ])
              // One error for the array, unless a missing field comes first; none for its entries.
              const pointer = `/${place.map((step) => (step === "[]" ? "0" : step)).join("/")}`
              const own = (answer.body.errors as ReadonlyArray<{ readonly pointer: string }>)
                .map((part) => part.pointer)
                .filter((named) => named.startsWith(pointer))
              expect([where, own]).toEqual([where, answer.body.code === "MISSING_FIELDS" ? [] : [pointer]])
            }
            // The maximum length, and every entry is invalid.
            const full = yield* call(method, target(path), {
              ...as(path),
              body: bodyWith(
                place,
                Array.from({ length: maxItems }, (_, n) => ({ [`wrong${n}`]: "x".repeat(100) }))
              )
            })
            small(`${name} /${place.join("/")}, full`, full)
            expect([name, full.status >= 400]).toEqual([name, true])
          }
        }
      })
    )

    it.effect("for any other large content of a body", () =>
      Effect.gen(function* () {
        const as = yield* callers
        const keys = (count: number, chars: number) =>
          Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}`.padStart(chars, "k"), 1]))
        const written = served.filter(({ method }) => method !== "DELETE")
        for (const [turn, { fields, method, name, path }] of written.entries()) {
          const long = "x".repeat(Math.floor(100_000 / Math.max(1, fields!.length)))
          const bodies: ReadonlyArray<readonly [string, unknown]> = [
            ["an unknown array", { unheardOf: Array.from({ length: 20_000 }, () => 1) }],
            ["unknown keys", keys(3_000, 12)],
            ["long unknown keys", keys(200, 200)],
            ["a long key twice", `{"${"k".repeat(30_000)}":1,"${"k".repeat(30_000)}":2}`],
            ["long text everywhere", Object.fromEntries(fields!.map((field) => [field, long]))],
            ["numbers everywhere", Object.fromEntries(fields!.map((field) => [field, 1e300]))],
            [
              "arrays everywhere",
              Object.fromEntries(fields!.map((field) => [field, Array.from({ length: 1_000 }, () => [[{}]])]))
            ]
          ]
          // One envelope answers all operations: each body goes to every third, and each operation gets two or three of them.
          for (const [what, body] of bodies.filter((_, index) => (index + turn) % 3 === 0))
            small(
              `${name}: ${what}`,
              yield* call(method, target(path), {
                ...as(path),
                body,
                headers: { ...as(path).headers, "x-forwarded-for": "198.18.200.1" }
              })
            )
        }
      })
    )

    it.effect("and lists ignored fields as far as a header holds them", () =>
      Effect.gen(function* () {
        const unread = (over: object) =>
          Effect.map(
            call("POST", "/api/v1/agents/register?dryRun=true", { body: registration(over) }),
            ({ headers, status }) => [status, headers.get("x-ignored-fields")] as const
          )
        expect(yield* unread({ shoe: 1, hat: { size: 2 } })).toEqual([200, "shoe, hat"])
        const [status, named] = yield* unread(
          Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${n}`.padStart(40, "k"), 1]))
        )
        expect([status, named!.split(", ").length]).toEqual([200, 20])
        const [, cut] = yield* unread(
          Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${n}`.padStart(400, "k"), 1]))
        )
        expect([cut!.split(", ").length, bytes(cut!) <= ignoredMaxBytes]).toEqual([2, true])
      })
    )

    it.effect("for many faults in few fields", () =>
      Effect.gen(function* () {
        const wrong = {
          assertionType: 1,
          assertion: 1,
          requestedCapabilities: Array.from({ length: 12 }, () => "nothing"),
          requested_scopes: Array.from({ length: 12 }, () => "nothing"),
          type: 1
        }
        const answer = yield* call("POST", "/api/v1/agents/register", { body: registration(wrong) })
        small("register", answer)
        expect([answer.status, answer.body.code, answer.body.errors.length]).toEqual([400, "INVALID_FIELD", errorsMax])
        // A missing field is named even if more errors than the limit precede it.
        const absent = yield* call("POST", "/api/v1/agents/register", {
          body: { ...wrong, agent: { displayName: "A stranger" } }
        })
        expect([absent.body.code, absent.body.errors]).toEqual([
          "MISSING_FIELDS",
          [{ pointer: "/agent/handle", code: "MISSING_FIELDS", detail: "is required" }]
        ])
      })
    )

    it.effect("for a long address", () =>
      Effect.gen(function* () {
        const { key } = yield* arrive()
        const long = "x".repeat(7_000)
        for (const path of [
          `/api/${long}`,
          `/api/v1/tracks/${long}`,
          `/api/v1/agents/${long}`,
          `/api/segments/${long}`,
          `/api/segments?limit=${long}`,
          `/api/segments?${"limit=1&".repeat(900)}`,
          `/api/segments?cursor=${long}`,
          `/api/station?stationSlug=${long}`,
          `/api/station/history?types=${"music,".repeat(1_100)}music`,
          `/api/station/history?before=${long}`,
          `/api/station?${long}${long.slice(0, 2_000)}`
        ]) {
          for (const method of ["GET", "DELETE"]) {
            const answer = yield* call(method, path, { key })
            small(`${method} ${path.slice(0, 40)}`, answer)
            expect([path.slice(0, 60), answer.status]).toEqual([
              path.slice(0, 60),
              expect.toSatisfy((status: number) => status >= 400)
            ])
          }
        }
      })
    )

    it.effect("for a long, unknown or lengthless content type", () =>
      Effect.gen(function* () {
        for (const type of [`application/${"x".repeat(5_000)}+json`, "application/merge-patch+json"]) {
          const answer = yield* call("POST", "/api/v1/agents/register", {
            body: "{}",
            headers: { "content-type": type }
          })
          small(type.slice(0, 40), answer)
          expect([answer.status, answer.body.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"])
        }
      })
    )

    it.effect("for a form", () =>
      Effect.gen(function* () {
        const form = "application/x-www-form-urlencoded"
        const {
          body: { claimUrl }
        } = yield* call("POST", "/api/v1/agents/register", { body: registration() })
        for (const path of [new URL(claimUrl).pathname, "/appeal/nothing", "/account"]) {
          for (const body of ["a=1&".repeat(60_000), `ownerEmail=${"%22".repeat(80_000)}`]) {
            const answer = yield* call("POST", path, {
              body,
              headers: { "content-type": form, origin: "http://radio.test" }
            })
            expect([path, answer.status < 500, bytes(String(answer.body)) < 65_536]).toEqual([path, true, true])
          }
        }
        const parts = new FormData()
        parts.set("audio", new Blob(["x"]), "call.wav")
        for (const part of ["consent", "attribution", "durationSec"])
          parts.set(part, JSON.stringify(Array.from({ length: 7_000 }, () => 1)))
        const encoded = new Response(parts)
        const text = yield* Effect.promise(() => encoded.text())
        small(
          "a call",
          yield* call("POST", "/api/station/call-in", {
            body: text,
            headers: { "content-type": encoded.headers.get("content-type")! }
          })
        )
      })
    )

    it.effect("over MCP", () =>
      Effect.gen(function* () {
        const headers = { accept: "application/json, text/event-stream" }
        const ask = (body: unknown) => call("POST", "/api/mcp", { body, headers })
        const message = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params })
        const batch = yield* ask(Array.from({ length: 100 }, () => message("tools/list")))
        small("a batch", batch)
        expect([batch.status, batch.body.code]).toEqual([400, "INVALID_JSON"])
        for (const params of [
          { name: "x".repeat(200_000) },
          { name: "agents_startClaim", arguments: { requestedScopes: Array.from({ length: many }, () => 1) } },
          { name: "agents_startClaim", arguments: { agentId: "x".repeat(200_000) } },
          { name: "station_history", arguments: { types: "music,".repeat(30_000) } },
          { name: "segments_one", arguments: { id: "x".repeat(200_000) } }
        ]) {
          const { body, status } = yield* ask(message("tools/call", params))
          expect([params.name.slice(0, 20), status < 500, bytes(JSON.stringify(body)) <= 2 * answerMaxBytes]).toEqual([
            params.name.slice(0, 20),
            true,
            true
          ])
        }
      })
    )
  }
)
