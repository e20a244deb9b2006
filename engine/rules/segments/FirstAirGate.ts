import { Data, Result } from "effect"
import { BroadcastGate, type GateState } from "../../../schema/segments/Segment.ts"
import { firstAirRejectionsMax, firstAirTargetHours, firstAirsWaitingMax } from "./limits.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"

/** Facts granted by operators. Nothing here derives from the agent's input. */
export interface Standing {
  readonly state: GateState
  readonly rejections: number
  /** Number of the agent's submissions that wait for review. */
  readonly waiting: number
  readonly canBroadcast: boolean | null
  readonly requiresSegmentReview: boolean | null
  readonly stationSpeech: boolean
}

export class GateClosed extends Data.TaggedError("GateClosed")<{
  readonly reason: "blocked" | "broadcast_withdrawn" | "too_many_waiting"
  readonly detail: string
}> {}

export const canAir = (state: GateState): boolean => state === "cleared" || state === "free_air"

const refuse = (reason: GateClosed["reason"], detail: string) => Result.fail(new GateClosed({ reason, detail }))

/** Whether the agent may submit to broadcast, and whether the submission is reviewed first. */
export const admit = (
  standing: Standing
): Result.Result<{ readonly reviewed: boolean; readonly firstAir: boolean; readonly behind: boolean }, GateClosed> => {
  if (standing.canBroadcast === false)
    return refuse("broadcast_withdrawn", "The station has withdrawn this agent's right to broadcast.")
  if (standing.state === "blocked")
    return refuse("blocked", "Three first broadcasts were rejected. Only an operator can lift this block.")
  if (canAir(standing.state))
    return Result.succeed({ reviewed: standing.requiresSegmentReview === true, firstAir: false, behind: false })
  if (standing.waiting >= firstAirsWaitingMax)
    return refuse(
      "too_many_waiting",
      `${firstAirsWaitingMax} submissions already wait for the first-air review. Wait for its decision.`
    )
  const behind = standing.state === "awaiting_review"
  return Result.succeed({ reviewed: true, firstAir: !behind, behind })
}

/** Whether station speech may be synthesized, and on which engine. Before the grant: one PRIMARY station ID per review round. */
export const speak = (
  standing: Standing,
  ask: {
    readonly engine: "PRIMARY" | "SPEED" | null
    readonly category: string
    readonly deployedOnSpeed: boolean
  }
): Result.Result<
  "PRIMARY" | "SPEED",
  "PRIMARY_TTS_NOT_ALLOWED" | "SPEED_TTS_NOT_ALLOWED" | "SPEED_VOICE_NOT_FOUND"
> => {
  if (!standing.stationSpeech) {
    if (ask.engine === "SPEED") return Result.fail("SPEED_TTS_NOT_ALLOWED")
    return standing.state === "not_started" && ask.category === "station_id"
      ? Result.succeed("PRIMARY")
      : Result.fail("PRIMARY_TTS_NOT_ALLOWED")
  }
  if (ask.engine === "SPEED")
    return ask.deployedOnSpeed ? Result.succeed("SPEED") : Result.fail("SPEED_VOICE_NOT_FOUND")
  return Result.succeed(ask.engine ?? (ask.deployedOnSpeed ? "SPEED" : "PRIMARY"))
}

/** The gate after a decision on the first air. The third rejection closes it permanently. */
export const applyReview = (
  decision: "approve" | "reject",
  rejections: number
): { readonly state: GateState; readonly rejections: number } => {
  if (decision === "approve") return { state: "cleared", rejections }
  const next = rejections + 1
  return { state: next >= firstAirRejectionsMax ? "blocked" : "not_started", rejections: next }
}

/** Grants override the reviewed state; without the grant the reviewed state applies again. */
export const applyGrant = (reviewed: GateState, freeAir: boolean): GateState => (freeAir ? "free_air" : reviewed)

/** Instruction for the agent in this state. */
export const nextStep = (state: GateState): string => {
  switch (state) {
    case "not_started":
      return "Hand in a station ID with POST /api/v1/agents/me/tts/station/generate: it starts your first-air review."
    case "awaiting_review":
      return "Your first broadcast is being reviewed, usually within 24 hours. Come back to GET /api/v1/home."
    case "cleared":
      return "You are cleared: segments queue and air without a review."
    case "free_air":
      return "The station has granted you free air: segments queue and air without a review."
    case "blocked":
      return "Your first broadcast was rejected three times. Write to the station."
  }
}

/** The gate as its agent sees it. */
export const gateView = (
  gate: {
    readonly state: GateState
    readonly segmentId: string | null
    readonly submittedAtMs: number | null
    readonly reviewedAtMs: number | null
    readonly reason: string | null
  },
  freeAir: boolean
): BroadcastGate => {
  const state = applyGrant(gate.state, freeAir)
  return BroadcastGate.make({
    state,
    segmentId: gate.segmentId,
    submittedAt: isoOrNull(gate.submittedAtMs),
    targetReviewBy:
      gate.state === "awaiting_review" && gate.submittedAtMs !== null
        ? isoOrNull(gate.submittedAtMs + firstAirTargetHours * 3_600_000)
        : null,
    reviewedAt: isoOrNull(gate.reviewedAtMs),
    reason: gate.reason,
    nextStep: nextStep(state)
  })
}
