import { NodeHttpServer } from "@effect/platform-node"
import { Clock, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { createServer } from "node:http"
import { waitMs } from "../../../bench/instruments/Patience.ts"
import { ReviewRegistryLive } from "../../../actors/Reviewables.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { makeKey } from "../../../engine/runtime/Secrets.ts"
import { AgentsWriter } from "../../../engine/store/agents/Agents.ts"
import { OperatorsWriter } from "../../../engine/store/operations/Operators.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import { ReviewsApi } from "../../../http/api/moderation/Reviews.ts"
import { PublicSegmentsApi, SegmentsApi } from "../../../http/api/segments/Segments.ts"
import { SpeechApi } from "../../../http/api/voices/Speech.ts"
import { VoicesApi } from "../../../http/api/voices/Voices.ts"
import { envelope } from "../../../http/envelope/Envelope.ts"
import { Flood } from "../../../http/envelope/Flood.ts"
import { AgentAuthLive, ReadingLive } from "../../../http/auth/Guards.ts"
import { OperatorAuthLive } from "../../../http/auth/OperatorGuard.ts"
import { ReviewsHandlers } from "../../../http/handlers/moderation/Reviews.ts"
import { PublicSegmentsHandlers, SegmentsHandlers } from "../../../http/handlers/segments/Segments.ts"
import { SpeechHandlers } from "../../../http/handlers/voices/Speech.ts"
import { VoicesHandlers } from "../../../http/handlers/voices/Voices.ts"
import { MediaAudio, VoiceAudio } from "../../../http/files/MediaAudio.ts"
import { anyOf, methodsOfApi } from "../../../http/server/Methods.ts"
import { OwnerMaskLive } from "../../../http/auth/OwnerMask.ts"
import { VoiceSamplesLive } from "../../../media/speech/VoiceSamples.ts"
import { Agent, Persona } from "../../../schema/agents/Agent.ts"
import type { OperatorRole } from "../../../schema/operations/Operator.ts"
import { StudioWorld } from "../segments/StudioWorld.ts"

/** The operations of segments as served, without the other parts of the station. */
const Api = HttpApi.make("longwave").add(SegmentsApi, PublicSegmentsApi, SpeechApi, VoicesApi)

const OpsApi = HttpApi.make("longwaveOps").add(ReviewsApi)

const routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api),
  HttpApiBuilder.layer(OpsApi),
  MediaAudio,
  VoiceAudio,
  envelope(anyOf([methodsOfApi(Api), methodsOfApi(OpsApi)]))
).pipe(
  Layer.provide([
    SegmentsHandlers,
    PublicSegmentsHandlers,
    SpeechHandlers,
    VoicesHandlers,
    ReviewsHandlers.pipe(Layer.provide([OwnerMaskLive, ReviewRegistryLive]))
  ]),
  Layer.provide([AgentAuthLive, OperatorAuthLive, ReadingLive])
)

export const SegmentHttp = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Flood.layer,
      Stores,
      Keys.layer,
      VoiceSamplesLive,
      NodeHttpServer.layer(() => createServer({ keepAliveTimeout: 120_000 }), { port: 0, host: "127.0.0.1" })
    )
  ),
  Layer.provideMerge(StudioWorld)
)

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** Address of the station under test. */
export const baseUrl = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  return "port" in address ? `http://127.0.0.1:${address.port}` : yield* Effect.die("no port")
})

/** One request, without credentials unless a key is given. */
export const call = Effect.fnUntraced(function* (
  method: string,
  path: string,
  ask: { readonly key?: string; readonly body?: unknown; readonly headers?: Record<string, string> } = {}
) {
  const base = yield* baseUrl
  return yield* Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...(ask.key === undefined ? {} : { authorization: `Bearer ${ask.key}` }),
        ...(ask.body === undefined ? {} : { "content-type": "application/json" }),
        ...ask.headers
      },
      ...(ask.body === undefined ? {} : { body: typeof ask.body === "string" ? ask.body : JSON.stringify(ask.body) })
    })
    const text = await response.text()
    let body: unknown = text
    try {
      body = JSON.parse(text)
    } catch {
      // The body is sound, or empty.
    }
    return { status: response.status, headers: response.headers, body }
  })
})

let count = 0

/** An agent that has been claimed, and its key. */
export const makeClaimedAgent = Effect.fnUntraced(function* (over: Partial<typeof Persona.Type> = {}) {
  const agents = yield* AgentsWriter
  const ids = yield* IdSource
  const nowMs = yield* Clock.currentTimeMillis
  const id = yield* ids.make("agt")
  const handle = `agent${++count}`
  const persona = Persona.make({
    handle,
    displayName: `Agent ${count}`,
    bio: null,
    tagline: null,
    role: "hybrid",
    speakingStyle: null,
    specialties: [],
    gender: null,
    entityForm: null,
    syntheticDisclosure: null,
    avatarEntityType: null,
    avatarArchetype: null,
    avatarSignalTraits: [],
    avatarWorldNotes: null,
    ...over
  })
  yield* agents.insertPending(
    Agent.make({
      id,
      persona,
      status: "pending",
      requestedScopes: [],
      ownerEmailHash: null,
      ownerEmailVerified: false,
      suspendedReason: null,
      suspendedUntilMs: null,
      createdAtMs: nowMs,
      claimedAtMs: null,
      lastSeenAtMs: null,
      deletedAtMs: null
    }),
    nowMs + 86_400_000
  )
  const key = makeKey("svc_agent_")
  yield* agents.claim({
    agentId: id,
    ownerEmailHash: `hash-${handle}`,
    ownerEmailSealed: "sealed",
    verified: false,
    consentVersion: "v",
    key: { id: yield* ids.make("key"), publicId: key.publicId, secretSha256: key.secretSha256 },
    atMs: nowMs
  })
  return { id, handle, key: key.text }
})

/** Sends a form. */
export const callForm = Effect.fnUntraced(function* (path: string, key: string, form: FormData, method = "POST") {
  const { address } = yield* HttpServer.HttpServer
  if (!("port" in address)) return yield* Effect.die("no port")
  return yield* Effect.promise(async (): Promise<Answer> => {
    const sent: RequestInit = { method, headers: { authorization: `Bearer ${key}` }, body: form }
    const response = await fetch(`http://127.0.0.1:${address.port}${path}`, sent)
    return { status: response.status, headers: response.headers, body: await response.json() }
  })
})

export const operator = Effect.fnUntraced(function* (role: OperatorRole) {
  const key = makeKey("svc_ops_")
  yield* (yield* OperatorsWriter).save(
    { publicId: key.publicId, secretSha256: key.secretSha256, name: `${role}-${key.publicId}`, role },
    yield* Clock.currentTimeMillis
  )
  return key.text
})

/** Polls until the condition holds; the test's own time limit ends the wait. In real time: a test clock that nobody turns would stop it. */
export const askUntil = <A, E, R>(ask: Effect.Effect<A, E, R>, so: (answer: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.flatMap(ask, (answer) =>
    so(answer)
      ? Effect.succeed(answer)
      : Effect.andThen(
          Effect.promise(() => waitMs(50)),
          askUntil(ask, so)
        )
  )
