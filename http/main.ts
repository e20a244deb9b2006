// Not from the package index, which would load Redis and undici: 17 MB and 0.25 s.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Clock, Console, Effect, Exit, Layer, Metric, Option, References, Runtime, Schedule } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { flushCompileCache } from "node:module"
import { AgentActors, AgentRounds } from "../actors/Actors.ts"
import { verifyAsRun } from "../actors/air/AsRunAudit.ts"
import { JobsLive } from "../actors/Jobs.ts"
import { EventBus } from "../actors/runtime/EventBus.ts"
import { ClaimTokens } from "../engine/runtime/ClaimTokens.ts"
import { ActorCluster } from "../actors/runtime/Cluster.ts"
import { StoreWatchLive } from "../actors/runtime/StoreWatch.ts"
import { StationLive } from "../actors/air/Station.ts"
import { ActorTree } from "../actors/runtime/Supervision.ts"
import { VoiceRegisterLive } from "../actors/voices/VoiceRegister.ts"
import { AsRunKey } from "../engine/runtime/AsRunKey.ts"
import { isRunByNpm, StationConfig } from "../engine/runtime/Config.ts"
import { holdDataDir } from "../engine/runtime/DataDir.ts"
import { IdSource } from "../engine/runtime/IdSource.ts"
import { Keys } from "../engine/runtime/Keys.ts"
import { SmtpMail } from "../engine/runtime/SmtpMail.ts"
import { OpenId } from "../engine/runtime/OpenId.ts"
import { makeKey, sha256, splitKey } from "../engine/runtime/Secrets.ts"
import { HttpOutboundLive } from "../engine/runtime/HttpOutbound.ts"
import { AsRun } from "../engine/store/air/AsRun.ts"
import { Database } from "../engine/store/sql/Database.ts"
import { SoleStation } from "../engine/store/sql/SoleStation.ts"
import { Fences } from "../engine/store/air/Fences.ts"
import { Operators } from "../engine/store/operations/Operators.ts"
import { Stores } from "../engine/store/Stores.ts"
import { AirLive } from "../media/chain/Air.ts"
import { CallsLive } from "../media/ingest/Calls.ts"
import { FfmpegLive } from "../media/ffmpeg/Ffmpeg.ts"
import { MusicLive } from "../media/music/Music.ts"
import { PicturesLive } from "../media/Pictures.ts"
import { PrepareLive } from "../media/prepare/Prepare.ts"
import { SpeechLive } from "../media/speech/Speech.ts"
import { StitchLive } from "../media/prepare/Stitch.ts"
import { VoiceSamplesLive } from "../media/speech/VoiceSamples.ts"
import { WriterLive } from "../media/writer/Writer.ts"
import { Api } from "./api/Api.ts"
import { OpsApi } from "./api/OpsApi.ts"
import { backup } from "./Backup.ts"
import { restore } from "./Restore.ts"
import { alertOfLostKeys } from "./LostKeys.ts"
import { agentsIntro, docsRoutes, operatorsIntro } from "./docs/Docs.ts"
import { AppOrAgentAuthLive } from "./auth/AppGuard.ts"
import { AudienceGuards } from "./auth/AudienceGuard.ts"
import { connectionsMax } from "./server/Connections.ts"
import { envelope } from "./envelope/Envelope.ts"
import { Flood } from "./envelope/Flood.ts"
import { HumanAuthLive } from "./auth/HumanGate.ts"
import { AgentAuthLive, ReadingLive } from "./auth/Guards.ts"
import { EventStreams } from "./stream/events/EventStream.ts"
import { Listen } from "./stream/Listen.ts"
import { RelayLive } from "./stream/ListenRelay.ts"
import { MediaAudio, VoiceAudio } from "./files/MediaAudio.ts"
import { anyOf, methodsOfApi, readOnly } from "./server/Methods.ts"
import { OperatorAuthLive } from "./auth/OperatorGuard.ts"
import { orphaned } from "./server/Orphan.ts"
import { guidesOf } from "./docs/GuideTexts.ts"
import { makePagesHandler, readPages } from "./html/StaticPages.ts"
import { problemPaths, ProblemRoutes } from "./docs/ProblemPages.ts"
import { simulation } from "./simulation/SimulationReport.ts"
import { agentMethods, agentRoutes, handlers, opsHandlers, opsOfAgentsHandlers } from "./Routes.ts"
import { SecretHeaders } from "./auth/SecretHeaders.ts"
import { makeServer } from "./server/Server.ts"
import { SystemRoutes } from "./Health.ts"
import { loadUws } from "./fastpath/Uws.ts"
import { makeUwsServer } from "./fastpath/UwsServer.ts"
import { saveOperator } from "../actors/operations/inTransaction.ts"

