import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { createServer } from "node:http"
import { expect } from "vitest"
import { AgentActors } from "../../../actors/Actors.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { ClaimTokens } from "../../../engine/runtime/ClaimTokens.ts"
import { ActorCluster } from "../../../actors/runtime/Cluster.ts"
import { Producer } from "../../../actors/programmes/protocol/Producer.ts"
import { StationLive } from "../../../actors/air/Station.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { VoiceRegisterLive } from "../../../actors/voices/VoiceRegister.ts"
import { AsRunKey } from "../../../engine/runtime/AsRunKey.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { OwnKeySpeech } from "../../../engine/ports/OwnKeySpeech.ts"
import { Speech, SpeechFailed } from "../../../engine/ports/Speech.ts"
import { houseWorks } from "../../../engine/rules/music/HouseCatalogue.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import { OpsApi } from "../../../http/api/OpsApi.ts"
import { PublicSegmentsApi, SegmentsApi } from "../../../http/api/segments/Segments.ts"
import { SpeechApi } from "../../../http/api/voices/Speech.ts"
import { envelope } from "../../../http/envelope/Envelope.ts"
import { AlertWatchLive } from "../../../actors/operations/AlertWatch.ts"
import { OpsFeedLive } from "../../../actors/operations/OpsFeed.ts"
import { LiveSoundLive } from "../../../http/stream/LiveSoundLive.ts"
import { EventStreams } from "../../../http/stream/events/EventStream.ts"
import { Flood } from "../../../http/envelope/Flood.ts"
import { AgentAuthLive, ReadingLive } from "../../../http/auth/Guards.ts"
import { PublicSegmentsHandlers, SegmentsHandlers } from "../../../http/handlers/segments/Segments.ts"
import { SpeechHandlers } from "../../../http/handlers/voices/Speech.ts"
import { anyOf, methodsOfApi, readOnly } from "../../../http/server/Methods.ts"
import { OperatorAuthLive } from "../../../http/auth/OperatorGuard.ts"
import { opsHandlers, opsOfAgentsHandlers } from "../../../http/Routes.ts"
import { MetricsRoute, Probes } from "../../../http/Health.ts"
import { CallsLive } from "../../../media/ingest/Calls.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { PicturesLive } from "../../../media/Pictures.ts"
import { WriterLive } from "../../../media/writer/Writer.ts"
import { Broadcaster } from "../../../schema/segments/Submission.ts"
import type { AgentId, SegmentId } from "../../../schema/Ids.ts"
import { makeAirDouble } from "../air/AirDouble.ts"
import { ScriptedStitch, StitchScript } from "../panels/PanelDoubles.ts"
import { MailDouble } from "../people/MailDouble.ts"
import { TestConfig } from "../agents/OnboardingWorld.ts"
import { listRuns } from "../programmes/Plans.ts"
import { TestPostgres } from "../sql/Postgres.ts"
import { call, makeClaimedAgent, askUntil } from "./SegmentHttp.ts"
import { voices } from "../media/SpeechDoubles.ts"
import { makeStudioDouble } from "../air/StudioDouble.ts"
import { TestStrangers } from "../inbox/TestStrangers.ts"

const Api = HttpApi.make("longwave").add(SegmentsApi, PublicSegmentsApi, SpeechApi)

const routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api),
  HttpApiBuilder.layer(OpsApi),
  Probes,
  MetricsRoute,
  envelope(anyOf([methodsOfApi(Api), methodsOfApi(OpsApi), readOnly([/^\/metrics$/])]))
).pipe(
  Layer.provide([SegmentsHandlers, PublicSegmentsHandlers, SpeechHandlers]),
  Layer.provide([...opsOfAgentsHandlers, ...opsHandlers]),
  Layer.provide([AgentAuthLive, OperatorAuthLive, ReadingLive])
)

/** Speaks silence, in as much time as a person would take. */
const speech = Layer.succeed(
  Speech,
  Speech.of({
    voices,
    engines: Effect.succeed([]),
    paidEngines: [],
    speak: ({ text }) =>
      Effect.succeed({
        sampleRateHz: 10,
        channels: [new Float32Array(Math.max(10, text.split(" ").length * 4))],
        words: [],
        by: { name: "silence", trained: false }
      })
  })
)

/** Own-key providers are unavailable here. */
const ownKeySpeech = Layer.succeed(
  OwnKeySpeech,
  OwnKeySpeech.of({ speak: () => Effect.fail(new SpeechFailed({ reason: "unreachable", detail: "No provider." })) })
)

/** The operators' part of a whole station: real actors, database and HTTP; only sound and its engines are doubles. */
export const OpsHttp = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(Layer.mergeAll(Flood.layer, EventStreams.layer, LiveSoundLive, OpsFeedLive, AlertWatchLive)),
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(
    Layer.mergeAll(StationLive, AgentActors, VoiceRegisterLive).pipe(Layer.provideMerge(ActorCluster))
  ),
  Layer.provideMerge(
    Layer.mergeAll(
      CallsLive.pipe(
        Layer.provideMerge(PicturesLive),
        Layer.provide(ffmpegLayer(null)),
        Layer.provideMerge(Layer.mergeAll(speech, ownKeySpeech).pipe(Layer.provideMerge(makeStudioDouble().layer)))
      ),
      TestStrangers,
      WriterLive,
      ScriptedStitch.pipe(Layer.provide(StitchScript.layer)),
      ClaimTokens.layer,
      MailDouble,
      EventBus.layer,
      ActorTree.layer,
      Layer.effect(
        Air,
        Effect.map(makeAirDouble, ({ air }) => air)
      )
    )
  ),
  Layer.provideMerge(Stores),
  Layer.provideMerge(Layer.mergeAll(IdSource.layer, AsRunKey.layer).pipe(Layer.provideMerge(Keys.layer))),
  Layer.provideMerge(
    Layer.mergeAll(
      TestPostgres,
      TestConfig({
        RATE_LIMIT_SCALE: "1000",
        ALERT_MAIL: "desk@radio.test",
        BACKUP_KEY: "a key for backups of tests",
        ALERT_WEBHOOK_URL: "https://alerts.test/hook"
      })
    )
  )
)

