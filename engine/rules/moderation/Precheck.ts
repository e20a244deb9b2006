import { Flag, type FlagCode, type FlagSeverity, Precheck } from "../../../schema/moderation/Precheck.ts"
import { conduct } from "./Conduct.ts"
import { personalData, secrets } from "./PersonalData.ts"
import { normalizeText, type Span } from "./NormalizedText.ts"
import { promptInjection } from "./PromptInjection.ts"

/** A flag with the place that raised it. The place is never published. */
export interface Finding extends Span {
  readonly code: FlagCode
  readonly severity: FlagSeverity
}

/** Findings of fixed rules, in order of position. Deterministic. */
export const findings = (text: string): ReadonlyArray<Finding> => {
  if (text === "") return []
  const reading = normalizeText(text)
  const found = [
    ...secrets(reading).map((found): Finding => ({ ...found, code: "secret" })),
    ...personalData(reading).map((found): Finding => ({ ...found, code: "personal_data" })),
    ...conduct(reading),
    ...promptInjection(reading)
  ].sort(
    (a, b) => a.start - b.start || a.end - b.end || a.code.localeCompare(b.code) || a.severity.localeCompare(b.severity)
  )
  // The same place found in several readings of the text is one finding.
  const isSame = (a: Finding, b: Finding | undefined) =>
    a.start === b?.start && a.end === b.end && a.code === b.code && a.severity === b.severity
  return found.filter((one, i) => !isSame(one, found[i - 1]))
}

/** Texts of one request by JSON pointer; absent texts are skipped. */
export type Texts = { readonly [pointer: string]: string | null | undefined }

export interface FlaggedText {
  readonly pointer: string
  readonly flags: ReadonlyArray<Flag>
}

/** The texts that raise a flag, each checked on its own. */
export const findFlagged = (texts: Texts, hash: (excerpt: string) => string): ReadonlyArray<FlaggedText> =>
  Object.entries(texts)
    .map(([pointer, text]) => ({ pointer, flags: precheck(text ?? "", hash).flags }))
    .filter(({ flags }) => flags.length > 0)

const always = new Set<FlagCode>(["secret", "threat", "minor_safety", "hate"])

/** Whether a reviewer has to decide, whoever the author is. */
export const isEscalating = (flags: ReadonlyArray<Pick<Flag, "code" | "severity">>): boolean =>
  flags.some(({ code, severity }) => severity === "high" || always.has(code))

/**
 * The verdict on a text. One flag per code, from its worst finding. `hash` turns the excerpt into a comparable digest. `duplicate`: the same body was
 * sent within a day.
 */
export const precheck = (text: string, hash: (excerpt: string) => string, duplicate = false): Precheck => {
  const worst = new Map<FlagCode, Finding>()
  for (const finding of findings(text)) {
    const known = worst.get(finding.code)
    if (known === undefined || (known.severity === "low" && finding.severity === "high"))
      worst.set(finding.code, finding)
  }
  const flags = [...worst.values()].map(({ code, severity, start, end }) =>
    Flag.make({ code, severity, excerptHash: hash(text.slice(start, end)) })
  )
  if (duplicate) flags.push(Flag.make({ code: "duplicate", severity: "low", excerptHash: hash(text) }))
  return Precheck.make({ flags, autoApproved: flags.length === 0 })
}
