import { Clock, Effect, Result } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { segmentsPerDay, segmentsWaitingMax } from "../../engine/rules/segments/limits.ts"
import { admit, applyGrant, type Standing } from "../../engine/rules/segments/FirstAirGate.ts"
import { precheck } from "../../engine/rules/moderation/Precheck.ts"
import {
  displayText,
  isWithinLimits,
  lint,
  suggestSplit,
  tidyScript,
  wordCount
} from "../../engine/rules/segments/Script.ts"
import { openingStatusOf, isSchedulable, segmentCard } from "../../engine/rules/segments/Segment.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { add } from "../../engine/rules/allowance/Meter.ts"
import { submissionMeter } from "../../engine/rules/voices/SpeechQuota.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { type NewSegment, Segments, SegmentsWriter } from "../../engine/store/segments/Segments.ts"
import { Standings } from "../../engine/store/agents/Standings.ts"
import type { Broadcaster, SegmentDraft } from "../../schema/segments/Submission.ts"
import type { AgentId, SegmentId } from "../../schema/Ids.ts"
import { refuseField } from "../runtime/refuseField.ts"
import { notOneOf } from "../../schema/Problem.ts"
import {
  Forbidden,
  InvalidCategory,
  InvalidField,
  RateLimited,
  ScriptTooLong,
  StationNotFound
} from "../../schema/Problems.ts"
import { agentCategories, type SegmentCategory } from "../../schema/segments/Segment.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { admitToShow } from "../programmes/inTransaction.ts"
import { emitSegment } from "../runtime/emit.ts"
import { hash, excerptHash } from "../moderation/excerptHash.ts"
import { saveGate } from "../agents/inTransaction.ts"

const isAgentCategory = (category: string): category is (typeof agentCategories)[number] =>
  (agentCategories as ReadonlyArray<string>).includes(category)
/** Checks a draft without spending anything. Answers its category. */
export const checkDraft = Effect.fnUntraced(function* (draft: SegmentDraft, longForm: boolean) {
  const script = tidyScript(draft.scriptText)
  const now = yield* Clock.currentTimeMillis
  const { stationSlug } = yield* StationConfig
  const stationId = yield* (yield* EventBus).get("stationId")
  if (
    (draft.stationSlug !== null && draft.stationSlug !== stationSlug) ||
    (draft.stationId !== null && draft.stationId !== stationId)
  ) {
    return yield* new StationNotFound({ detail: `This server has one station, with stationSlug "${stationSlug}".` })
  }
  if (!isAgentCategory(draft.category)) {
    return yield* new InvalidCategory({
      detail: `Agents can't use the category "${draft.category}". Use one of: ${agentCategories.join(", ")}.`,
      errors: [notOneOf("/category", "INVALID_CATEGORY", agentCategories)]
    })
  }
  if (!isWithinLimits(script, longForm)) {
    return yield* new ScriptTooLong({
      detail: "The script is too long for one segment. Submit the parts of suggestedSplit one by one.",
      suggestedSplit: suggestSplit(draft.scriptText)
    })
  }
  const faults = lint(script)
  if (faults[0] !== undefined) {
    return yield* new InvalidField({
      detail: faults[0].detail,
      errors: faults.map(({ code, detail }) => ({ pointer: "/scriptText", code, detail }))
    })
  }
  if (draft.scheduledForMs !== null && !isSchedulable(draft.scheduledForMs, now)) {
    return yield* refuseField("/scheduledFor", "INVALID_FIELD", "scheduledFor must be within the next 30 days.")
  }
  return draft.category as SegmentCategory
})
/** The agent's gate, grants and counts. */
export const standingOf = Effect.fnUntraced(function* (agentId: AgentId) {
  const standings = yield* Standings
  const [gate, grants, counts] = yield* Effect.all(
    [standings.gate(agentId), standings.grants(agentId), (yield* Segments).count(agentId)],
    { concurrency: "unbounded" }
  )
  const standing: Standing = {
    state: applyGrant(gate.state, grants.freeAir),
    rejections: gate.rejections,
    waiting: counts.pendingReview,
    canBroadcast: grants.canBroadcast,
    requiresSegmentReview: grants.requiresSegmentReview,
    stationSpeech: grants.stationSpeech
  }
  return { standing, gate, grants, counts }
})
/** Checks whether the agent may submit. Grants come before limits, because agents can see only their grants. */
export const admitAgent = Effect.fnUntraced(function* (by: Broadcaster, draft: SegmentDraft) {
  const { counts, gate, grants, standing } = yield* standingOf(by.agentId)
  const admission = admit(standing)
  if (Result.isFailure(admission)) return yield* new Forbidden({ detail: admission.failure.detail })
  if (draft.agentShowId !== null) yield* admitToShow(by.agentId, draft.agentShowId)
  return { admission: admission.success, standing, gate, grants, counts }
})
export const rateLimited = (detail: string, retryAfterMs: number, meter: "agent") =>
  new RateLimited({ detail, retryAfterSec: Math.max(1, Math.ceil(retryAfterMs / 1000)), meter })
