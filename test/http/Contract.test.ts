import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import { afterAll, describe, expect, it as plain } from "vitest"
import { Api } from "../../http/api/Api.ts"
import { OpsApi } from "../../http/api/OpsApi.ts"
import { findUndescribed } from "../support/http/Described.ts"
import { AgentHttp, arrive } from "../support/http/AgentHttp.ts"
import { QuietStation } from "../support/station/QuietStation.ts"
import { blog, blogSuccesses } from "../support/scenes/Blog.ts"
import { adoptionBoard, adoptionBoardSuccesses } from "../support/scenes/AdoptionBoard.ts"
import { broadcast, broadcastSuccesses } from "../support/scenes/Broadcast.ts"
import { catalogScenes, catalogSuccesses } from "../support/scenes/Catalog.ts"
import { chatScenes, chatSuccesses } from "../support/scenes/Chat.ts"
import { checkin, checkinElsewhere, checkinSuccesses } from "../support/scenes/Checkin.ts"
import { app, credentials, credentialsElsewhere, credentialsSuccesses } from "../support/scenes/Credentials.ts"
import { engagement, engagementElsewhere, engagementSuccesses } from "../support/scenes/Engagement.ts"
import { gallery, galleryElsewhere, gallerySuccesses } from "../support/scenes/Gallery.ts"
import { highlights, highlightsSuccesses } from "../support/scenes/Highlights.ts"
import { listeners, listenersElsewhere, listenersSuccesses } from "../support/scenes/Listeners.ts"
import { council, councilSuccesses } from "../support/scenes/Council.ts"
import { peers, peersSuccesses } from "../support/scenes/Peers.ts"
import { lore, loreSuccesses } from "../support/scenes/Lore.ts"
import { mediaUploads, mediaUploadsSuccesses } from "../support/scenes/MediaUploads.ts"
import { messages, messagesElsewhere, messagesSuccesses } from "../support/scenes/Messages.ts"
import { onboarding, onboardingElsewhere, onboardingSuccesses } from "../support/scenes/Onboarding.ts"
import { panelScenes, panelSuccesses } from "../support/scenes/Panels.ts"
import { persona, personaElsewhere, personaSuccesses } from "../support/scenes/Persona.ts"
import { plansElsewhere, plansScenes, plansSuccesses } from "../support/scenes/Plans.ts"
import { replays, replaysElsewhere, replaysSuccesses } from "../support/scenes/Replays.ts"
import { productions, productionsSuccesses } from "../support/scenes/Productions.ts"
import { requests, requestsElsewhere, requestsSuccesses } from "../support/scenes/Requests.ts"
import { remixes, remixSuccesses } from "../support/scenes/Remixes.ts"
import { musicRequests, musicRequestsElsewhere, musicRequestsSuccesses } from "../support/scenes/MusicRequests.ts"
import { tracks, tracksSuccesses } from "../support/scenes/Tracks.ts"
import type { Elsewhere, Scenes, Successes } from "../support/scenes/Scene.ts"
import { social, socialElsewhere, socialSuccesses } from "../support/scenes/Social.ts"
import { stationElsewhere, stationScenes, stationSuccesses } from "../support/scenes/Station.ts"
import { voices, voicesElsewhere, voicesSuccesses } from "../support/scenes/Voices.ts"
import { webhooks, webhooksElsewhere, webhooksSuccesses } from "../support/scenes/Webhooks.ts"
import { onAir } from "../support/air/OnAir.ts"
import { call, operator } from "../support/http/SegmentHttp.ts"
import { listener } from "../support/listeners/Listeners.ts"
import { CostTable } from "../support/http/CostTable.ts"
import { StatementCount } from "../support/http/StatementCount.ts"

interface Operation {
  readonly section: string
  readonly method: string
  readonly path: string
  readonly auth: string | ReadonlyArray<string>
  readonly success: number
  readonly errors: ReadonlyArray<{ readonly status: number; readonly code: string | null }>
}

