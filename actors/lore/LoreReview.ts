import { Clock, Effect } from "effect"
import { applyReview } from "../../engine/rules/lore/Lore.ts"
import { Lore, type LoreRecord, LoreWriter } from "../../engine/store/lore/Lore.ts"
import type { LoreStatus } from "../../schema/lore/Lore.ts"
import { moveByState, makeReviewable } from "../moderation/Reviews.ts"
import { emit } from "../runtime/emit.ts"
import { Canon } from "./protocol/Canon.ts"

interface State {
  readonly status: LoreStatus
  readonly reason: string | null
}

/** Reviews of proposed entries: approved ones become canonical. */
export const loreReview = makeReviewable({
  type: "lore",
  entity: Canon,
  key: "station",
  find: (id) => Effect.flatMap(Lore, (lore) => lore.findAny(id)),
  ...moveByState({
    state: ({ status }: LoreRecord): State => ({ status, reason: null }),
    statusOf: ({ status }) => status,
    applyVerdict: ({ status }, { reason, status: review }) => {
      const to = applyReview(status, review)
      return to === null ? null : { status: to, reason }
    },
    move: Effect.fnUntraced(function* ({ id, proposedBy, status, title }: LoreRecord, to: State) {
      if (!(yield* (yield* LoreWriter).move(id, status, to.status, yield* Clock.currentTimeMillis))) return false
      if (proposedBy !== null)
        yield* emit({
          _tag: "LoreDecided",
          entryId: id,
          agentId: proposedBy,
          title,
          status: to.status,
          reason: to.reason
        })
      return true
    })
  })
})
