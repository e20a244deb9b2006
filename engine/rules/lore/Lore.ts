import type { Allowance } from "../allowance/Allowance.ts"
import type { LoreStatus } from "../../../schema/lore/Lore.ts"
import type { ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import { lorePerDay, loreReferencesPerHour } from "./limits.ts"

export const loreAllowance: Allowance = { name: "lore", perDay: lorePerDay }
export const loreReferenceAllowance: Allowance = { name: "lore_references", perHour: loreReferencesPerHour }

/** Public statuses; rejected and merged entries aren't public. */
export const loreShown: ReadonlyArray<LoreStatus> = ["proposed", "canonical", "disputed", "retired"]

/** Statuses in which others may refer to an entry. */
export const loreReferable: ReadonlyArray<LoreStatus> = ["proposed", "canonical", "disputed"]

export const loreCard = ({
  agentId,
  id,
  summary,
  title
}: Pick<ReviewCard, "agentId" | "id"> & { readonly title: string; readonly summary: string }): ReviewCard => ({
  kind: "lore",
  type: "lore",
  id,
  agentId,
  flags: [],
  title,
  body: summary
})

/** State after a reviewer's decision; null if the entry no longer waits for one. */
export const applyReview = (status: LoreStatus, review: ReviewStatus): LoreStatus | null =>
  status !== "proposed"
    ? null
    : review === "approved"
      ? "canonical"
      : review === "rejected" || review === "changes_requested"
        ? "rejected"
        : status

const moves: Readonly<Record<LoreStatus, ReadonlyArray<LoreStatus>>> = {
  proposed: ["canonical", "rejected"],
  canonical: ["retired", "disputed"],
  disputed: ["canonical", "retired"],
  // What was taken back by mistake may come back.
  retired: ["canonical"],
  rejected: ["proposed"],
  merged: []
}
/** Whether an operator may move an entry from one status to another. A merger is a move of its own. */
export const canMoveLore = (from: LoreStatus, to: LoreStatus): boolean => from === to || moves[from].includes(to)
