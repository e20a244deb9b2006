import { Effect } from "effect"
import { AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { behaviours } from "../runtime/Command.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { KeyUses } from "./protocol/KeyUses.ts"

/** Records when agents and their keys were last used. */
export const KeyUsesLive = actorLayer(
  KeyUses,
  Effect.gen(function* () {
    const agents = yield* AgentsWriter
    return KeyUses.of(
      yield* behaviours(KeyUses, {
        Seen: ({ payload: { uses } }) => agents.markSeen(uses)
      })
    )
  }),
  transient
)
