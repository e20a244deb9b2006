import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PackageReplay } from "../../../actors/panels/protocol/Jobs.ts"
import { publishHeard } from "../../../actors/panels/ReplayPublisher.ts"
import { addJob } from "../../../actors/runtime/Jobs.ts"
import { outboxReader } from "../../../actors/runtime/OutboxReader.ts"
import { emit } from "../../../actors/runtime/emit.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { ReplaysWriter } from "../../../engine/store/panels/Replays.ts"
import { SegmentsWriter } from "../../../engine/store/segments/Segments.ts"
import { ShowsWriter } from "../../../engine/store/programmes/Shows.ts"
import { Transaction } from "../../../engine/store/sql/Transaction.ts"
import type {
  AgentId,
  AssetId,
  ParticipantId,
  ReplayId,
  SegmentId,
  SessionId,
  ShowId,
  TurnId
} from "../../../schema/Ids.ts"
import { Replay } from "../../../schema/panels/Replay.ts"
import { Asset } from "../../../schema/Sound.ts"
import { makeClaimedAgent } from "../http/SegmentHttp.ts"
import { setSegments } from "../air/Airings.ts"

export const panelSec = 50

/** Its origin: voices of an engine over house music. */
export const panelMark = {
  digitalSourceType: "http://cv.iptc.org/newscodes/digitalsourcetype/compositeSynthetic",
  generator: "A model, A composer",
  disclosure: 'AI voice. Spoken "twice". Composed by the station.'
} as const

/** A panel of four turns of ten seconds, five seconds into a recording of 50, as its production leaves it: queued and unheard. */
export const recordPanel = Effect.fnUntraced(function* <E = never, R = never>(
  over: {
    readonly host?: { readonly id: string; readonly handle: string }
    /** Makes its sound, before the recording is announced. */
    readonly sound?: (assetId: AssetId) => Effect.Effect<unknown, E, R>
  } = {}
) {
  const ids = yield* IdSource
  const nowMs = yield* Clock.currentTimeMillis
  const [host, guest] = [
    over.host ?? (yield* makeClaimedAgent()),
    yield* makeClaimedAgent({ displayName: "Bo <Baker> & Sons" })
  ]
  const make = <Id extends string>(prefix: string) => Effect.map(ids.make(prefix), (id) => id as Id)
  const show = yield* (yield* ShowsWriter).add({
    id: yield* make<ShowId>("show"),
    wantedSlug: `harbour-talk-${host.handle}`,
    title: "Harbour Talk",
    tagline: "Boats & people",
    description: null,
    format: "panel",
    audience: null,
    genres: [],
    hostAgentId: host.id as AgentId,
    status: "active",
    blockId: null,
    reservedVoiceIds: [],
    createdAtMs: nowMs
  })
  const [sessionId, segmentId, assetId, replayId] = [
    yield* make<SessionId>("ses"),
    yield* make<SegmentId>("seg"),
    yield* make<AssetId>("mas"),
    yield* make<ReplayId>("rep")
  ]
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO panel_sessions (id, command_key, show_id, host_agent_id, status, revision, body, created_at)
    VALUES (${sessionId}, ${sessionId}, ${show.id}, ${host.id}, 'stitched', 1, '{}', now())`
  yield* (yield* Assets).save(
    new Asset({
      id: assetId,
      kind: "speech",
      lengthSamples: panelSec * 48_000,
      pcmSha256: "0".repeat(64),
      loudness: { integratedLufs: -16, truePeakDbtp: -1, rangeLu: 3 },
      cue: { cueIn: 0, introEnd: 0, segue: panelSec * 48_000, cueOut: panelSec * 48_000 },
      envelope: new Uint8Array([1]),
      peaks: [],
      words: [],
      synthetic: panelMark
    })
  )
  const texts = [
    "Is the harbour quiet tonight? I think that it is.",
    "It is <quiet> & still. Nobody sails.",
    "Then we shall talk. Of boats, and of people.",
    "And of the sea. Good night."
  ]
  yield* (yield* SegmentsWriter).add({
    id: segmentId,
    agentId: host.id as AgentId,
    handle: host.handle,
    displayName: "The host",
    lane: "station",
    agentShowId: null,
    topicIds: [],
    category: "panel",
    title: "On quiet harbours",
    scriptText: texts.join("\n\n"),
    displayText: texts.join("\n\n"),
    bodyHash: segmentId,
    status: "queued",
    statusReason: null,
    isFirstAir: false,
    flags: [],
    audioStatus: "ready",
    assetId,
    bedAssetId: null,
    durationSec: panelSec,
    engine: "HOUSE",
    voiceId: null,
    bedStatus: "not_selected",
    bedTrackId: null,
    wordCount: 30,
    loudnessLufs: -16,
    scheduledForMs: null,
    sessionId,
    createdAtMs: nowMs
  })
  const turns = yield* Effect.forEach(texts, (scriptText, turnIndex) =>
    Effect.gen(function* () {
      return {
        turnId: yield* make<TurnId>("turn"),
        turnIndex,
        participantId: yield* make<ParticipantId>("part"),
        handle: turnIndex % 2 === 0 ? host.handle : guest.handle,
        scriptText,
        startSec: 5 + turnIndex * 10,
        durationSec: 9.5
      }
    })
  )
  if (over.sound !== undefined) yield* over.sound(assetId)
  yield* (yield* ReplaysWriter).save(
    new Replay({
      id: replayId,
      sessionId,
      segmentId,
      showSlug: show.slug,
      title: "On quiet harbours",
      topic: "Is it quiet?",
      description: null,
      durationSec: panelSec,
      participants: [
        { handle: host.handle, displayName: "The host", role: "host" },
        { handle: guest.handle, displayName: "Bo <Baker> & Sons", role: "guest" }
      ],
      turns,
      airedAtMs: null,
      publishedAtMs: null,
      hidden: false
    }),
    nowMs
  )
  yield* addJob(PackageReplay, { key: replayId, payload: { replayId } })
  return { replayId, segmentId, assetId, sessionId, show, host, guest }
})

/** Airs it, and waits until all its followers have been notified. */
export const airPanel = Effect.fnUntraced(function* ({
  host,
  segmentId
}: {
  readonly host: { readonly id: string }
  readonly segmentId: SegmentId
}) {
  const sql = yield* SqlClient.SqlClient
  yield* setSegments(sql`id = ${segmentId}`, "aired", { complete: true })
  const { run } = yield* Transaction
  yield* run(
    emit({
      _tag: "SegmentAired",
      segmentId,
      agentId: host.id as AgentId,
      title: "On quiet harbours",
      reason: null,
      airedAt: new Date(yield* Clock.currentTimeMillis).toISOString(),
      airedCompletely: true
    })
  )
  yield* (yield* outboxReader("replays", publishHeard)).drain
})
