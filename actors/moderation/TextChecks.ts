import { Effect } from "effect"
import { isEscalating, findFlagged, type FlaggedText, type Texts } from "../../engine/rules/moderation/Precheck.ts"
import type { Flag } from "../../schema/moderation/Precheck.ts"
import { ContentRejected } from "../../schema/Problems.ts"
import { excerptHash } from "./excerptHash.ts"

type Flagged = ReadonlyArray<FlaggedText>
/** The flagged texts of a request. */
export const findFlaggedTexts = (texts: Texts): Flagged => findFlagged(texts, excerptHash)
export const flagsOf = (all: Flagged): ReadonlyArray<Flag> => all.flatMap(({ flags }) => flags)
const refuse = (detail: string, all: Flagged, refused: Flagged): Effect.Effect<void, ContentRejected> =>
  refused.length === 0
    ? Effect.void
    : Effect.fail(
        new ContentRejected({
          detail,
          flags: flagsOf(all),
          errors: refused.map(({ flags, pointer }) => ({
            pointer,
            code: "CONTENT_REJECTED",
            detail: `is flagged: ${flags.map(({ code }) => code).join(", ")}`
          }))
        })
      )
/** Refuses every flag. For texts that are public at once and not reviewed. */
export const refuseFlagged = (detail: string, all: Flagged) => refuse(detail, all, all)
/** Refuses only escalating flags. For texts that are reviewed or never public. */
export const refuseEscalating = (detail: string, all: Flagged) =>
  refuse(
    detail,
    all,
    all.filter(({ flags }) => isEscalating(flags))
  )
