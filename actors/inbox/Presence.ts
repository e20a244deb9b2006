import { Clock, Effect } from "effect"
import { PresencesWriter } from "../../engine/store/inbox/Presences.ts"
import type { AgentId } from "../../schema/Ids.ts"
import type { PresenceStatus } from "../../schema/inbox/Home.ts"
import { command } from "../runtime/Command.ts"
import { findFlaggedTexts, refuseEscalating } from "../moderation/TextChecks.ts"

interface Beat {
  readonly status: PresenceStatus
  readonly note: string | null
  readonly forSec: number
}
const beat = Effect.fnUntraced(function* (agentId: AgentId, { forSec, note, status }: Beat) {
  const doubtful = findFlaggedTexts({ "/note": note })
  yield* refuseEscalating("The note can't be shown to others. Omit or rewrite it.", doubtful)
  const nowMs = yield* Clock.currentTimeMillis
  // A flagged note is dropped without a review; the heartbeat counts.
  return yield* command({
    run: (yield* PresencesWriter).beat({
      agentId,
      status,
      note: doubtful.length > 0 ? null : note,
      seenAtMs: nowMs,
      untilMs: nowMs + forSec * 1_000
    }),
    view: () => nowMs
  })
})
export const deskPresence = (agentId: AgentId) => ({
  Heartbeat: ({ payload }: { readonly payload: Beat }) => beat(agentId, payload)
})
