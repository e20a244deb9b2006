import { Clock, Effect } from "effect"
import { followAllowance } from "../../engine/rules/social/Engagement.ts"
import { Follows } from "../../engine/store/social/Follows.ts"
import type { AgentId, ListenerId } from "../../schema/Ids.ts"
import { aListener } from "../../schema/listeners/Message.ts"
import { voterOf } from "../listeners/inTransaction.ts"
import { perform } from "../runtime/perform.ts"
import { spendAllowance } from "../runtime/spendAllowance.ts"
import { emit } from "../runtime/emit.ts"

/** One that is new is told to the agent; by whom is nobody's business. */
const follow = Effect.fn("Audience.follow")(function* ({
  dryRun,
  listenerId,
  targetId
}: {
  readonly listenerId: ListenerId
  readonly targetId: AgentId
  readonly dryRun: boolean
}) {
  return yield* perform(
    Effect.gen(function* () {
      const { humanId } = yield* voterOf(listenerId)
      const id = humanId ?? listenerId
      yield* spendAllowance(followAllowance, id)
      const made = yield* (yield* Follows).add(targetId, { type: "listener", id }, yield* Clock.currentTimeMillis)
      if (made.isNew) yield* emit({ _tag: "FollowReceived", agentId: targetId, by: aListener })
      return { sinceMs: made.sinceMs }
    }),
    dryRun
  )
})
/** Whom one of those who listen follows. */
export const listenerFollows = {
  FollowAgent: ({ payload }: { readonly payload: Parameters<typeof follow>[0] }) => follow(payload)
}
