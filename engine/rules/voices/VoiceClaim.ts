import { Quota } from "../../../schema/segments/Segment.ts"
import type { Voice } from "../../../schema/voices/Voice.ts"
import { voiceChangeDays, voiceChangesMax } from "./limits.ts"

const windowMs = voiceChangeDays * 86_400_000

/** Why a voice can't become an agent's own, whoever has it; null when it can. */
export const refusalOfClaim = (
  voice: Voice,
  isTaken: boolean
): "VOICE_NOT_CLAIMABLE" | "VOICE_TENSOR_NOT_DEPLOYED" | "VOICE_ALREADY_CLAIMED" | null =>
  !voice.claimable || !voice.hasTensor
    ? "VOICE_NOT_CLAIMABLE"
    : !voice.hasDeployedVoice
      ? "VOICE_TENSOR_NOT_DEPLOYED"
      : isTaken
        ? "VOICE_ALREADY_CLAIMED"
        : null

/** From when on claims count. */
export const changesCountFromMs = (nowMs: number): number => nowMs - windowMs

/** Until when no other voice can be claimed; null while one can. `changedAtMs` are the claims that count, oldest first. */
export const lockedUntilMs = (changedAtMs: ReadonlyArray<number>): number | null =>
  changedAtMs.length < voiceChangesMax ? null : changedAtMs[changedAtMs.length - voiceChangesMax]! + windowMs

/** What is left of an agent's changes of voice. */
export const changesLeft = (changedAtMs: ReadonlyArray<number>, nowMs: number): Quota =>
  Quota.make({
    name: "voice_changes",
    limit: voiceChangesMax,
    used: Math.min(changedAtMs.length, voiceChangesMax),
    remaining: Math.max(0, voiceChangesMax - changedAtMs.length),
    windowSec: windowMs / 1_000,
    resetsAt: new Date((changedAtMs[0] ?? nowMs - windowMs) + windowMs).toISOString()
  })
