import { Layer } from "effect"
import { TestRunner } from "effect/cluster"
import { Bus } from "../../actors/Bus.ts"
import { StudioLive } from "../../actors/Studio.ts"
import { ActorTree } from "../../actors/Supervision.ts"
import { VoiceRegisterLive } from "../../actors/VoiceRegister.ts"
import { StationConfig } from "../../engine/Config.ts"
import { Ids } from "../../engine/Ids.ts"
import type { Prepare } from "../../engine/ports/Prepare.ts"
import type { Speech } from "../../engine/ports/Speech.ts"
import { AgentFigures } from "../../engine/store/AgentFigures.ts"
import { Agents } from "../../engine/store/Agents.ts"
import { AgentVoices } from "../../engine/store/AgentVoices.ts"
import { Assets } from "../../engine/store/Assets.ts"
import { Audit } from "../../engine/store/Audit.ts"
import { Beds } from "../../engine/store/Beds.ts"
import { Inboxes } from "../../engine/store/Inboxes.ts"
import { Interactions } from "../../engine/store/Interactions.ts"
import { MediaUploads } from "../../engine/store/MediaUploads.ts"
import { Meters } from "../../engine/store/Meters.ts"
import { Outbox } from "../../engine/store/Outbox.ts"
import { Ranks } from "../../engine/store/Ranks.ts"
import { Reviews } from "../../engine/store/Reviews.ts"
import { Segments } from "../../engine/store/Segments.ts"
import { segmentsForAir } from "../../engine/store/SegmentsForAir.ts"
import { Shows } from "../../engine/store/Shows.ts"
import { SpeechHolds } from "../../engine/store/SpeechHolds.ts"
import { Standings } from "../../engine/store/Standings.ts"
import { Topics } from "../../engine/store/Topics.ts"
import { Tracks } from "../../engine/store/Tracks.ts"
import { Transaction } from "../../engine/store/Transaction.ts"
import { Voices } from "../../engine/store/Voices.ts"
import { Broadcaster, SegmentDraft, SpeechDraft } from "../../schema/Broadcast.ts"
import { makeId } from "../../schema/Ids.ts"
import { TestPostgres } from "./Postgres.ts"
import { ScriptedPrepare, ScriptedSpeech, SpeechScript } from "./SpeechDoubles.ts"
import { NoUploads } from "./UploadDoubles.ts"

export const SegmentStores = Layer.mergeAll(
  Agents.layer, AgentFigures.layer, AgentVoices.layer, Shows.layer, Segments.layer, segmentsForAir, Audit.layer, Beds.layer, MediaUploads.layer, Meters.layer, Ranks.layer, Inboxes.layer, Interactions.layer, Reviews.layer, Standings.layer, Voices.layer, Outbox.layer, SpeechHolds.layer, Topics.layer, Tracks.layer, Transaction.layer, Assets.layer
)

/** A studio's house over a database that others may use as well. */
export const studioHouse = <E>(engines: Layer.Layer<Speech | Prepare, E, SpeechScript>) => Layer.mergeAll(StudioLive, VoiceRegisterLive).pipe(
  Layer.provideMerge(Layer.mergeAll(SegmentStores, engines, NoUploads, Bus.layer, Ids.layer, ActorTree.layer, TestRunner.layer))
)

/** Everything a studio needs over the given engines, on a real database, with actors in one process. */
export const studioWorldOver = <E>(engines: Layer.Layer<Speech | Prepare, E, SpeechScript>) => studioHouse(engines).pipe(
  Layer.provideMerge(Layer.mergeAll(SpeechScript.layer, TestPostgres, StationConfig.fromEnvironment({ PUBLIC_URL: "http://radio.test", RATE_LIMIT_SCALE: "1000" })))
)

/** With engines that do as they are told. */
export const StudioWorld = studioWorldOver(Layer.mergeAll(ScriptedSpeech, ScriptedPrepare))

let agents = 0

/** Nobody has met this agent before. */
export const stranger = (ownerKey: string | null = null): Broadcaster => {
  agents++
  return Broadcaster.make({ agentId: makeId("agt", 1_780_000_000_000, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, agents >> 8, agents & 255])), handle: `agent${agents}`, displayName: `Agent ${agents}`, ownerKey })
}

export const draft = (over: Partial<typeof SegmentDraft.Type> = {}): SegmentDraft =>
  SegmentDraft.make({ category: "news", title: "Evening news", scriptText: `Good evening. It is a quiet night, and this is the news.`, stationSlug: null, stationId: null, agentShowId: null, scheduledForMs: null, ...over })

export const speechDraft = (over: Partial<typeof SpeechDraft.Type> = {}): SpeechDraft =>
  SpeechDraft.make({ ...draft(), category: "station_id", longForm: false, engine: null, topicId: null, bed: { kind: "by_category" }, ...over })
