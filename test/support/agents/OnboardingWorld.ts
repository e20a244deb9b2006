import { Effect, FileSystem, Layer } from "effect"
import { NodeServices } from "@effect/platform-node"
import { TestRunner } from "effect/cluster"
import { AgentActors, AgentWorkers } from "../../../actors/Actors.ts"
import { allJobs } from "../../../actors/Jobs.ts"
import { jobWorker } from "../../../actors/runtime/JobWorker.ts"
import { readJobs } from "../../../actors/segments/ScriptWorker.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { ClaimTokens } from "../../../engine/runtime/ClaimTokens.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { AsRunKey } from "../../../engine/runtime/AsRunKey.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { OpenId } from "../../../engine/runtime/OpenId.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import { VoicesWriter } from "../../../engine/store/voices/Voices.ts"
import { CallsLive } from "../../../media/ingest/Calls.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { PicturesLive } from "../../../media/Pictures.ts"
import { MusicProvidersLive } from "../../../media/music/providers/MusicProviders.ts"
import { WriterLive } from "../../../media/writer/Writer.ts"
import { ScriptedMusic, ScriptedStitch, StitchScript } from "../panels/PanelDoubles.ts"
import { BackupProcess } from "../../../http/BackupProcess.ts"
import { RehearsalProcess } from "../../../http/RehearsalProcess.ts"
import { MailDouble } from "../people/MailDouble.ts"
import { TestPostgres } from "../sql/Postgres.ts"
import { ScriptedOwnKeys, ScriptedPrepare, ScriptedSpeech, SpeechScript, voices } from "../media/SpeechDoubles.ts"
import { TestStrangers } from "../inbox/TestStrangers.ts"
import { ScriptedUploads, UploadScript } from "../media/UploadDoubles.ts"

/** A station for one test, with a data folder that is removed with it. */
export const TestConfig = (given: Record<string, string> = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped({ prefix: "longwave-data-" })
      return StationConfig.fromEnvironment({ DATA_DIR: folder, PUBLIC_URL: "http://radio.test", ...given })
    })
  ).pipe(Layer.provide(NodeServices.layer))

/**
 * With all background work. A test that advances the clock by a day at once should leave it out. Scripts are read only by
 * `workDue(readJobs)`.
 */
const jobs = jobWorker(allJobs.filter(({ name }) => readJobs.every((read) => read.name !== name)))
const everybody = Layer.mergeAll(AgentWorkers, jobs).pipe(Layer.provideMerge(AgentActors))

/** Onboarding, desk and studio on a real database, with doubles for mail and engines. */
export const OnboardingWorld = (
  given: Record<string, string> = {},
  actors: typeof everybody | typeof AgentActors = everybody
) =>
  actors.pipe(
    Layer.provideMerge(Layer.effectDiscard(Effect.flatMap(VoicesWriter, (store) => store.replaceCatalog(voices)))),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.mergeAll(CallsLive, ScriptedUploads, MusicProvidersLive.pipe(Layer.provide(TestStrangers))).pipe(
          Layer.provideMerge(PicturesLive),
          Layer.provide(ffmpegLayer(null)),
          Layer.provideMerge(ScriptedPrepare)
        ),
        ScriptedSpeech,
        ScriptedOwnKeys,
        WriterLive,
        ScriptedStitch,
        ScriptedMusic,
        EventBus.layer,
        ActorTree.layer,
        TestRunner.layer,
        ClaimTokens.layer,
        BackupProcess,
        RehearsalProcess,
        MailDouble,
        TestStrangers
      )
    ),
    Layer.provideMerge(Stores),
    Layer.provideMerge(
      Layer.mergeAll(IdSource.layer, AsRunKey.layer, OpenId.layer).pipe(Layer.provideMerge(Keys.layer))
    ),
    Layer.provideMerge(
      Layer.mergeAll(SpeechScript.layer, StitchScript.layer, UploadScript.layer, TestPostgres, TestConfig(given))
    )
  )
