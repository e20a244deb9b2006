import type { FlagReason } from "../../../schema/segments/Flag.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import { flagHoldWeight, flagReviewWeight, flagsPerDay, flagTierMin } from "./limits.ts"

/** Flags of an agent per day. */
export const flagAllowance: Allowance = { name: "segment_flags", perDay: flagsPerDay }

/** Weight of an agent's flag by its tier; null if its flags don't count yet. */
export const flagWeight = (tier: number): number | null => (tier < flagTierMin ? null : tier - flagTierMin + 1)

/** What the sum of the weights asks for. */
export const flagOutcome = (totalWeight: number): "none" | "review" | "hold" =>
  totalWeight >= flagHoldWeight ? "hold" : totalWeight >= flagReviewWeight ? "review" : "none"

/** The flags as reviewers read them. */
export const flagsText = (
  flags: ReadonlyArray<{ readonly reason: FlagReason; readonly note: string | null; readonly weight: number }>
): string =>
  flags.map(({ note, reason, weight }) => `Flag ${reason} (${weight})${note === null ? "" : `: ${note}`}`).join("\n")
