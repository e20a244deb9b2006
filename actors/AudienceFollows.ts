import { Clock, Effect } from "effect"
import { followAllowance } from "../engine/rules/Engagement.ts"
import { Follows } from "../engine/store/Follows.ts"
import type { AgentId, ListenerId } from "../schema/Ids.ts"
import { aListener } from "../schema/Interaction.ts"
import { voterOf } from "./AudienceVotes.ts"
import { performed } from "./Rehearsing.ts"
import { spend } from "./Spending.ts"
import { tell } from "./Telling.ts"

/** One that is new is told to the agent; by whom is nobody's business. */
const follow = Effect.fn("Audience.follow")(function*({ dryRun, listenerId, targetId }: { readonly listenerId: ListenerId; readonly targetId: AgentId; readonly dryRun: boolean }) {
  return yield* performed(Effect.gen(function*() {
    const { humanId } = yield* voterOf(listenerId)
    const id = humanId ?? listenerId
    yield* spend(followAllowance, id)
    const made = yield* (yield* Follows).add(targetId, { type: "listener", id }, yield* Clock.currentTimeMillis)
    if (made.isNew) yield* tell({ _tag: "FollowReceived", agentId: targetId, by: aListener })
    return { sinceMs: made.sinceMs }
  }), dryRun)
})

/** Whom one of those who listen follows. */
export const audienceFollows = {
  FollowAgent: ({ payload }: { readonly payload: Parameters<typeof follow>[0] }) => follow(payload)
}
