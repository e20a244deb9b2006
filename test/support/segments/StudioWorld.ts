import { Layer } from "effect"
import { TestRunner } from "effect/cluster"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { StudioLive } from "../../../actors/segments/Studio.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { VoiceRegisterLive } from "../../../actors/voices/VoiceRegister.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import type { Prepare } from "../../../engine/ports/Prepare.ts"
import type { Speech } from "../../../engine/ports/Speech.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import { Broadcaster, SegmentDraft, SpeechDraft } from "../../../schema/segments/Submission.ts"
import { makeId } from "../../../schema/Ids.ts"
import { TestPostgres } from "../sql/Postgres.ts"
import { ScriptedOwnKeys, ScriptedPrepare, ScriptedSpeech, SpeechScript } from "../media/SpeechDoubles.ts"
import { NoFetches, NoUploads } from "../media/UploadDoubles.ts"

/** A studio's layers over a database that tests may share. */
export const studioHouse = <E>(engines: Layer.Layer<Speech | Prepare, E, SpeechScript>) =>
  Layer.mergeAll(StudioLive, VoiceRegisterLive).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Stores,
        engines,
        NoUploads,
        ScriptedOwnKeys,
        NoFetches,
        EventBus.layer,
        IdSource.layer,
        Keys.layer,
        ActorTree.layer,
        TestRunner.layer
      )
    )
  )

/** All dependencies of a studio over the given engines, on a real database, with actors in one process. */
export const makeStudioWorld = <E>(engines: Layer.Layer<Speech | Prepare, E, SpeechScript>) =>
  studioHouse(engines).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        SpeechScript.layer,
        TestPostgres,
        StationConfig.fromEnvironment({ PUBLIC_URL: "http://radio.test", RATE_LIMIT_SCALE: "1000" })
      )
    )
  )

/** With scripted engines. */
export const StudioWorld = makeStudioWorld(Layer.mergeAll(ScriptedSpeech, ScriptedPrepare))

let agents = 0

/** A new agent. */
export const stranger = (ownerKey: string | null = null): Broadcaster => {
  agents++
  return Broadcaster.make({
    agentId: makeId("agt", 1_780_000_000_000, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, agents >> 8, agents & 255])),
    handle: `agent${agents}`,
    displayName: `Agent ${agents}`,
    ownerKey
  })
}

export const draft = (over: Partial<typeof SegmentDraft.Type> = {}): SegmentDraft =>
  SegmentDraft.make({
    category: "news",
    title: "Evening news",
    scriptText: `Good evening. It is a quiet night, and this is the news.`,
    stationSlug: null,
    stationId: null,
    agentShowId: null,
    scheduledForMs: null,
    ...over
  })

export const speechDraft = (over: Partial<typeof SpeechDraft.Type> = {}): SpeechDraft =>
  SpeechDraft.make({
    ...draft(),
    category: "station_id",
    longForm: false,
    engine: null,
    topicId: null,
    bed: { kind: "by_category" },
    ...over
  })
