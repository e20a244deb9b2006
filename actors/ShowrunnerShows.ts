import { Effect } from "effect"
import type { Rpc } from "effect/rpc"
import { Shows } from "../engine/store/Shows.ts"
import type { AgentId } from "../schema/Ids.ts"
import { ShowNotFound } from "../schema/Problems.ts"
import { record } from "./Auditing.ts"
import type { showrunnerShows as protocol } from "./protocol/ShowrunnerShows.ts"
import { performed } from "./Rehearsing.ts"
import { hostAtLarge, makeShow, roomForShow } from "./ShowMaking.ts"

type Sent<Tag extends string> = Rpc.Payload<Extract<(typeof protocol)[number], { readonly _tag: Tag }>>

const make = Effect.fn("Showrunner.makeShow")(function*(agentId: AgentId, { actor, draft, dryRun, reason }: Sent<"MakeShow">) {
  yield* hostAtLarge(agentId)
  return yield* performed(Effect.tap(makeShow(agentId, draft), (show) => record({ actor, reason }, "show.make", { type: "show", id: show.id }, null, show)), dryRun)
})

const change = Effect.fn("Showrunner.changeShow")(function*({ actor, dryRun, patch, reason, showId }: Sent<"ChangeShow">) {
  const shows = yield* Shows
  return yield* performed(Effect.gen(function*() {
    const before = yield* shows.byId(showId)
    if (before === null) return yield* new ShowNotFound({ detail: `There is no show ${showId}.` })
    const hostAgentId = patch.hostAgentId ?? before.hostAgentId
    if (hostAgentId !== before.hostAgentId) yield* hostAtLarge(hostAgentId)
    // Whoever has it on the air from now on, and hadn't before, needs room for it.
    const isNew = (patch.status ?? before.status) === "active" && (before.status !== "active" || hostAgentId !== before.hostAgentId)
    if (isNew) yield* roomForShow(hostAgentId)
    const after = (yield* shows.change(showId, patch))!
    yield* record({ actor, reason }, "show.change", { type: "show", id: showId }, before, after)
    return after
  }), dryRun)
})

/** The shows of one agent, as operators make and change them. */
export const showrunnerShows = (agentId: AgentId) => ({
  MakeShow: ({ payload }: { readonly payload: Sent<"MakeShow"> }) => make(agentId, payload),
  ChangeShow: ({ payload }: { readonly payload: Sent<"ChangeShow"> }) => change(payload)
})
