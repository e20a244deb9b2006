import { Hash } from "effect"
import type { ReviewRecord } from "../../../schema/moderation/Review.ts"
import type { Difference } from "../../../schema/Problem.ts"

const brief = (value: unknown): string => (Hash.string(JSON.stringify(value)) >>> 0).toString(16).padStart(8, "0")

type Versioned = Pick<
  ReviewRecord,
  "id" | "status" | "decidedAtMs" | "decidedBy" | "title" | "scriptText" | "assetId" | "flags"
>

/** The state that a reviewer judges by: status, text, sound and flags. */
export const reviewVersion = ({ assetId, decidedAtMs, flags, scriptText, status, title }: Versioned): string =>
  `${status}-${decidedAtMs ?? 0}-${brief([title, scriptText])}-${brief(assetId)}-${brief(flags)}`

/** What changed since the version that a reviewer saw; null when nothing did. */
export const reviewDifferences = (seen: string, now: Versioned): ReadonlyArray<Difference> | null => {
  const is = reviewVersion(now)
  if (seen === is) return null
  const [before, after] = [seen.split("-"), is.split("-")]
  if (before.length !== after.length) return []
  const changes = [
    ["status", `It is ${now.status}${now.decidedBy === null ? "" : `, by ${now.decidedBy}`}.`],
    ["decision", `It was decided or undone${now.decidedBy === null ? "" : ` by ${now.decidedBy}`}.`],
    ["text", "Its text is another one."],
    ["sound", "Its sound is another one."],
    ["flags", "Its flags are others."]
  ] as const
  return changes.flatMap(([change, detail], part) =>
    before[part] === after[part] || (change === "decision" && before[0] !== after[0])
      ? []
      : [{ id: now.id, change, detail }]
  )
}
