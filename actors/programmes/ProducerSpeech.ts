import { Clock, Effect, Result } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { wordsOf } from "../../engine/rules/programmes/PlanMaterials.ts"
import { precheck } from "../../engine/rules/moderation/Precheck.ts"
import { displayText, tidyScript, wordCount } from "../../engine/rules/segments/Script.ts"
import { advance } from "../../engine/rules/segments/Segment.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { PlanSegments } from "../../engine/store/segments/PlanSegments.ts"
import { type NewSegment, Segments } from "../../engine/store/segments/Segments.ts"
import { SpeechUploads } from "../../engine/store/segments/Uploads.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId, SegmentId } from "../../schema/Ids.ts"
import { PlanItem, type PlanStock, type PlanRecord } from "../../schema/programmes/Plan.ts"
import type { Flag } from "../../schema/moderation/Precheck.ts"
import { PlanNotSubmittable } from "../../schema/Problems.ts"
import { enqueue, withdraw } from "../runtime/StationQueue.ts"
import { excerptHash, hash } from "../moderation/excerptHash.ts"
import { emitSegment } from "../runtime/emit.ts"
import { addJob } from "../runtime/Jobs.ts"
import { ReadPlannedScript } from "../segments/protocol/Jobs.ts"
import { step } from "../segments/SegmentReview.ts"
import { addSegment, bindToPlan, releaseFromPlan } from "../segments/inTransaction.ts"

/** Made for this plan only; other items existed before. */
const isMade = ({ kind }: PlanItem): boolean => kind === "talk" || kind === "upload"
const underReview = "PLAN_REVIEW"
export const hasSpeech = (plan: PlanRecord): boolean => plan.items.some((item) => isMade(item))
/** Precheck flags of all texts and scripts of the plan. */
export const flagsOf = (plan: PlanRecord, stock: PlanStock): ReadonlyArray<Flag> =>
  [
    `${plan.title}\n${plan.description ?? ""}`,
    ...plan.items.flatMap((item) => (isMade(item) ? [`${item.title}\n${tidyScript(wordsOf(item, stock) ?? "")}`] : []))
  ].flatMap((text) => precheck(text, excerptHash).flags)
const nothing = {
  engine: null,
  voiceId: null,
  assetId: null,
  durationSec: null,
  loudnessLufs: null,
  audioStatus: "none"
} as const
const speechOf = Effect.fnUntraced(function* (agentId: AgentId, item: PlanItem) {
  if (item.kind === "talk")
    return { script: tidyScript(item.scriptText ?? ""), lane: "script", sound: nothing } as const
  const [upload] = yield* (yield* SpeechUploads).listByAgent(agentId, [item.uploadId!])
  if (upload?.assetId == null)
    return yield* new PlanNotSubmittable({ detail: `The upload of item ${item.index} no longer exists.` })
  return {
    script: upload.transcript,
    lane: "upload",
    sound: {
      ...nothing,
      engine: "UPLOAD",
      assetId: upload.assetId,
      durationSec: upload.durationSec,
      loudnessLufs: upload.loudnessLufs,
      audioStatus: "ready"
    }
  } as const
})
/**
 * Binds all speech to the plan, in the caller's transaction: makes segments from talk and recordings, takes the agent's waiting segments
 * out of the open queue. With `reviewed` the new segments wait for the plan's review.
 */
