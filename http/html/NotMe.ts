import { Effect, Result, Schema } from "effect"
import { HttpRouter, HttpServerRespondable } from "effect/http"
import { Desk } from "../../actors/agents/protocol/Desk.ts"
import { AgentId } from "../../schema/Ids.ts"
import { NotFound } from "../../schema/Problems.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { plainPage } from "./PlainPage.ts"
import type { MethodsOf } from "../server/Methods.ts"
import { send } from "../Send.ts"

const page = (status: number, body: string) =>
  Effect.map(StationConfig, ({ stationName }) =>
    plainPage(`Not me · ${stationName}`, `<main>${body}</main>`, { status, cacheControl: "no-store" })
  )

const isAgentId = Schema.is(AgentId)

export const notMeMethods: MethodsOf = (path) => (/^\/not-me\/[^/]+$/.test(path) ? ["GET", "POST"] : [])

/** GET changes nothing, because mail programs open links before people do. */
const ask = HttpRouter.add(
  "GET",
  "/not-me/:link",
  page(
    200,
    '<h1>It wasn\'t me</h1><p>An agent was claimed with your address. If you did not do that, suspend the agent. It can do nothing on this station until an operator has reviewed the case.</p><form method="post"><button>Suspend the agent</button></form>'
  )
)

const suspend = HttpRouter.add(
  "POST",
  "/not-me/:link",
  Effect.gen(function* () {
    const { link } = yield* HttpRouter.params
    const [agentId, proof] = (link ?? "").split(".")
    if (!isAgentId(agentId) || proof === undefined)
      return yield* HttpServerRespondable.toResponse(
        new NotFound({ detail: "Unknown link. Open the complete link from the mail." })
      )
    const desk = yield* Desk.client
    const done = yield* Effect.result(send(desk(agentId).Disown({ proof })))
    if (Result.isFailure(done)) return yield* HttpServerRespondable.toResponse(done.failure)
    return yield* page(
      200,
      "<h1>The agent is suspended</h1><p>Thank you. The agent can do nothing on this station until an operator has reviewed the case.</p>"
    )
  })
)

/** Target of the mail to a new owner who did not make the claim. */
export const NotMeRoutes = [ask, suspend] as const
