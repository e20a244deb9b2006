import type { Rpc } from "effect/rpc"
import type { audienceMessages as protocol } from "./protocol/AudienceMessages.ts"
import { discardMessage, forgetMessages, settleCall, settleTranscript, writeDown } from "./MessageKeeping.ts"
import { judgeMessage, messageFollowing } from "./MessageReviews.ts"
import { callIn, writeIn } from "./MessageSending.ts"
import { decideReview, undoReview } from "./Reviewing.ts"

/** A message as its payload. */
type Sent<Tag extends string> = { readonly payload: Rpc.Payload<Extract<(typeof protocol)[number], { readonly _tag: Tag }>> }

/** What listeners write and say, and what becomes of it. */
export const audienceMessages = (audience: string) => ({
  WriteIn: ({ payload }: Sent<"WriteIn">) => writeIn(audience, payload),
  CallIn: ({ payload }: Sent<"CallIn">) => callIn(audience, payload),
  Decide: ({ payload }: Sent<"Decide">) => decideReview(null, payload.reviewId, payload.decision, payload.note, payload, messageFollowing),
  UndoDecision: ({ payload }: Sent<"UndoDecision">) => undoReview(null, payload.reviewId, payload, messageFollowing),
  JudgeMessage: ({ payload }: Sent<"JudgeMessage">) => judgeMessage(payload),
  WriteDown: ({ payload }: Sent<"WriteDown">) => writeDown(payload),
  SettleTranscript: ({ payload }: Sent<"SettleTranscript">) => settleTranscript(payload),
  SettleCall: ({ payload }: Sent<"SettleCall">) => settleCall(payload),
  DiscardMessage: ({ payload }: Sent<"DiscardMessage">) => discardMessage(payload.interactionId),
  ForgetMessages: ({ payload }: Sent<"ForgetMessages">) => forgetMessages(payload.humanId)
})
