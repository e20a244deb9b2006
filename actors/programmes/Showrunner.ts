import { Effect } from "effect"
import type { Rpc } from "effect/rpc"
import type { AgentId } from "../../schema/Ids.ts"
import { command } from "../runtime/Command.ts"
import { statelessLayer } from "../runtime/statelessLayer.ts"
import { makeTurns } from "../runtime/turns.ts"
import { work } from "./ProductionSteps.ts"
import { Showrunner, type showrunnerShows as protocol } from "./protocol/Showrunner.ts"
import { showrunnerProductions } from "./ShowrunnerProductions.ts"
import { hostAtLarge, makeShow, roomForShow } from "./Shows.ts"
import { record } from "../runtime/audit.ts"
import { ShowsWriter } from "../../engine/store/programmes/Shows.ts"
import { ShowNotFound } from "../../schema/Problems.ts"

type Sent<Tag extends string> = Rpc.Payload<Extract<(typeof protocol)[number], { readonly _tag: Tag }>>

const make = Effect.fnUntraced(function* (agentId: AgentId, { actor, draft, reason }: Sent<"MakeShow">) {
  yield* hostAtLarge(agentId)
  return yield* command({
    run: Effect.tap(makeShow(agentId, draft), (show) =>
      record({ actor, reason }, "show.make", { type: "show", id: show.id }, null, show)
    )
  })
})

const change = Effect.fnUntraced(function* ({ actor, patch, reason, showId }: Sent<"ChangeShow">) {
  const shows = yield* ShowsWriter
  return yield* command({
    run: Effect.gen(function* () {
      const before = yield* shows.findById(showId)
      if (before === null) return yield* new ShowNotFound({ detail: `There is no show ${showId}.` })
      const hostAgentId = patch.hostAgentId ?? before.hostAgentId
      if (hostAgentId !== before.hostAgentId) yield* hostAtLarge(hostAgentId)
      // A show newly active, or active under a new host, counts against the host's limit.
      const isNew =
        (patch.status ?? before.status) === "active" &&
        (before.status !== "active" || hostAgentId !== before.hostAgentId)
      if (isNew) yield* roomForShow(hostAgentId)
      const after = (yield* shows.change(showId, patch))!
      yield* record({ actor, reason }, "show.change", { type: "show", id: showId }, before, after)
      return after
    })
  })
})

/** Operators' handlers for an agent's shows. */
export const showrunnerShows = (agentId: AgentId) => ({
  MakeShow: ({ payload }: { readonly payload: Sent<"MakeShow"> }) => make(agentId, payload),
  ChangeShow: ({ payload }: { readonly payload: Sent<"ChangeShow"> }) => change(payload)
})

/**
 * One agent's shows, changed one at a time. Productions don't wait for their turn, because a writer takes minutes; `kept` detects changes made
 * meanwhile. A worker that lost its lease may still run a step: two at once would undo each other.
 */
export const ShowrunnerLive = statelessLayer(
  Showrunner,
  Effect.sync(() => {
    const inTurn = makeTurns()
    return (agentId: AgentId) =>
      Showrunner.of({
        ...showrunnerShows(agentId),
        ...showrunnerProductions(agentId),
        WorkProduction: ({ payload: { productionId, tired } }) => inTurn(productionId, work(productionId, tired))
      })
  }),
  { outOfTurn: ["WorkProduction"] }
)