const { operations } = JSON.parse(readFileSync(new URL("../contract/contract.json", import.meta.url), "utf8")) as {
  readonly operations: ReadonlyArray<Operation>
}
const spec = JSON.parse(JSON.stringify(OpenApi.fromApi(Api))) as {
  readonly openapi: string
  readonly paths: Record<
    string,
    Record<
      string,
      {
        readonly responses: Record<string, unknown>
        readonly security?: ReadonlyArray<unknown>
        readonly "x-additive"?: boolean
      }
    >
  >
  readonly components: { readonly schemas: Record<string, unknown> }
}
const declared = ({ method, path }: Operation) => spec.paths[path]?.[method.toLowerCase()]
const served = operations.filter((operation) => declared(operation) !== undefined)
const named = ({ method, path }: Operation) => `${method} ${path}`

/** All that a response refers to, written out. */
const whole = (part: unknown, depth = 0): string => {
  const text = JSON.stringify(part ?? "")
  const names = [...text.matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name!)
  return depth > 4 ? text : text + names.map((name) => whole(spec.components.schemas[name], depth + 1)).join("")
}

describe("the OpenAPI document", () => {
  plain("is OpenAPI 3.1 and has exactly the contract's operations and the additive ones", () => {
    expect(spec.openapi).toMatch(/^3\.1/)
    expect(served.length).toBeGreaterThanOrEqual(23)
    const known = new Set(operations.map(named))
    const marks = (paths: typeof spec.paths) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(
          ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation["x-additive"] === true] as const
        )
      )
    expect(marks(spec.paths).filter(([name, additive]) => known.has(name) === additive)).toEqual([])
    const ops = JSON.parse(JSON.stringify(OpenApi.fromApi(OpsApi))) as typeof spec
    expect(marks(ops.paths).length).toBeGreaterThan(10)
    expect(marks(ops.paths).filter(([, additive]) => !additive)).toEqual([])
  })

  plain.each(served.map((operation) => [named(operation), operation] as const))(
    "%s declares its success and every code of its row",
    (_, operation) => {
      const { responses, security } = declared(operation)!
      expect(Object.keys(responses)).toContain(String(operation.success))
      for (const { code, status } of operation.errors) {
        expect([status, responses[status] !== undefined]).toEqual([status, true])
        if (code !== null) expect([code, whole(responses[status]).includes(`"${code}"`)]).toEqual([code, true])
      }
      if (operation.auth === "agent")
        expect([security?.length ?? 0, whole(responses["401"]).includes("INVALID_API_KEY")]).toEqual([1, true])
      if (operation.auth === "public") expect(security ?? []).toEqual([])
    }
  )
})

const scenes: Scenes = {
  ...mediaUploads,
  ...panelScenes,
  ...productions,
  ...lore,
  ...blog,
  ...highlights,
  ...council,
  ...peers,
  ...onboarding,
  ...credentials,
  ...persona,
  ...voices,
  ...gallery,
  ...checkin,
  ...webhooks,
  ...social,
  ...engagement,
  ...broadcast,
  ...catalogScenes,
  ...stationScenes,
  ...chatScenes,
  ...listeners,
  ...replays,
  ...requests,
  ...tracks,
  ...musicRequests,
  ...remixes,
  ...adoptionBoard,
  ...messages,
  ...plansScenes
}
const successes: Successes = {
  ...productionsSuccesses,
  ...broadcastSuccesses,
  ...mediaUploadsSuccesses,
  ...panelSuccesses,
  ...loreSuccesses,
  ...blogSuccesses,
  ...highlightsSuccesses,
  ...councilSuccesses,
  ...peersSuccesses,
  ...onboardingSuccesses,
  ...catalogSuccesses,
  ...chatSuccesses,
  ...credentialsSuccesses,
  ...personaSuccesses,
  ...voicesSuccesses,
  ...gallerySuccesses,
  ...checkinSuccesses,
  ...webhooksSuccesses,
  ...socialSuccesses,
  ...engagementSuccesses,
  ...stationSuccesses,
  ...listenersSuccesses,
  ...replaysSuccesses,
  ...requestsSuccesses,
  ...tracksSuccesses,
  ...musicRequestsSuccesses,
  ...remixSuccesses,
  ...adoptionBoardSuccesses,
  ...messagesSuccesses,
  ...plansSuccesses
}
const elsewhere: Elsewhere = {
  ...onboardingElsewhere,
  ...credentialsElsewhere,
  ...personaElsewhere,
  ...voicesElsewhere,
  ...galleryElsewhere,
  ...checkinElsewhere,
  ...webhooksElsewhere,
  ...socialElsewhere,
  ...engagementElsewhere,
  ...stationElsewhere,
  ...listenersElsewhere,
  ...replaysElsewhere,
  ...requestsElsewhere,
  ...musicRequestsElsewhere,
  ...messagesElsewhere,
  ...plansElsewhere
}

