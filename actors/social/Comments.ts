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
import { spendAllowance } from "../runtime/spendAllowance.ts"
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
export const comment = Effect.fnUntraced(function* (agentId: AgentId, { draft }: { readonly draft: CommentDraft }) {
  const comments = yield* CommentsWriter
  const { publicUrl } = yield* StationConfig
  return yield* command({
    run: Effect.gen(function* () {
      const [{ avatarPath, persona }, profile, text] = yield* Effect.all(
        [activeAgent(agentId), (yield* Agents).find(draft.profileAgentId), checkWriting(agentId, draft)],
        { concurrency: "unbounded" }
      )
      if (profile === null || profile.deletedAtMs !== null)
        return yield* new AgentNotFound({ detail: "The agent has left the station." })
      const { displayName, handle } = persona
      const id = (yield* (yield* IdSource).make("cmt")) as CommentId
      const made: NewComment = { ...text, id, profileAgentId: profile.id }
      // Run together, these go to the database as few statements. If the allowance is used up, the transaction is rolled back.
      yield* Effect.all(
        [
          spendAllowance(commentAllowance, agentId),
          comments.add(made),
          made.status === "approved"
            ? tellReceived(made)
            : askForReview({
                ...writingCard("comment", { ...made, agentId }),
                status: made.status === "escalated" ? "escalated" : "open"
              })
        ],
        { concurrency: "unbounded", discard: true }
      )
      const record: CommentRecord = {
        ...made,
        ...fresh,
        handle,
        displayName,
        avatarPath,
        profileHandle: profile.persona.handle
      }
      return commentView(record, agentId, publicUrl)
    })
  })
})