export const segmentOf = (admin: string, agentId: string, id: string) =>
  Effect.map(call("GET", `/api/ops/agents/${agentId}`, { key: admin }), ({ body }) =>
    body.segments.find((one: { id: string }) => one.id === id)
  )
export const rundown = (key: string) =>
  Effect.map(
    call("GET", "/api/ops/rundown", { key }),
    ({ body }) =>
      body.rundown as { revision: number; held: boolean; emergency: boolean; onAir: Line | null; items: Array<Line> }
  )
export interface Line {
  readonly id: string
  readonly title: string
  readonly role: string
  readonly segmentId: string | null
  readonly trackId: string | null
  readonly locked: boolean
  readonly held: boolean
  readonly expectedAtMs: number
}
/** Waits until the house programme is complete: until then every new piece may change the plan. */
const furnished = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  askUntil(
    sql<{
      made: number
    }>`SELECT ((SELECT count(*) FROM tracks WHERE category <> 'bed') + (SELECT count(*) FROM house_pieces))::int AS made`,
    ([row]) => row!.made >= houseWorks(1, "Longwave", 0).length
  )
)
export const awaitReady = (key: string) =>
  Effect.andThen(
    furnished,
    askUntil(
      rundown(key),
      (now) =>
        now?.onAir !== null && now?.items?.length > 12 && now.items.filter(({ role }) => role === "music").length > 5
    )
  )
export const songs = (lines: ReadonlyArray<Line>) => lines.filter(({ role }) => role === "music")
let spoken = 0
/** A song has just begun: nothing else airs by itself for minutes. */
export const songOn = Effect.fnUntraced(function* (key: string) {
  const { trackId } = songs((yield* awaitReady(key)).items)[2]!
  expect((yield* call("POST", "/api/ops/playout/insert-now", { key, body: { trackId } })).status).toBe(200)
  yield* askUntil(rundown(key), ({ onAir }) => onAir?.trackId === trackId)
})
/** A segment with sound, in the rundown after a song, by an agent that may broadcast freely. */
export const queueSegment = Effect.fnUntraced(function* (admin: string) {
  yield* songOn(admin)
  const agent = yield* makeClaimedAgent()
  yield* call("PUT", `/api/ops/agents/${agent.id}/grants`, {
    key: admin,
    body: { freeAir: true, stationSpeech: true, reason: "a friend of the house" }
  })
  const made = yield* call("POST", "/api/v1/agents/me/tts/station/generate", {
    key: agent.key,
    body: {
      category: "news",
      title: `News ${++spoken}`,
      scriptText: `Number ${spoken}. ${Array.from({ length: 100 }, (_, n) => `word${n}`).join(" ")}.`
    }
  })
  expect([made.status, made.body.detail]).toEqual([201, undefined])
  const id = made.body.segment.id as string
  yield* askUntil(segmentOf(admin, agent.id, id), ({ status }) => status === "scheduled")
  return { agent, id }
})
/** The agent puts the segment into a draft: it leaves the rundown, and doesn't return by itself. */
export const keepForDraft = Effect.fnUntraced(function* (
  key: string,
  agent: { readonly id: string; readonly handle: string },
  segmentId: string
) {
  const { blockId, occurrenceStart } = (yield* listRuns()).at(-1)!
  const by = Broadcaster.make({
    agentId: agent.id as AgentId,
    handle: agent.handle,
    displayName: agent.handle,
    ownerKey: null
  })
  const item = {
    id: null,
    kind: "segment",
    trackId: null,
    segmentId: segmentId as SegmentId,
    uploadId: null,
    scriptText: null,
    title: null,
    durationSec: null,
    transition: "segue",
    locked: false
  } as const
  const draft = {
    title: "An hour of news",
    description: null,
    format: null,
    audience: null,
    blockId,
    occurrenceStartMs: Date.parse(occurrenceStart),
    items: [item],
    agentShowId: null,
    stationSlug: null,
    stationId: null
  }
  yield* (yield* Producer.client)(agent.id).CreatePlan({ by, draft })
  yield* askUntil(rundown(key), ({ items }) => !items.some((line) => line.segmentId === segmentId))
  yield* askUntil(segmentOf(key, agent.id, segmentId), ({ status }) => status === "queued")
})
/** Puts it on the air, unless it has just begun by itself. */
export const airSegment = Effect.fnUntraced(function* (key: string, segmentId: string) {
  const done = [
    200,
    "The segment is airing: only what is queued or scheduled can be put on the air.",
    "It is on the air already."
  ]
  yield* askUntil(
    call("POST", "/api/ops/playout/insert-now", { key, body: { segmentId, reason: "now" } }),
    ({ body, status }) => done.includes(body.detail ?? status)
  )
  yield* askUntil(rundown(key), ({ onAir }) => onAir?.segmentId === segmentId)
})
export const listActs = (key: string, query = "") =>
  Effect.map(
    call("GET", `/api/ops/audit?limit=100${query}`, { key }),
    ({ body }) =>
      body.rows as Array<{
        id: string
        action: string
        actor: string
        reason: string | null
        subject: { type: string; id: string }
        before: unknown
        after: unknown
      }>
  )
