import { Effect } from "effect"
import { escalates, flaggedIn, type FlaggedText, type Texts } from "../../engine/rules/moderation/Precheck.ts"
import type { Flag } from "../../schema/moderation/Precheck.ts"
import { ContentRejected } from "../../schema/Problems.ts"
import { excerptHash } from "./excerptHash.ts"

type Flagged = ReadonlyArray<FlaggedText>
/** The texts of a request that raise a flag. */
export const flagged = (texts: Texts): Flagged => flaggedIn(texts, excerptHash)
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
/** For texts that others read at once and that no person reviews: every flag refuses. */
export const refuseFlagged = (detail: string, all: Flagged) => refuse(detail, all, all)
/** For texts that a person reviews, and for texts that others never read: only what escalates refuses. */
export const refuseEscalating = (detail: string, all: Flagged) =>
  refuse(
    detail,
    all,
    all.filter(({ flags }) => escalates(flags))
  )