/** Fails when too many of the agent's segments already wait. */
export const roomInQueue = (waiting: number) =>
  waiting >= segmentsWaitingMax
    ? Effect.fail(
        rateLimited(
          `${segmentsWaitingMax} of your segments already wait. Submit again when some have aired.`,
          hourMs,
          "agent"
        )
      )
    : Effect.void
/** Counts a script or recording against `segmentsPerDay`, in the segment's transaction. */
export const countSubmission = Effect.fnUntraced(function* (agentId: AgentId) {
  const now = yield* Clock.currentTimeMillis
  const counting = (yield* Meters).change([submissionMeter(agentId)], ([meter]) =>
    Result.map(add(meter!.seconds, 1, segmentsPerDay, now), (seconds) => [{ ...meter!, seconds }])
  )
  yield* Effect.mapError(counting, ({ retryAfterMs }) =>
    rateLimited(
      `You have submitted ${segmentsPerDay} segments today, the limit for one day (UTC).`,
      retryAfterMs,
      "agent"
    )
  )
})
/** The segment of a draft, before it has audio. */
export const compose = Effect.fnUntraced(function* (
  by: Broadcaster,
  draft: SegmentDraft,
  category: SegmentCategory,
  admission: { readonly reviewed: boolean; readonly firstAir: boolean; readonly behind: boolean },
  lane: "script" | "speech" | "byok" | "upload",
  disclosure = ""
) {
  const now = yield* Clock.currentTimeMillis
  const id = (yield* (yield* IdSource).make("seg")) as SegmentId
  const script = tidyScript(draft.scriptText)
  const bodyHash = hash(script)
  const duplicate = yield* (yield* Segments).hasSameBodySince(by.agentId, bodyHash, now - dayMs)
  const verdict = precheck(
    `${draft.title}\n${script}${disclosure === "" ? "" : `\n${disclosure}`}`,
    excerptHash,
    duplicate
  )
  const status = openingStatusOf(admission.reviewed, verdict)
  const segment: NewSegment = {
    id,
    agentId: by.agentId,
    handle: by.handle,
    displayName: by.displayName,
    lane,
    agentShowId: draft.agentShowId,
    topicIds: [],
    category,
    title: draft.title,
    scriptText: script,
    displayText: displayText(script),
    bodyHash,
    status,
    statusReason:
      status === "held"
        ? "PRECHECK"
        : admission.firstAir
          ? "FIRST_AIR_REVIEW"
          : admission.behind
            ? "BEHIND_FIRST_AIR"
            : admission.reviewed
              ? "SEGMENT_REVIEW"
              : lane === "script"
                ? "NO_AUDIO"
                : null,
    isFirstAir: admission.firstAir,
    flags: verdict.flags,
    audioStatus: "none",
    assetId: null,
    bedAssetId: null,
    durationSec: null,
    engine: null,
    voiceId: null,
    bedStatus: "not_selected",
    bedTrackId: null,
    wordCount: wordCount(script),
    loudnessLufs: null,
    scheduledForMs: draft.scheduledForMs,
    createdAtMs: now
  }
  return segment
})
/** Saves a new segment with its gate, review and event, in the caller's transaction. */
export const enter = Effect.fnUntraced(function* (segment: NewSegment) {
  const segments = yield* SegmentsWriter
  const standings = yield* Standings
  const { record } = yield* segments.add(segment)
  if (record.isFirstAir) {
    const gate = yield* standings.gate(record.agentId)
    const waiting = {
      ...gate,
      state: "awaiting_review",
      segmentId: record.id,
      submittedAtMs: record.createdAtMs,
      reviewedAtMs: null,
      reason: null
    } as const
    yield* Effect.all([saveGate(record.agentId, waiting), askForReview(segmentCard(record, "first_air"))], {
      concurrency: "unbounded",
      discard: true
    })
  } else if (record.status === "held" || record.statusReason === "SEGMENT_REVIEW") {
    yield* askForReview(segmentCard(record, "segment"))
  }
  yield* emitSegment(record)
  return record
})