const keys = Layer.mergeAll(IdSource.layer, AsRunKey.layer, ClaimTokens.layer, OpenId.layer).pipe(
  Layer.provideMerge(Keys.layer)
)
const store = Stores.pipe(Layer.provideMerge(Database))
const engines = Layer.mergeAll(
  VoiceSamplesLive,
  MusicLive,
  StitchLive,
  WriterLive,
  CallsLive.pipe(Layer.provideMerge(PicturesLive))
).pipe(Layer.provideMerge(Layer.mergeAll(SpeechLive, PrepareLive)))
const actors = Layer.mergeAll(
  StationLive,
  Layer.mergeAll(AgentRounds, JobsLive).pipe(Layer.provideMerge(AgentActors)),
  StoreWatchLive,
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
const routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(Layer.provide([...handlers])),
  HttpApiBuilder.layer(OpsApi).pipe(Layer.provide([...opsOfAgentsHandlers, ...opsHandlers])),
  MediaAudio,
  VoiceAudio,
  ...SystemRoutes,
  ...ProblemRoutes,
  ...agentRoutes,
  ...docsRoutes(Api, "Longwave: the station's interface", agentsIntro, "/api/v1/openapi.json", "/docs"),
  ...docsRoutes(OpsApi, "Longwave: operators", operatorsIntro, "/api/ops/openapi.json", "/api/ops/docs"),
  envelope(
    anyOf([
      methodsOfApi(Api),
      methodsOfApi(OpsApi),
      ...agentMethods,
      readOnly([
        ...problemPaths,
        /^\/api\/ops\/docs$/,
        /^\/$|^\/(healthz|readyz|metrics|docs)$|^\/assets\/[^/]+$/,
        /^\/api\/(v1|ops)\/openapi\.json$/,
        /^\/media\/(audio|voices)\/[^/]+$/
      ])
    ])
  )
).pipe(Layer.provide(guards))
/** The first operator's key: configured, or made at the first start and shown once. */
const firstOperator = Effect.gen(function* () {
  const { operatorToken } = yield* StationConfig
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
  yield* Console.log(`\n  operator token, shown once:  ${made.text}\n`)
})
/** Everything behind the API, built while the air chain runs, and rebuilt if it fails. */
const station = Effect.gen(function* () {
  const bus = yield* EventBus
  const { counts } = yield* Listen
  const tree = yield* ActorTree
  yield* alertOfLostKeys
  yield* firstOperator
  yield* Effect.gen(function* () {
    yield* bus.put("listeners", counts())
    yield* bus.put("actors", yield* tree.nodes)
  }).pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)
})
const start = Effect.gen(function* () {
  const config = yield* StationConfig
  const { answers, handle, hls } = yield* Listen
  let overview: string | undefined
  const pages = makePagesHandler(
    readPages(),
    () => (overview ??= guidesOf(config).find(({ path }) => path === "/llms.txt")!.body)
  )
  const server = yield* makeServer({
    host: config.host,
    port: config.port,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    scale: config.rateLimitScale,
    hls,
    listen: (request, response) => handle(request, response) || pages(request, response)
  })
  const uwsServer =
    config.uwsPort === null
      ? null
      : yield* makeUwsServer({
          uws: yield* loadUws(),
          host: config.host,
          port: config.uwsPort,
          connectionsMax: connectionsMax(),
          hls,
          answers
        })
  yield* Console.log(
    `${config.stationName} is on the air\n\n  player     ${config.publicUrl}/\n  HLS        ${config.publicUrl}/live/index.m3u8\n  MP3        ${config.publicUrl}/live.mp3\n  reference  ${config.publicUrl}/docs\n  data       ${config.dataDir}\n`
  )
  const behind = Layer.mergeAll(actors, EventStreams.layer, Flood.layer, RelayLive).pipe(
    Layer.provideMerge(Layer.mergeAll(engines, SmtpMail, HttpOutboundLive, EventBus.layer, ActorTree.layer)),
    Layer.provideMerge(store),
    Layer.provideMerge(SoleStation),
    Layer.provideMerge(keys)
  )
  const context = yield* Layer.build(behind)
  yield* station.pipe(Effect.provideContext(context))
  const app = yield* HttpRouter.toHttpEffect(routes).pipe(Effect.provideContext(context))
  // Provided once instead of per request: there are hundreds of services.
  yield* Effect.provideContext(server.open(app), context)
  if (uwsServer !== null) yield* Effect.provideContext(uwsServer.open(app), context)
  yield* Effect.logInfo("The API is ready.")
  // Saves the compile cache for the next start, however this one ends.
  flushCompileCache()
  return yield* Effect.never
}).pipe(Effect.scoped)
const startCommand = Command.make("start", {}, () =>
  start.pipe(
    Effect.provide(Listen.layer.pipe(Layer.provideMerge(AirLive), Layer.provideMerge(FfmpegLive))),
    (onAir) => (isRunByNpm() ? Effect.raceFirst(onAir, orphaned) : onAir),
    (onAir) =>
      Effect.scoped(
        Effect.andThen(
          Effect.flatMap(StationConfig, ({ dataDir }) => holdDataDir(dataDir)),
          onAir
        )
      )
  )
).pipe(Command.withDescription("Put the station on the air"))
const verifyCommand = Command.make(
  "verify-asrun",
  { day: Flag.String("day").pipe(Flag.withDescription("one UTC day, yyyy-mm-dd"), Flag.optional) },
  Effect.fn(
    function* ({ day }) {
      const stationId = yield* (yield* Fences).stationId
      const verdict = yield* verifyAsRun(stationId, Option.getOrUndefined(day))
      if (verdict.fault !== null) {
        yield* Console.error(`as-run log: the first bad row is ${JSON.stringify(verdict.fault)}`)
        process.exitCode = 1
        return
      }
      yield* Console.log(
        `as-run log: ${verdict.rows} rows, each bound to the one before and signed, no sample unaccounted for`
      )
    },
    Effect.provide(
      Layer.mergeAll(Fences.layer, AsRun.layer).pipe(Layer.provideMerge(Database), Layer.provideMerge(keys))
    )
  )
).pipe(Command.withDescription("Check the as-run log and name the first bad row"))
const rehearseCommand = Command.make(
  "rehearse",
  {
    days: Flag.Finite("days").pipe(
      Flag.withDescription("how many days to play, 31 at most"),
      Flag.filter(
        (days) => days > 0 && days <= 31,
        (days) => `there are no ${days} days to play`
      ),
      Flag.withDefault(7)
    ),
    seed: Flag.Int("seed").pipe(Flag.withDescription("decides everything that is drawn"), Flag.withDefault(1)),
    faults: Flag.Boolean("faults").pipe(
      Flag.withDescription("with missing sounds, holds, emergencies, wrong clocks and late plans"),
      Flag.withDefault(false)
    ),
    demand: Flag.Boolean("demand").pipe(
      Flag.withDescription("with agents and listeners who bring as much as to a busy station"),
      Flag.withDefault(false)
    ),
    json: Flag.String("json").pipe(Flag.withDescription("a file for all figures"), Flag.optional)
  },
  Effect.fn(function* ({ json, ...ask }) {
    const kept = yield* simulation({ ...ask, json: Option.getOrNull(json) })
    if (kept !== true) process.exitCode = kept === false ? 1 : 2
  })
).pipe(
  Command.withDescription(
    "Play the coming week through the rules in simulated time and say what would be heard; nothing is written"
  )
)
/** What follows an interrupted command must not take it for done. */
const orFails = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.onInterrupt(effect, () =>
    Effect.sync(() => {
      process.exitCode = 130
    })
  )
