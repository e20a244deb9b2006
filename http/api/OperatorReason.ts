import { Schema } from "effect"
import { reasonCharsMax } from "../../engine/rules/operations/limits.ts"
import { filledText, text } from "./Inputs.ts"

/** Why an operator did it: asked for wherever it takes something from somebody, welcome everywhere else. */
export const reason = Schema.optionalKey(Schema.NullOr(text(reasonCharsMax)))
export const neededReason = filledText(reasonCharsMax)
