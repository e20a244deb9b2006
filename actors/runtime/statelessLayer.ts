import { Effect } from "effect"
import { Entity } from "effect/cluster"
import type { Headers } from "effect/http"
import type { Rpc } from "effect/rpc"
import { actorLayer } from "./actorLayer.ts"
import { behaviours } from "./Command.ts"
import { statelessKind } from "./EntityKinds.ts"
import { actorIdHeader } from "./protocol.ts"
import { makeTurns } from "./turns.ts"

interface Message {
  readonly headers: Headers.Headers
}
type Behaviour = (message: Message) => Effect.Effect<unknown, unknown, unknown>

/**
 * Layer of a `Stateless` actor. `build` makes the handlers of an id, at each of its messages. The messages of an id run one at a time, and those of
 * others meanwhile. Messages named in `outOfTurn` don't wait at all, because they take long.
 */
export const statelessLayer = <
  Type extends string,
  Rpcs extends Rpc.Any,
  Id extends string,
  Handlers extends Entity.HandlersFrom<Rpcs>,
  RX = never
>(
  entity: Entity.Entity<Type, Rpcs>,
  build: Effect.Effect<(id: Id) => Handlers, never, RX>,
  { outOfTurn = [] }: { readonly outOfTurn?: ReadonlyArray<Rpcs["_tag"]> } = {}
) =>
  actorLayer(
    entity,
    Effect.gen(function* () {
      const { entityId } = yield* Entity.CurrentAddress
      const handlersOf = yield* build
      const idOf = ({ headers }: Message) => headers[actorIdHeader] ?? entityId
      const inTurn = makeTurns()
      const tags = [...entity.protocol.requests.keys()]
      const each = (behave: (tag: string) => Behaviour) =>
        Object.fromEntries(tags.map((tag) => [tag, behave(tag)])) as Record<string, Behaviour>
      const all = yield* behaviours(
        entity,
        each((tag) => (message) => {
          const handlers = handlersOf(idOf(message) as Id) as unknown as Record<string, Behaviour>
          return handlers[tag]!(message)
        }) as unknown as Handlers
      )
      const handle = all as unknown as Record<string, Behaviour>
      return each((tag) =>
        (outOfTurn as ReadonlyArray<string>).includes(tag)
          ? handle[tag]!
          : (message) => inTurn(idOf(message), handle[tag]!(message))
      ) as unknown as Handlers
    }),
    statelessKind
  )
