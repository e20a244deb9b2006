// Compiled schemas decode ten times as fast. Must be imported before the first schema.
import "effect/schema/SchemaJITCompiler/enable"
import { Clock, Console, Context, Effect, Layer, Schedule, type Scope } from "effect"
import { HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AgentActors, AgentWorkers } from "../actors/Actors.ts"
import { JobsLive } from "../actors/Jobs.ts"
import { ChangeNews } from "../actors/runtime/ChangeNews.ts"
import { EventBus } from "../actors/runtime/EventBus.ts"
import { RestartNews } from "../actors/runtime/RestartNews.ts"
import { ClaimTokens } from "../engine/runtime/ClaimTokens.ts"
import { AirHandover } from "../actors/runtime/AirHandover.ts"
import { ActorCluster } from "../actors/runtime/Cluster.ts"
import { LogFeedLive } from "../actors/operations/LogFeed.ts"
import { AlertWatchLive } from "../actors/operations/AlertWatch.ts"
import { OpsFeedLive } from "../actors/operations/OpsFeed.ts"
import { StoreWatchLive } from "../actors/runtime/StoreWatch.ts"
import { DisclosureFeedLive } from "../actors/air/DisclosureFeed.ts"
import { MeterFeedLive } from "../actors/air/MeterFeed.ts"
import { StationLive } from "../actors/air/Station.ts"
import { ActorTree } from "../actors/runtime/Supervision.ts"
import { ProviderWatchLive } from "../actors/music/ProviderWatch.ts"
import { SpeechWatchLive } from "../actors/voices/SpeechWatch.ts"
import { VoiceRegisterLive } from "../actors/voices/VoiceRegister.ts"
import { AsRunKey } from "../engine/runtime/AsRunKey.ts"
import { clusterOf, StationConfig } from "../engine/runtime/Config.ts"
import { IdSource } from "../engine/runtime/IdSource.ts"
import { Keys } from "../engine/runtime/Keys.ts"
import { SmtpMail } from "../engine/runtime/SmtpMail.ts"
import { OpenId } from "../engine/runtime/OpenId.ts"
import { makeKey, sha256, splitKey } from "../engine/runtime/Secrets.ts"
import { HttpOutboundLive } from "../engine/runtime/HttpOutbound.ts"
import { Database } from "../engine/store/sql/Database.ts"
import { SoleStation } from "../engine/store/sql/SoleStation.ts"
import { Operators } from "../engine/store/operations/Operators.ts"
import { Stores } from "../engine/store/Stores.ts"
import { CallsLive } from "../media/ingest/Calls.ts"
import { MusicLive } from "../media/music/MusicLive.ts"
import { MusicProvidersLive } from "../media/music/providers/MusicProviders.ts"
import { PicturesLive } from "../media/Pictures.ts"
import { PrepareLive } from "../media/prepare/Prepare.ts"
import { SpeechLive } from "../media/speech/engines/Engines.ts"
import { OwnKeySpeechLive } from "../media/speech/engines/OwnKeys.ts"
import { StitchLive } from "../media/prepare/Stitch.ts"
import { VoiceSamplesLive } from "../media/speech/VoiceSamples.ts"
import { WriterLive } from "../media/writer/Writer.ts"
import { BackupProcess } from "./BackupProcess.ts"
import { RehearsalProcess } from "./RehearsalProcess.ts"
import { Api } from "./api/Api.ts"
import { OpsApi } from "./api/OpsApi.ts"
import { signInLinkHours } from "../engine/rules/operations/limits.ts"
import { signInUrl } from "./api/auth/SignInUrl.ts"
import { alertOfLostKeys } from "./LostKeys.ts"
import { agentsIntro, docsRoutes, operatorsIntro } from "./docs/Docs.ts"
import { AppOrAgentAuthLive } from "./auth/AppGuard.ts"
import { AudienceGuards } from "./auth/AudienceGuard.ts"
import { envelope } from "./envelope/Envelope.ts"
import { Flood } from "./envelope/Flood.ts"
import { FloodNews } from "./envelope/FloodNews.ts"
import { publicAnswers, PublicAnswers } from "./envelope/PublicAnswers.ts"
import { HumanAuthLive } from "./auth/HumanGate.ts"
import { AgentAuthLive, ReadingLive } from "./auth/Guards.ts"
import { EventStreams } from "./stream/events/EventStream.ts"
import { Listen } from "./stream/Listen.ts"
import { LiveSoundLive } from "./stream/LiveSoundLive.ts"
import { RelayLive } from "./stream/ListenRelay.ts"
import { MediaAudio, VoiceAudio } from "./files/MediaAudio.ts"
import { anyOf, methodsOfApi, readOnly } from "./server/Methods.ts"
import { OperatorAuthLive } from "./auth/OperatorGuard.ts"
import { showProblem } from "./html/BrowserProblem.ts"
import { consolePath } from "./html/StaticPages.ts"
import { guidesOf } from "./docs/GuideTexts.ts"
import { problemPaths, ProblemRoutes } from "./docs/ProblemPages.ts"
import { agentMethods, agentRoutes, handlers, opsHandlers, opsOfAgentsHandlers } from "./Routes.ts"
import { MetricsRoute, Probes } from "./Health.ts"
import { addFirstOperator, saveOperator } from "../actors/operations/inTransaction.ts"

