import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { canAir } from "../../engine/rules/segments/FirstAirGate.ts"
import { harvestPanel } from "../../engine/rules/lore/LoreHarvest.ts"
import { wordCount } from "../../engine/rules/segments/Script.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { PanelTurns } from "../../engine/store/panels/PanelTurns.ts"
import { ReplaysWriter } from "../../engine/store/panels/Replays.ts"
import { Shows } from "../../engine/store/programmes/Shows.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId, LoreId, ReplayId, SegmentId, SessionId } from "../../schema/Ids.ts"
import type { PanelSession } from "../../schema/panels/Panel.ts"
import { Replay, type Recording } from "../../schema/panels/Replay.ts"
import { enqueue } from "../runtime/StationQueue.ts"
import { hash } from "../moderation/excerptHash.ts"
import { segmentCard } from "../../engine/rules/segments/Segment.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { standingOf } from "../segments/Submission.ts"
import { emitSegment } from "../runtime/emit.ts"
import { addJob } from "../runtime/Jobs.ts"
import { PackageReplay } from "./protocol/Jobs.ts"
import { proposeLore } from "../lore/inTransaction.ts"
import { addSegment } from "../segments/inTransaction.ts"

/** Id derived from the session, so a retry after a crash makes the same row. */
export const idOfSession = <Id extends string>(prefix: string, sessionId: SessionId) =>
  `${prefix}_${sessionId.slice(4)}` as Id
/** The host and the guests with turns, in order of seats. */
export const castOf = Effect.fnUntraced(function* (
  session: PanelSession,
  heard: ReadonlyArray<{ readonly participantId: string }>
) {
  const agents = yield* Agents
  const spoke = new Set(heard.map(({ participantId }) => participantId))
  const seated = session.participants
    .filter(({ participantId, role }) => role === "host" || spoke.has(participantId))
    .toSorted((a, b) => a.seat - b.seat)
  return yield* Effect.forEach(seated, (one) =>
    Effect.map(agents.find(one.agentId), (agent) => ({
      ...one,
      speaks: spoke.has(one.participantId),
      displayName: agent?.persona.displayName ?? one.handle
    }))
  )
})
/**
 * True when the panel needs a review: a speaker has no cleared first air or needs reviews, or a turn was taken down since it was recorded.
 */
const isReviewed = Effect.fnUntraced(function* (
  session: PanelSession,
  recording: Recording,
  speakers: ReadonlyArray<AgentId>
) {
  const airing = new Set(
    (yield* (yield* PanelTurns).listBySession(session.id)).flatMap(({ airs, segmentId }) => (airs ? [segmentId] : []))
  )
  const turns = new Set(recording.turns.map(({ turnId }) => turnId))
  if (
    session.turns.some(({ segmentId, turnId }) => turns.has(turnId) && (segmentId === null || !airing.has(segmentId)))
  )
    return true
  const standings = yield* Effect.forEach(speakers, standingOf)
  return standings.some(
    ({ standing }) =>
      !canAir(standing.state) || standing.requiresSegmentReview === true || standing.canBroadcast === false
  )
})
/** Proposes lore from the panel's title and scripts. */
const harvest = Effect.fnUntraced(function* (
  session: PanelSession,
  recording: Recording,
  cast: Effect.Success<ReturnType<typeof castOf>>,
  segmentId: SegmentId,
  atMs: number
) {
  const { stationName } = yield* StationConfig
  const show = yield* (yield* Shows).findById(session.showId)
  const nameOf = new Map(cast.map(({ displayName, participantId }) => [participantId as string, displayName]))
  const finds = harvestPanel({
    title: session.title,
    topic: session.topic,
    showTitle: show?.title ?? session.showSlug,
    stationName,
    said: recording.turns.map(({ participantId, scriptText }) => ({
      speaker: nameOf.get(participantId) ?? "",
      text: scriptText
    }))
  })
  // Sorted, so that two panels that name the same things can't deadlock.
  for (const { category, excerpt, summary, title } of finds.toSorted((a, b) =>
    a.title.toLowerCase() < b.title.toLowerCase() ? -1 : 1
  )) {
    yield* proposeLore(
      {
        id: (yield* (yield* IdSource).make("lore")) as LoreId,
        commandKey: `panel:${session.id}:${finds.findIndex((find) => find.title === title)}`,
        category,
        title,
        summary,
        topics: [session.showSlug],
        references: [
          { kind: "session", id: session.id, note: session.title },
          { kind: "segment", id: segmentId, note: null }
        ],
        proposedBy: session.hostAgentId,
        mentions: [{ segmentId, excerpt }]
      },
      atMs
    )
  }
})
/**
 * Stores a produced panel in the caller's transaction: its segment, queued or in review, its unpublished replay and its lore. A repeat
 * changes nothing.
 */
export const enterPanel = Effect.fnUntraced(function* (session: PanelSession, recording: Recording) {
  const atMs = yield* Clock.currentTimeMillis
  const host = yield* (yield* Agents).find(session.hostAgentId)
  const cast = yield* castOf(session, recording.turns)
  const nameOf = new Map(cast.map(({ displayName, participantId }) => [participantId as string, displayName]))
  const reviewed = yield* isReviewed(
    session,
    recording,
    cast.filter(({ speaks }) => speaks).map(({ agentId }) => agentId)
  )
  const script = recording.turns
    .map(({ participantId, scriptText }) => `${nameOf.get(participantId)}: ${scriptText}`)
    .join("\n\n")
  const { record, repeated } = yield* addSegment({
    id: idOfSession<SegmentId>("seg", session.id),
    origin: `panel:${session.id}`,
    agentId: session.hostAgentId,
    handle: host?.persona.handle ?? "",
    displayName: host?.persona.displayName ?? "",
    lane: "station",
    // The session links it to the show. Bound to the show's blocks, it would never air for a show without a block.
    agentShowId: null,
    sessionId: session.id,
    topicIds: [],
    category: "panel",
    title: session.title,
    scriptText: script,
    displayText: script,
    bodyHash: hash(script),
    status: reviewed ? "pending_review" : "queued",
    statusReason: reviewed ? "SEGMENT_REVIEW" : null,
    isFirstAir: false,
    flags: [],
    audioStatus: "ready",
    assetId: recording.assetId,
    bedAssetId: null,
    durationSec: recording.durationSec,
    engine: "PRIMARY",
    voiceId: null,
    bedStatus: recording.bedStatus,
    bedTrackId: null,
    wordCount: wordCount(script),
    loudnessLufs: recording.loudnessLufs,
    scheduledForMs: null,
    createdAtMs: atMs
  })
  if (repeated) return record.id
  if (reviewed) yield* askForReview(segmentCard(record, "segment"))
  yield* emitSegment(record)
  const replayId = idOfSession<ReplayId>("rep", session.id)
  yield* (yield* ReplaysWriter).save(
    Replay.make({
      id: replayId,
      sessionId: session.id,
      segmentId: record.id,
      showSlug: session.showSlug,
      title: session.title,
      topic: session.topic,
      description: session.description,
      durationSec: recording.durationSec,
      participants: cast.map(({ displayName, handle, role }) => ({ handle, displayName, role })),
      turns: recording.turns,
      airedAtMs: null,
      publishedAtMs: null,
      hidden: false
    }),
    atMs
  )
  yield* addJob(PackageReplay, { key: replayId, payload: { replayId } })
  yield* harvest(session, recording, cast, record.id, atMs)
  if (!reviewed) yield* (yield* Transaction).afterCommit(enqueue(record.id))
  return record.id
})