const costs = new CostTable(new URL("statements.tsv", import.meta.url))
afterAll(() => costs.save())

/** The parts of the contract that have to be there as a whole, but for what is named. */
const parts: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  ["4.1 to 4.4", ["4.1", "4.2", "4.3", "4.4"], []],
  ["4.5", ["4.5"], []],
  ["4.6", ["4.6"], []],
  ["4.7", ["4.7"], []],
  ["4.8 and 4.10", ["4.8", "4.10"], []],
  ["4.9", ["4.9"], []],
  ["4.11", ["4.11"], []],
  ["4.12", ["4.12"], []]
]
const at = (body: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce(
      (part: unknown, name) =>
        part === null || part === undefined ? undefined : (part as Record<string, unknown>)[name],
      body
    )
/** Streams of events or sound. */
const endless = /^\/api\/station\/(listen|chat\/events)$/
/** A caller with its credentials, and the kinds of access that these give. */
interface Caller {
  readonly headers: Record<string, string>
  readonly is: ReadonlyArray<string>
}
/** An id of nothing: whoever is let in is told so, whoever isn't is not. */
const somewhere = (path: string) =>
  path.replaceAll("{voiceId}", "voice_ada").replaceAll(/\{\w+\}/g, "nothing_00000000000000000000000000")

layer(
  QuietStation.pipe(
    Layer.provideMerge(AgentHttp({ ALLOW_PRIVATE_CALLBACKS: "on" })),
    Layer.provideMerge(StatementCount.layer)
  ),
  { excludeTestServices: true }
)("the contract's rows", (it) => {
  for (const operation of served) {
    it.effect(`${named(operation)} refuses as its row says`, () =>
      Effect.gen(function* () {
        expect([named(operation), named(operation) in scenes]).toEqual([named(operation), true])
        for (const { code, status } of operation.errors) {
          const why = elsewhere[`${named(operation)} ${code}`]
          if (why !== undefined) {
            yield* Effect.sync(() => console.info(`${named(operation)} ${code} is not produced here: ${why}`))
            continue
          }
          const scene = scenes[named(operation)]![code ?? String(status)]
          expect([code ?? status, scene !== undefined]).toEqual([code ?? status, true])
          const answer = yield* scene!
          const { body, headers, status: got } = answer
          expect(findUndescribed(operation.method, operation.path, answer)).toEqual([])
          expect([code, got, code === null ? typeof body.code : body.code, headers.get("content-type")]).toEqual([
            code,
            status,
            code === null ? "string" : code,
            "application/problem+json"
          ])
          if (status === 429 || code === "STATION_TTS_QUOTA_EXHAUSTED" || code === "IDEMPOTENCY_KEY_IN_PROGRESS")
            expect([code, Number(headers.get("retry-after")) > 0]).toEqual([code, true])
          if (status === 413) expect(body.suggestedSplit.length).toBeGreaterThan(1)
          if (status === 401) expect(headers.get("www-authenticate")).toContain("resource_metadata=")
          expect(headers.get("x-request-id")).toBe(body.requestId)
        }
      })
    )
  }

  for (const operation of served.filter((operation) => named(operation) in successes)) {
    it.effect(`${named(operation)} answers as its row says`, () =>
      Effect.gen(function* () {
        const { ask, fields } = successes[named(operation)]!
        const counts = yield* StatementCount
        counts.clear()
        const answer = yield* ask
        const { body, headers, status } = answer
        expect(findUndescribed(operation.method, operation.path, answer)).toEqual([])
        expect([status, body.code, body.detail, body.errors]).toEqual([
          operation.success,
          undefined,
          undefined,
          undefined
        ])
        expect(headers.get("x-request-id")).not.toBe(null)
        expect(fields.filter((field) => at(body, field) === undefined)).toEqual([])
        costs.check(named(operation), counts.lastOf(operation.method, operation.path))
      })
    )
  }

  it.effect(
    "let nobody in who isn't meant, and everybody who is: strangers, wrong keys, agents, listeners, programs and operators",
    () =>
      Effect.gen(function* () {
        yield* onAir
        const { key } = yield* arrive()
        const callers: Readonly<Record<string, Caller>> = {
          "a stranger": { headers: {}, is: [] },
          "nonsense as a key": { headers: { authorization: "Bearer nonsense" }, is: [] },
          "another key of the agent": { headers: { authorization: `Bearer ${key.slice(0, -8)}AAAAAAAA` }, is: [] },
          "an agent": { headers: { authorization: `Bearer ${key}` }, is: ["agent", "host", "track-owner"] },
          "a listener": { headers: { "x-listener-token": (yield* listener()).token }, is: ["listener"] },
          "a program": { headers: { "x-app-key": (yield* app()).key }, is: ["app"] },
          "an operator": { headers: { authorization: `Bearer ${yield* operator("admin")}` }, is: [] }
        }
        const wrong: Array<unknown> = []
        for (const [caller, { headers, is }] of Object.entries(callers))
          for (const operation of served) {
            const path = somewhere(operation.path)
            const writes = operation.method !== "GET"
            // Streams don't end by themselves, and what is written here is only rehearsed.
            const method = endless.test(path) ? "HEAD" : operation.method
            const answer = yield* call(method, writes ? `${path}?dryRun=true` : path, {
              headers: { ...headers, "idempotency-key": "walk" },
              ...(["POST", "PATCH", "PUT"].includes(operation.method) ? { body: {} } : {})
            })
            const { auth } = operation
            const { status } = answer
            const { code } = answer.body
            const told = [caller, named(operation), status, code]
            // A listener needs an account to chat.
            const isGuest = caller === "a listener" && code === "SIGN_IN_REQUIRED"
            const mayEnter =
              !isGuest && (typeof auth === "string" ? [auth] : auth).some((one) => one === "public" || is.includes(one))
            const isRefused = status === 401 || (auth === "listener" && status === 403)
            if (isRefused === mayEnter || status >= 500) wrong.push(told)
            else if (!mayEnter && auth === "agent") {
              const asks = answer.headers.get("www-authenticate")?.startsWith("Bearer ")
              if (code !== "INVALID_API_KEY" || asks !== true) wrong.push(told)
            }
            if (method !== "HEAD" && findUndescribed(operation.method, path, answer).length > 0)
              wrong.push([...told, ...findUndescribed(operation.method, path, answer)])
          }
        expect(wrong).toEqual([])
      }),
    120_000
  )
})

plain("the whole contract is proven", () => {
  const proven = operations.filter(
    (operation) => declared(operation) !== undefined && named(operation) in scenes && named(operation) in successes
  )
  console.info(`${proven.length} of ${operations.length}`)
  expect(operations.filter((operation) => !proven.includes(operation)).map(named)).toEqual([])
})

plain.each(parts)("proven share of %s", (name, sections, missing) => {
  const whole = operations.filter(({ section }) => sections.includes(section))
  const proven = whole.filter(
    (operation) => declared(operation) !== undefined && named(operation) in scenes && named(operation) in successes
  )
  const unproduced = whole
    .flatMap((operation) => operation.errors.map(({ code, status }) => `${named(operation)} ${code ?? status}`))
    .filter((row) => row in elsewhere)
  console.info(
    `${name}: ${proven.length} of ${whole.length}${unproduced.length === 0 ? "" : `; not produced there: ${unproduced.join(", ")}`}`
  )
  expect(
    whole
      .map(named)
      .filter((operation) => !proven.some((one) => named(one) === operation))
      .sort()
  ).toEqual([...missing].sort())
})