const keys = Layer.mergeAll(IdSource.layer, AsRunKey.layer, ClaimTokens.layer, OpenId.layer).pipe(
  Layer.provideMerge(Keys.layer)
)
const store = Stores.pipe(Layer.provideMerge(Database))
const engines = Layer.mergeAll(
  VoiceSamplesLive,
  StitchLive,
  WriterLive,
  OwnKeySpeechLive.pipe(Layer.provide(HttpOutboundLive)),
  Layer.mergeAll(CallsLive, MusicLive, MusicProvidersLive.pipe(Layer.provide(HttpOutboundLive))).pipe(
    Layer.provideMerge(PicturesLive)
  )
).pipe(Layer.provideMerge(Layer.mergeAll(SpeechLive, PrepareLive)))
/** Loaded by one of several processes. */
const standby = Layer.unwrap(
  Effect.gen(function* () {
    const cluster = clusterOf(yield* StationConfig)
    if (cluster === null) return Layer.empty
    const { standbyLive } = yield* Effect.promise(() => import("../actors/air/Standby.ts"))
    return standbyLive(cluster)
  })
)
const actors = Layer.mergeAll(
  StationLive,
  standby,
  Layer.mergeAll(AgentWorkers, JobsLive).pipe(Layer.provideMerge(AgentActors)),
  StoreWatchLive,
  OpsFeedLive,
  MeterFeedLive,
  DisclosureFeedLive,
  AlertWatchLive,
  SpeechWatchLive,
  ProviderWatchLive,
  VoiceRegisterLive
).pipe(Layer.provideMerge(ActorCluster))
const guards = Layer.mergeAll(
  ReadingLive,
  AgentAuthLive,
  AppOrAgentAuthLive,
  AudienceGuards,
  OperatorAuthLive,
  HumanAuthLive
)
/** Routes beside the two interfaces. Each is given the services that it is built with, as those of an interface are by themselves. */
const otherRoutes = Layer.mergeAll(
  MediaAudio,
  VoiceAudio,
  MetricsRoute,
  ...ProblemRoutes,
  ...agentRoutes,
  ...docsRoutes(Api, "Longwave: the station's interface", agentsIntro, "/api/v1/openapi.json", "/docs"),
  ...docsRoutes(OpsApi, "Longwave: operators", operatorsIntro, "/api/ops/openapi.json", "/api/ops/docs")
).pipe(HttpRouter.provideRequest(Layer.effectContext(Effect.context<never>())))
const routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(Layer.provide([...handlers])),
  HttpApiBuilder.layer(OpsApi).pipe(Layer.provide([...opsOfAgentsHandlers, ...opsHandlers])),
  Probes,
  otherRoutes,
  envelope(
    anyOf([
      methodsOfApi(Api),
      methodsOfApi(OpsApi),
      ...agentMethods,
      readOnly([
        ...problemPaths,
        /^(\/api\/ops)?\/docs(\/plain)?$/,
        consolePath,
        /^\/$|^\/(healthz|readyz|metrics)$|^\/assets\/[^/]+$/,
        /^\/api\/(v1|ops)\/openapi\.json$/,
        /^\/media\/(audio|voices)\/[^/]+$/
      ])
    ]),
    showProblem
  )
).pipe(Layer.provide(guards))
/** The first operator's key: configured, or made at the first start and shown once. */
const firstOperator = Effect.gen(function* () {
  const { operatorToken, publicUrl } = yield* StationConfig
  const operators = yield* Operators
  const atMs = yield* Clock.currentTimeMillis
  if (operatorToken !== null) {
    const { publicId, secret } = splitKey("svc_ops_", operatorToken)!
    return yield* saveOperator({ publicId, secretSha256: sha256(secret), name: "OPERATOR_TOKEN", role: "admin" }, atMs)
  }
  if (yield* operators.hasAny) return
  const made = makeKey("svc_ops_")
  yield* saveOperator(
    { publicId: made.publicId, secretSha256: made.secretSha256, name: "first operator", role: "admin" },
    atMs
  )
  const signInToken = yield* addFirstOperator
  yield* Console.log(
    `\n  open the console, once, within ${signInLinkHours} h:  ${signInUrl(publicUrl, signInToken)}\n  operator token for programs, shown once:  ${made.text}\n`
  )
})
/** Overview of the station for programs that request text/markdown. */
const overview = Effect.map(StationConfig, (config) => guidesOf(config).find(({ path }) => path === "/llms.txt")!.body)
/** Publishes the number of listeners and the state of the actors every second. */
const reports = Effect.gen(function* () {
  const bus = yield* EventBus
  const { count } = yield* Listen
  const tree = yield* ActorTree
  yield* Effect.gen(function* () {
    yield* bus.put("listeners", count())
    yield* bus.put("actors", yield* tree.nodes)
  }).pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)
})
/**
 * Everything behind the stream and the pages, for as long as the scope lasts: store, engines, actors and the API.
 * It waits for a database that doesn't answer. `app` answers requests.
 */
