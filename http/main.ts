// The package index would also load Redis and undici: 17 MB and 0.25 s.
import { Console, Effect, Layer, Option, Schedule } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { flushCompileCache } from "node:module"
import { CurrentAirOwnership, LeasedAir } from "../engine/ports/AirOwnership.ts"
import { clusterOf, isRunByNpm, StationConfig } from "../engine/runtime/Config.ts"
import { airLeaseMs } from "../engine/rules/air/limits.ts"
import { releaseLookMs } from "../engine/rules/http/limits.ts"
import { fenceProofsOf } from "../engine/runtime/FenceProof.ts"
import { holdDataDir } from "../engine/runtime/DataDir.ts"
import { AirLive } from "../media/chain/Air.ts"
import { FfmpegLive } from "../media/ffmpeg/Ffmpeg.ts"
import { makeAnswerLog } from "./server/AnswerLog.ts"
import { CountFibers, measureFibers } from "./server/FiberCounts.ts"
import { connectionsMax } from "./server/Connections.ts"
import { Listen } from "./stream/Listen.ts"
import { orphaned } from "./server/Orphan.ts"
import { fillListenerPage, frontHead } from "./html/ListenerHead.ts"
import { makePagesHandler, readPages } from "./html/StaticPages.ts"
import { SecretHeaders } from "./auth/SecretHeaders.ts"
import { runProgram, tellRefusal } from "./server/Program.ts"
import { MemoryRelease } from "./server/MemoryRelease.ts"
import { makeServer } from "./server/Server.ts"
import { loadUws } from "./fastpath/Uws.ts"
import { makeUwsServer } from "./fastpath/UwsServer.ts"

