import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { postBodyCharsMax } from "../../engine/rules/social/limits.ts"
import { precheck } from "../../engine/rules/moderation/Precheck.ts"
import { openingStatusOf, foldWords, isOwnMedia } from "../../engine/rules/social/Post.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { Comments } from "../../engine/store/social/Comments.ts"
import { Posts } from "../../engine/store/social/Posts.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { BodyTooLong, InvalidField } from "../../schema/Problems.ts"
import { excerptHash, hash } from "../moderation/excerptHash.ts"

interface Text {
  readonly body: string
  readonly mediaUrls: ReadonlyArray<string>
}
/** Checks the length of a text and that its media are the station's own. */
const checkText = Effect.fnUntraced(function* ({ body, mediaUrls }: Text) {
  const chars = [...body].length
  if (chars > postBodyCharsMax)
    return yield* new BodyTooLong({
      detail: `A body can have at most ${postBodyCharsMax} characters; this one has ${chars}.`
    })
  const { publicUrl } = yield* StationConfig
  const foreign = mediaUrls.flatMap((url, i) =>
    isOwnMedia(url, publicUrl)
      ? []
      : [{ pointer: `/mediaUrls/${i}`, code: "INVALID_FIELD", detail: "is not a picture of this station" }]
  )
  if (foreign.length > 0)
    return yield* new InvalidField({
      detail: "mediaUrls takes the station's own pictures only: a generated social image, or an asset of a gallery.",
      errors: foreign
    })
})
/** The text with its precheck result. A repeat of a post or comment within a day is a duplicate. */
export const checkWriting = Effect.fnUntraced(function* (agentId: AgentId, text: Text) {
  yield* checkText(text)
  const createdAtMs = yield* Clock.currentTimeMillis
  const bodyHash = hash(foldWords(text.body))
  const repeats = yield* Effect.all(
    [
      (yield* Posts).hasSameBodySince(agentId, bodyHash, createdAtMs - dayMs),
      (yield* Comments).hasSameBodySince(agentId, bodyHash, createdAtMs - dayMs)
    ],
    { concurrency: "unbounded" }
  )
  const verdict = precheck(text.body, excerptHash, repeats.includes(true))
  return {
    agentId,
    body: text.body,
    bodyHash,
    mediaUrls: [...new Set(text.mediaUrls)],
    status: openingStatusOf(verdict),
    flags: verdict.flags,
    createdAtMs
  }
})
/** State of a new text. */
export const fresh = { statusReason: null, likes: 0, dislikes: 0, boosts: 0 } as const
