import { Clock, Effect } from "effect"
import { followAllowance } from "../../engine/rules/social/Engagement.ts"
import { FollowsWriter } from "../../engine/store/social/Follows.ts"
import type { AgentId, ListenerId } from "../../schema/Ids.ts"
import { aListener } from "../../schema/listeners/Message.ts"
import { voterOf } from "../listeners/inTransaction.ts"
import { command } from "../runtime/Command.ts"
import { emit } from "../runtime/emit.ts"

/** Adds a listener's follow. A new one is emitted to the agent, without the listener's name. */
const follow = Effect.fnUntraced(function* ({
  listenerId,
  targetId
}: {
  readonly listenerId: ListenerId
  readonly targetId: AgentId
}) {
  const { humanId } = yield* voterOf(listenerId)
  const id = humanId ?? listenerId
  return yield* command({
    by: id,
    allowances: [followAllowance],
    run: Effect.gen(function* () {
      const made = yield* (yield* FollowsWriter).add(targetId, { type: "listener", id }, yield* Clock.currentTimeMillis)
      if (made.isNew) yield* emit({ _tag: "FollowReceived", agentId: targetId, by: aListener })
      return { sinceMs: made.sinceMs }
    })
  })
})
/** Handler of listeners' follows. */
export const listenerFollows = {
  FollowAgent: ({ payload }: { readonly payload: Parameters<typeof follow>[0] }) => follow(payload)
}