const start = Effect.gen(function* () {
  const config = yield* StationConfig
  const { answers, handle, hls, players } = yield* Listen
  let overview: string | undefined
  const pages = makePagesHandler(
    readPages(undefined, (page) => fillListenerPage(page, frontHead(config))),
    () => overview
  )
  const server = yield* makeServer({
    host: config.host,
    port: config.port,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    scale: config.rateLimitScale,
    players,
    noteAnswer: yield* makeAnswerLog,
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
  const places = {
    player: `${config.publicUrl}/`,
    console: `${config.publicUrl}/console`,
    HLS: `${config.publicUrl}/live/index.m3u8`,
    MP3: `${config.publicUrl}/live.mp3`,
    reference: `${config.publicUrl}/docs`,
    data: config.dataDir
  }
  // A program that reads the log reads whole lines of JSON.
  if (config.logFormat === "json")
    yield* Effect.annotateLogs(Effect.logInfo(`${config.stationName} is on the air`), places)
  else
    yield* Console.log(
      `${config.stationName} is on the air\n\n${Object.entries(places)
        .map(([name, place]) => `  ${name.padEnd(9)}  ${place}`)
        .join("\n")}\n`
    )
  // Loaded after the stream: listeners don't wait for the other 90 % of the program.
  const { openApp } = yield* Effect.promise(() => import("./App.ts"))
  const { app, fromMemory, handOver, ...opened } = yield* openApp
  overview = opened.overview
  yield* server.open(app, fromMemory)
  if (uwsServer !== null) yield* uwsServer.open(app)
  // First of all that is done at a stop: listeners need not wait for what this process still has to finish.
  yield* Effect.addFinalizer(() => handOver)
  yield* Effect.logInfo("The API is ready.")
  const memory = new MemoryRelease()
  yield* Effect.sync(() => memory.look()).pipe(
    Effect.andThen(measureFibers),
    Effect.repeat(Schedule.spaced(releaseLookMs)),
    Effect.forkScoped
  )
  // Saves the compile cache for the next start, however this one ends.
  flushCompileCache()
  return yield* Effect.never
}).pipe(Effect.scoped)
const resetCommand = Command.make(
  "reset",
  { name: Argument.String("name") },
  Effect.fnUntraced(function* ({ name }) {
    const { reset } = yield* Effect.promise(() => import("./OperatorReset.ts"))
    if (!(yield* reset(name))) process.exitCode = 1
  })
).pipe(
  Command.withDescription(
    "Remove an operator's second factor, end all sessions and print a new sign-in link; the station may run"
  )
)
/** Below `start`, so that `npm start -- operator reset NAME` reaches it. */
const operatorCommand = Command.make("operator").pipe(
  Command.withDescription("Help operators who can't sign in"),
  Command.withSubcommands([resetCommand])
)
/** One of several processes has no air before it has the lease. */
const withAirOwnership = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(StationConfig, (config) => {
    const cluster = clusterOf(config)
    return cluster === null
      ? effect
      : Effect.provideService(
          effect,
          CurrentAirOwnership,
          new LeasedAir(airLeaseMs, () => performance.now(), fenceProofsOf(cluster.secret))
        )
  })
const startCommand = Command.make("start", {}, () =>
  start.pipe(
    Effect.provide(Listen.layer.pipe(Layer.provideMerge(AirLive), Layer.provideMerge(FfmpegLive))),
    withAirOwnership,
    (onAir) => (isRunByNpm() ? Effect.raceFirst(onAir, orphaned) : onAir),
    (onAir) =>
      Effect.scoped(
        Effect.andThen(
          Effect.flatMap(StationConfig, ({ dataDir }) => holdDataDir(dataDir)),
          onAir
        )
      )
  )
).pipe(Command.withDescription("Put the station on the air"), Command.withSubcommands([operatorCommand]))
const verifyCommand = Command.make(
  "verify-asrun",
  { day: Flag.String("day").pipe(Flag.withDescription("one UTC day, yyyy-mm-dd"), Flag.optional) },
  Effect.fnUntraced(function* ({ day }) {
    const { verify } = yield* Effect.promise(() => import("./VerifyAsRun.ts"))
    if (!(yield* verify(Option.getOrUndefined(day)))) process.exitCode = 1
  })
).pipe(Command.withDescription("Check the as-run log and name the first bad row"))
const rehearseCommand = Command.make(
  "rehearse",
  {
    days: Flag.Finite("days").pipe(
      Flag.withDescription("days to simulate, at most 31"),
      Flag.filter(
        (days) => days > 0 && days <= 31,
        (days) => `days must be more than 0 and at most 31, not ${days}`
      ),
      Flag.withDefault(7)
    ),
    seed: Flag.Int("seed").pipe(Flag.withDescription("random seed"), Flag.withDefault(1)),
    faults: Flag.Boolean("faults").pipe(
      Flag.withDescription("adds missing sounds, holds, emergencies, wrong clocks and late plans"),
      Flag.withDefault(false)
    ),
    demand: Flag.Boolean("demand").pipe(
      Flag.withDescription("adds the agents and listeners of a busy station"),
      Flag.withDefault(false)
    ),
    json: Flag.String("json").pipe(Flag.withDescription("file for all figures"), Flag.optional),
    progress: Flag.Boolean("progress").pipe(
      Flag.withDescription("tells each percent on standard error"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ json, ...ask }) {
    const { simulation } = yield* Effect.promise(() => import("./simulation/SimulationReport.ts"))
    const kept = yield* simulation({ ...ask, json: Option.getOrNull(json) })
    if (kept !== true) process.exitCode = kept === false ? 1 : 2
  })
).pipe(
  Command.withDescription(
    "Simulate the coming week by the station's own rules and report the result; writes nothing to the station"
  )
)
/** Exit code 130 after an interruption, so that a script doesn't continue as if it had succeeded. */
const failOnInterrupt = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.onInterrupt(effect, () =>
    Effect.sync(() => {
      process.exitCode = 130
    })
  )
const backupCommand = Command.make("backup", { file: Argument.String("file") }, ({ file }) =>
  failOnInterrupt(
    Effect.flatMap(
      Effect.promise(() => import("./Backup.ts")),
      ({ backup }) => backup(file)
    )
  )
).pipe(
  Command.withDescription(
    "Write the station's database, media and keys into one encrypted file; the station may be running"
  )
)
const restoreCommand = Command.make("restore", { file: Argument.String("file") }, ({ file }) =>
  failOnInterrupt(
    Effect.flatMap(
      Effect.promise(() => import("./Restore.ts")),
      ({ restore }) => restore(file)
    )
  )
).pipe(Command.withDescription("Make a station from a backup, in an empty DATA_DIR"))
const modelName = Argument.String("name")
const modelsCommand = Command.make("models").pipe(
  Command.withDescription("Voices and recognisers that run on this machine, in DATA_DIR/models"),
  Command.withSubcommands([
    Command.make("list", {}, () =>
      Effect.flatMap(
        Effect.promise(() => import("../media/models/ModelCommand.ts")),
        ({ listModels }) => listModels
      )
    ).pipe(Command.withDescription("The catalog, with licences and sources, and what is there")),
    Command.make("pull", { name: modelName }, ({ name }) =>
      failOnInterrupt(
        Effect.flatMap(
          Effect.promise(() => import("../media/models/ModelCommand.ts")),
          ({ pullModel }) => pullModel(name)
        )
      )
    ).pipe(Command.withDescription("Download, check and unpack a model; a stopped one goes on where it was")),
    Command.make("remove", { name: modelName }, ({ name }) =>
      Effect.flatMap(
        Effect.promise(() => import("../media/models/ModelCommand.ts")),
        ({ removeModel }) => removeModel(name)
      )
    ).pipe(Command.withDescription("Remove a model"))
  ])
)
Command.make("longwave").pipe(
  Command.withDescription("A radio station engine"),
  Command.withSubcommands([startCommand, verifyCommand, rehearseCommand, backupCommand, restoreCommand, modelsCommand]),
  Command.run({ version: "0.1.0" }),
  Effect.provide(Layer.mergeAll(SecretHeaders, CountFibers)),
  Effect.catchTag(["BackupRefused", "CopyRefused", "ModelRefused"], tellRefusal),
  runProgram
)
