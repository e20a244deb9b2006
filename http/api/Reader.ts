import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { AgentId } from "../../schema/Ids.ts"

/** Who reads a list that is open to everybody: an agent, where it sent a good key of its own, or nobody in particular. */
export class CurrentReader extends Context.Service<CurrentReader, { readonly agentId: AgentId | null }>()("longwave/http/api/CurrentReader") {}

/** For public reads that show an agent more of its own. A credential that is no good is as none. */
export class Readers extends HttpApiMiddleware.Service<Readers, { provides: CurrentReader }>()("longwave/http/api/Readers") {}
