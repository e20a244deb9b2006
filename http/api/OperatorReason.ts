import { Schema } from "effect"
import { reasonCharsMax } from "../../engine/rules/operations/limits.ts"
import { requiredText, text } from "./Inputs.ts"

/** An operator's reason: required where something is taken from someone, optional elsewhere. */
export const reason = Schema.optionalKey(Schema.NullOr(text(reasonCharsMax)))
export const neededReason = requiredText(reasonCharsMax)
