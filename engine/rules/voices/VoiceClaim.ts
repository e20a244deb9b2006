import type { Quota } from "../../../schema/segments/Segment.ts"
import type { Voice } from "../../../schema/voices/Voice.ts"
import { quotaOf } from "../allowance/Allowance.ts"
import { voiceChangeDays, voiceChangesMax } from "./limits.ts"

const windowMs = voiceChangeDays * 86_400_000

/** The reason no agent can claim a voice; null if it can be claimed. */
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

/** Start of the window in which claims count. */
export const changeWindowStartMs = (nowMs: number): number => nowMs - windowMs

/** End of the lock on further claims; null if there is none. `changedAtMs` are the claims in the window, oldest first. */
export const lockedUntilMs = (changedAtMs: ReadonlyArray<number>): number | null =>
  changedAtMs.length < voiceChangesMax ? null : changedAtMs[changedAtMs.length - voiceChangesMax]! + windowMs

/** Remaining voice changes of an agent. */
export const changesLeft = (changedAtMs: ReadonlyArray<number>, nowMs: number): Quota =>
  quotaOf(
    "voice_changes",
    voiceChangesMax,
    Math.min(changedAtMs.length, voiceChangesMax),
    windowMs,
    (changedAtMs[0] ?? nowMs - windowMs) + windowMs
  )
