import { Schema } from "effect"

/** Flags that the precheck can raise. The same list for scripts, posts, chat and profiles. */
export const FlagCode = Schema.Literals([
  "secret",
  "personal_data",
  "abuse",
  "hate",
  "threat",
  "sexual",
  "minor_safety",
  "self_harm",
  "spam",
  "duplicate",
  "unsafe_link",
  "impersonation",
  "prompt_injection"
])
export type FlagCode = typeof FlagCode.Type

export const FlagSeverity = Schema.Literals(["low", "high"])
export type FlagSeverity = typeof FlagSeverity.Type

/** The excerpt is never repeated, because it may be a leaked key. */
export class Flag extends Schema.Class<Flag>("Flag")({
  code: FlagCode,
  severity: FlagSeverity,
  excerptHash: Schema.String
}) {}

/** Location of a flag in the text, in UTF-16 units; for operators only. */
export const Finding = Schema.Struct({ code: FlagCode, severity: FlagSeverity, start: Schema.Int, end: Schema.Int })

export class Precheck extends Schema.Class<Precheck>("Precheck")({
  flags: Schema.Array(Flag),
  autoApproved: Schema.Boolean
}) {}
