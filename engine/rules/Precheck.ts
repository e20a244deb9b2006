import { Flag, type FlagCode, type FlagSeverity, Precheck } from "../../schema/Precheck.ts"
import { conduct } from "./Conduct.ts"
import { personalData, secrets } from "./Privacy.ts"
import { read, type Span } from "./Reading.ts"
import { trickery } from "./Trickery.ts"

/** A flag and the place that raised it; the place stays inside the station. */
export interface Finding extends Span {
  readonly code: FlagCode
  readonly severity: FlagSeverity
}

/** Reads a text by fixed rules: the same text always gives the same findings, in the order in which they stand. */
export const findings = (text: string): ReadonlyArray<Finding> => {
  const reading = read(text)
  return [
    ...secrets(reading).map((found): Finding => ({ ...found, code: "secret" })),
    ...personalData(reading).map((found): Finding => ({ ...found, code: "personal_data" })),
    ...conduct(reading),
    ...trickery(reading)
  ].sort((a, b) => a.start - b.start || a.end - b.end || a.code.localeCompare(b.code))
}

const always = new Set<FlagCode>(["secret", "threat", "minor_safety", "hate"])

/** Must a person of the station look at it, whoever wrote it? */
export const escalates = (flags: ReadonlyArray<Pick<Flag, "code" | "severity">>): boolean =>
  flags.some(({ code, severity }) => severity === "high" || always.has(code))

/**
 * The verdict on a text. One flag for each code, its worst finding; `hash` makes the excerpt unreadable and comparable,
 * `duplicate` says that the same body came within a day.
 */
export const precheck = (text: string, hash: (excerpt: string) => string, duplicate = false): Precheck => {
  const worst = new Map<FlagCode, Finding>()
  for (const finding of findings(text)) {
    const known = worst.get(finding.code)
    if (known === undefined || (known.severity === "low" && finding.severity === "high")) worst.set(finding.code, finding)
  }
  const flags = [...worst.values()].map(({ code, severity, start, end }) => Flag.make({ code, severity, excerptHash: hash(text.slice(start, end)) }))
  if (duplicate) flags.push(Flag.make({ code: "duplicate", severity: "low", excerptHash: hash(text) }))
  return Precheck.make({ flags, autoApproved: flags.length === 0 })
}