export const bindSpeech = Effect.fnUntraced(function* (plan: PlanRecord, reviewed: boolean) {
  const segments = yield* Segments
  const agent = yield* (yield* Agents).find(plan.agentId)
  const nowMs = yield* Clock.currentTimeMillis
  const named = plan.items.flatMap(({ kind, segmentId }) =>
    kind === "segment" && segmentId !== null ? [segmentId] : []
  )
  const before = yield* Effect.forEach(named, (id) => segments.find(id))
  const bound = yield* bindToPlan(plan.id, plan.agentId, named, ["queued", "scheduled", "pending_review"])
  if (bound.length < new Set(named).size)
    return yield* new PlanNotSubmittable({
      detail: "One of its segments changed in the meantime. Preview the plan to see which."
    })
  // Planned scripts are voiced even when the station voices no others.
  yield* Effect.forEach(
    before.filter((segment) => segment?.status === "queued" && segment.audioStatus !== "ready"),
    (segment) =>
      addJob(ReadPlannedScript, { key: segment!.id, payload: { segmentId: segment!.id, agentId: plan.agentId } }),
    { discard: true }
  )
  const items = yield* Effect.forEach(plan.items, (item) =>
    Effect.gen(function* () {
      if (!isMade(item)) return item
      const { lane, script, sound } = yield* speechOf(plan.agentId, item)
      const id = (yield* (yield* IdSource).make("seg")) as SegmentId
      const segment: NewSegment = {
        id,
        agentId: plan.agentId,
        handle: agent!.persona.handle,
        displayName: agent!.persona.displayName,
        lane,
        agentShowId: plan.agentShowId,
        topicIds: [],
        category: "show",
        title: item.title || plan.title,
        scriptText: script,
        displayText: displayText(script),
        bodyHash: hash(script),
        status: reviewed ? "pending_review" : "queued",
        statusReason: reviewed ? underReview : sound.audioStatus === "none" ? "NO_AUDIO" : null,
        isFirstAir: false,
        flags: precheck(`${item.title}\n${script}`, excerptHash).flags,
        ...sound,
        bedAssetId: null,
        bedStatus: "not_selected",
        bedTrackId: null,
        wordCount: wordCount(script),
        scheduledForMs: null,
        createdAtMs: nowMs,
        planId: plan.id
      }
      const { record } = yield* addSegment(segment)
      yield* emitSegment(record)
      return new PlanItem({ ...item, segmentId: record.id })
    })
  )
  // Removes scheduled segments from the rundown.
  yield* Effect.forEach(
    before.filter((segment) => segment?.status === "scheduled"),
    (segment) => leaveRundown(segment!.id, "PLANNED"),
    { discard: true }
  )
  return items
})
/** Removes the draft's scheduled segments from the rundown after the commit, so that they wait for the plan. */
export const keepSpeech = Effect.fnUntraced(function* ({ agentId, items }: Pick<PlanRecord, "agentId" | "items">) {
  const segments = yield* Segments
  const named = yield* Effect.forEach(
    items.flatMap(({ kind, segmentId }) => (kind === "segment" && segmentId !== null ? [segmentId] : [])),
    (id) => segments.find(id)
  )
  yield* Effect.forEach(
    named.filter(
      (segment) => segment?.status === "scheduled" && segment.agentId === agentId && segment.planId === null
    ),
    (segment) => leaveRundown(segment!.id, "PLANNED"),
    { discard: true }
  )
})
const leaveRundown = Effect.fnUntraced(function* (id: SegmentId, reason: string) {
  yield* (yield* Transaction).afterCommit(withdraw(id, reason))
})
/** Approves the plan's segments: they wait for their audio and the plan's start. */
export const clearSpeech = Effect.fnUntraced(function* (plan: PlanRecord) {
  const waiting = (yield* (yield* PlanSegments).listByPlan(plan.id)).filter(
    ({ status, statusReason }) => status === "pending_review" && statusReason === underReview
  )
  yield* Effect.forEach(
    waiting,
    (segment) => step(segment, "Approve", segment.audioStatus === "ready" ? null : "NO_AUDIO"),
    { discard: true }
  )
})
/** Reopens the review of the segments made for the plan. */
export const reopenSpeech = Effect.fnUntraced(function* (plan: PlanRecord) {
  const made = new Set(plan.items.flatMap((item) => (isMade(item) && item.segmentId !== null ? [item.segmentId] : [])))
  for (const segment of yield* (yield* PlanSegments).listByPlan(plan.id)) {
    if (!made.has(segment.id)) continue
    const reopened = yield* step(segment, "Reopen", underReview)
    if (reopened !== null && segment.status === "scheduled") yield* leaveRundown(segment.id, "REVIEW_REOPENED")
  }
})
/** Ends the segments made for the plan and returns the others to the open queue. Answers the items without made segments. */
export const releaseSpeech = Effect.fnUntraced(function* (plan: PlanRecord, reason: string) {
  const planSegments = yield* PlanSegments
  const made = new Set(plan.items.flatMap((item) => (isMade(item) && item.segmentId !== null ? [item.segmentId] : [])))
  const bound = yield* planSegments.listByPlan(plan.id)
  for (const segment of bound) {
    if (segment.status === "scheduled") yield* leaveRundown(segment.id, reason)
    if (made.has(segment.id))
      yield* step(segment, Result.isSuccess(advance(segment.status, "Cancel")) ? "Cancel" : "Reject", reason)
  }
  const back = bound.filter(({ id }) => !made.has(id))
  yield* releaseFromPlan(
    plan.id,
    back.map(({ id }) => id)
  )
  const { afterCommit } = yield* Transaction
  yield* Effect.forEach(
    back.filter(({ audioStatus, status }) => status === "queued" && audioStatus === "ready"),
    ({ id }) => afterCommit(enqueue(id)),
    { discard: true }
  )
  return plan.items.map((item) =>
    isMade(item) && item.segmentId !== null ? new PlanItem({ ...item, segmentId: null }) : item
  )
})
