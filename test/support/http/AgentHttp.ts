import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { createServer } from "node:http"
import { Api } from "../../../http/api/Api.ts"
import { numberedFrames } from "../../../bench/instruments/sounds/NumberedFrames.ts"
import { Live } from "../../../engine/ports/Live.ts"
import { opsOfAgents } from "../../../http/api/OpsApi.ts"
import { AppOrAgentAuthLive } from "../../../http/auth/AppGuard.ts"
import { AudienceGuards } from "../../../http/auth/AudienceGuard.ts"
import { showProblem } from "../../../http/html/BrowserProblem.ts"
import { envelope } from "../../../http/envelope/Envelope.ts"
import { Flood } from "../../../http/envelope/Flood.ts"
import { publicAnswers } from "../../../http/envelope/PublicAnswers.ts"
import { AgentAuthLive, ReadingLive } from "../../../http/auth/Guards.ts"
import { Listen } from "../../../http/stream/Listen.ts"
import { RelayLive } from "../../../http/stream/ListenRelay.ts"
import { HumanAuthLive } from "../../../http/auth/HumanGate.ts"
import { OperatorAuthLive } from "../../../http/auth/OperatorGuard.ts"
import { EventStreams } from "../../../http/stream/events/EventStream.ts"
import { MediaAudio } from "../../../http/files/MediaAudio.ts"
import { anyOf, methodsOfApi } from "../../../http/server/Methods.ts"
import { agentMethods, agentRoutes, handlers, opsOfAgentsHandlers } from "../../../http/Routes.ts"
import { makeLiveDouble } from "../../../bench/instruments/servers/LiveDouble.ts"
import { awaitMail, codeFor } from "../people/MailDouble.ts"
import { OnboardingWorld } from "../agents/OnboardingWorld.ts"
import { call } from "./SegmentHttp.ts"

const OpsApi = HttpApi.make("longwaveOps").add(...opsOfAgents)
const routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api),
  HttpApiBuilder.layer(OpsApi),
  MediaAudio,
  ...agentRoutes,
  envelope(anyOf([methodsOfApi(Api), methodsOfApi(OpsApi), ...agentMethods]), showProblem)
).pipe(
  Layer.provide([...handlers, ...opsOfAgentsHandlers]),
  Layer.provide([AgentAuthLive, AppOrAgentAuthLive, AudienceGuards, OperatorAuthLive, HumanAuthLive, ReadingLive])
)
/** A stream that begins and then sends nothing more. */
const ShortRelay = RelayLive.pipe(
  Layer.provide(Listen.layer),
  Layer.provide(
    Layer.sync(Live, () => {
      const { live, setBurst } = makeLiveDouble()
      setBurst([numberedFrames(0, 20)])
      return live
    })
  )
)
/** A real server over a real database; `given` is its environment. */
export const AgentHttp = (given: Record<string, string> = {}) =>
  HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        publicAnswers.pipe(Layer.provideMerge(Flood.layer)),
        EventStreams.layer,
        ShortRelay,
        NodeHttpServer.layer(() => createServer({ keepAliveTimeout: 120_000 }), { port: 0, host: "127.0.0.1" })
      )
    ),
    Layer.provideMerge(OnboardingWorld({ RATE_LIMIT_SCALE: "1000", ...given }))
  )
let count = 0
export const newHandle = (): string => `stranger${++count}`
export const registration = (over: object = {}, agent: object = {}) => ({
  type: "anonymous",
  agent: { handle: newHandle(), displayName: "A stranger", ...agent },
  ...over
})
/** Registers and claims over HTTP; returns the agent and its key. */
export const arrive = Effect.fnUntraced(function* (agent: object = {}, over: object = {}) {
  const registered = yield* call("POST", "/api/v1/agents/register", { body: registration(over, agent) })
  const { agentId, claimCode, handle } = registered.body
  const claimed = yield* call("POST", "/api/v1/agents/claim/complete", {
    body: { claimCode, ownerEmail: `${handle}@example.org`, consentGiven: true }
  })
  return { id: agentId as string, handle: handle as string, key: claimed.body.apiKey as string }
})
/** The code mailed to an address; waits for the mail. */
export const awaitMailedCode = (to: string) => awaitMail((letters) => codeFor(letters, to))
