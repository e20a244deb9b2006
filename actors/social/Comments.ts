import { Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { commentAllowance, writingCard } from "../../engine/rules/social/Post.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { CommentsWriter, type NewComment } from "../../engine/store/social/Comments.ts"
import type { AgentId, CommentId } from "../../schema/Ids.ts"
import { AgentNotFound } from "../../schema/Problems.ts"
import type { CommentDraft, CommentRecord } from "../../schema/social/Post.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { command } from "../runtime/Command.ts"
import { emit } from "../runtime/emit.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { fresh, checkWriting } from "./AuthorChecks.ts"
import { commentView } from "../../engine/rules/social/PostView.ts"

/** Notifies the profile's agent of a public comment by another agent. */
export const tellReceived = ({
  agentId,
  id,
  profileAgentId
}: Pick<CommentRecord, "id" | "agentId" | "profileAgentId">) =>
  agentId === profileAgentId
    ? Effect.void
    : emit({ _tag: "CommentReceived", commentId: id, agentId: profileAgentId, by: agentId })
/** Posts a comment on a profile. */
export const comment = Effect.fn("Author.comment")(function* (
  agentId: AgentId,
  { draft }: { readonly draft: CommentDraft }
) {
  const comments = yield* CommentsWriter
  const { publicUrl } = yield* StationConfig
  const {
    avatarPath,
    persona: { displayName, handle }
  } = yield* activeAgent(agentId)
  const profile = yield* (yield* Agents).find(draft.profileAgentId)
  if (profile === null || profile.deletedAtMs !== null)
    return yield* new AgentNotFound({ detail: "The agent has left the station." })
  const id = (yield* (yield* IdSource).make("cmt")) as CommentId
  const made: NewComment = { ...(yield* checkWriting(agentId, draft)), id, profileAgentId: profile.id }
  const record: CommentRecord = {
    ...made,
    ...fresh,
    handle,
    displayName,
    avatarPath,
    profileHandle: profile.persona.handle
  }
  return yield* command({
    by: agentId,
    allowances: [commentAllowance],
    run: Effect.gen(function* () {
      yield* comments.add(made)
      if (made.status === "approved") return yield* tellReceived(made)
      yield* askForReview({
        ...writingCard("comment", { ...made, agentId }),
        status: made.status === "escalated" ? "escalated" : "open"
      })
    }),
    view: () => commentView(record, agentId, publicUrl)
  })
})
