import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer, Logger, References, Runtime } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"

/** The configuration, and logs as it asks for them. Spans without a collector are not created: every request and query would have one. */
const configured = Layer.unwrap(
  Effect.map(StationConfig, ({ logFormat, logLevel }) =>
    Layer.mergeAll(
      logFormat === "json" ? Logger.layer([Logger.consoleJson]) : Layer.empty,
      Layer.succeed(References.MinimumLogLevel, logLevel),
      Layer.succeed(References.TracerEnabled, false),
      Layer.succeed(References.TracerTimingEnabled, false)
    )
  )
).pipe(Layer.provideMerge(StationConfig.layer))

/** Tells on standard error why a command is refused; the exit code is 1. */
export const tellRefusal = (refused: { readonly message: string }): Effect.Effect<void> =>
  Effect.andThen(
    Console.error(refused.message),
    Effect.sync(() => {
      process.exitCode = 1
    })
  )

type Given = NodeServices.NodeServices | Layer.Success<typeof NodeHttpServer.layerHttpServices> | StationConfig
/** Runs a command line and ends the process. Wrong configuration is printed. An orderly stop exits with 0, or supervisors would restart the process. */
export const runProgram = <E extends { readonly message: string }>(program: Effect.Effect<void, E, Given>): void =>
  program.pipe(
    Effect.provide(configured),
    Effect.catchTag("BadConfig", tellRefusal),
    Effect.provide([NodeServices.layer, NodeHttpServer.layerHttpServices]),
    NodeRuntime.runMain({
      teardown: (exit, onExit) =>
        Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
          ? onExit(Number(process.exitCode ?? 0))
          : Runtime.defaultTeardown(exit, onExit)
    })
  )