export const openApp = Effect.gen(function* () {
  const context = yield* Layer.build(
    Layer.mergeAll(
      actors,
      EventStreams.layer,
      Layer.mergeAll(publicAnswers, FloodNews).pipe(Layer.provideMerge(Flood.layer)),
      ChangeNews,
      RestartNews,
      RelayLive,
      LiveSoundLive
    ).pipe(
      Layer.provideMerge(
        Layer.mergeAll(engines, BackupProcess, RehearsalProcess, SmtpMail, HttpOutboundLive, ActorTree.layer)
      ),
      Layer.provideMerge(LogFeedLive.pipe(Layer.provideMerge(EventBus.layer))),
      Layer.provideMerge(store),
      Layer.provideMerge(SoleStation),
      Layer.provideMerge(keys)
    )
  )
  yield* Effect.provideContext(Effect.all([alertOfLostKeys, firstOperator, reports], { discard: true }), context)
  // All routes have their services by now, which the types of the router don't say. A request brings few of its own: effect copies them with
  // those of the route, and copying hundreds twice would take as long as a statement.
  const app = (yield* HttpRouter.toHttpEffect(routes).pipe(Effect.provideContext(context))) as Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    unknown,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >
  return {
    app,
    fromMemory: Context.get(context, PublicAnswers).serve,
    handOver: Context.get(context, AirHandover).handOver,
    overview: yield* overview
  }
})