const backupCommand = Command.make("backup", { file: Argument.String("file") }, ({ file }) =>
  orFails(backup(file))
).pipe(
  Command.withDescription("Write the station's database, media and keys into one encrypted file; it may run meanwhile")
)
const restoreCommand = Command.make("restore", { file: Argument.String("file") }, ({ file }) =>
  orFails(restore(file))
).pipe(Command.withDescription("Make a station from a backup, in an empty DATA_DIR"))
/** Spans without a collector are not created, because every request and query would have one. */
const untraced = Layer.succeed(References.TracerEnabled, false)
const withConfig = Layer.unwrap(
  Effect.map(StationConfig, ({ logLevel }) =>
    Layer.mergeAll(
      Layer.succeed(References.MinimumLogLevel, logLevel),
      untraced,
      SecretHeaders,
      Metric.enableRuntimeMetricsLayer
    )
  )
).pipe(Layer.provideMerge(StationConfig.layer))
Command.make("longwave").pipe(
  Command.withDescription("A radio station engine"),
  Command.withSubcommands([startCommand, verifyCommand, rehearseCommand, backupCommand, restoreCommand]),
  Command.run({ version: "0.1.0" }),
  Effect.provide(withConfig),
  Effect.catchTag(["BadConfig", "BackupRefused", "CopyRefused"], (bad) =>
    Effect.andThen(
      Console.error(bad.message),
      Effect.sync(() => {
        process.exitCode = 1
      })
    )
  ),
  Effect.provide([NodeServices.layer, NodeHttpServer.layerHttpServices]),
  // An orderly stop of the station exits with 0; otherwise supervisors would restart the process.
  NodeRuntime.runMain({
    teardown: (exit, onExit) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
        ? onExit(Number(process.exitCode ?? 0))
        : Runtime.defaultTeardown(exit, onExit)
  })
)
