import { Context, Deferred, Effect, Semaphore } from "effect"
import { ClusterError, Entity, EntityAddress, EntityId, EntityType, type Sharding } from "effect/cluster"
import { Headers } from "effect/http"
import { type Rpc, RpcClient } from "effect/rpc"
import { mailboxCapacity } from "../../engine/rules/runtime/limits.ts"
import { inFewServices } from "../../engine/store/sql/fewServices.ts"
import { actorIdHeader, Stateless } from "./protocol.ts"

type Service = Sharding.Sharding["Service"]
type Protocol = Parameters<Service["makeClient"]>[0]["protocol"]
interface Message {
  readonly payload: unknown
  readonly headers: Headers.Headers
}
type Handlers = Readonly<Record<string, (message: Message) => Effect.Effect<unknown>>>
interface Options {
  readonly headers?: Readonly<Record<string, string>>
}
interface Actor {
  /** Its handlers, once its layer is there. */
  readonly build: Deferred.Deferred<Effect.Effect<Handlers>>
  /** Built for the first message. */
  handlers: Handlers | null
  /** How many messages of each id aren't answered. */
  readonly unanswered: Map<string, number>
}

/** Whether the actor of this protocol remembers nothing between its messages. */
export const isStateless = (protocol: Pick<Protocol, "annotations">): boolean =>
  Context.get(protocol.annotations, Stateless)

/**
 * The stateless actors of a station of one process. A message to one calls its handler, in the fiber of the sender but with the actor's services.
 * Through the cluster it would take two fibers, a mailbox and a reply more: a tenth to a sixth of a command. An id with `mailboxCapacity` messages that
 * aren't answered refuses further ones with MailboxFull, as a mailbox does. `makeClient` and `registerEntity` are those of `Sharding`.
 */
export const makeStatelessActors = (
  sharding: Pick<Service, "getShardId">
): Pick<Service, "makeClient" | "registerEntity"> => {
  const actors = new Map<string, Actor>()
  const actorOf = (type: string): Actor => {
    const actor = actors.get(type) ?? { build: Deferred.makeUnsafe(), handlers: null, unanswered: new Map() }
    actors.set(type, actor)
    return actor
  }
  const addressOf = (type: string, id: string) =>
    EntityAddress.make({
      shardId: sharding.getShardId(EntityId.make(id), "default"),
      entityType: EntityType.make(type),
      entityId: EntityId.make(id)
    })
  const handle = (actor: Actor, tag: string, message: Message) =>
    actor.handlers === null
      ? Effect.flatMap(Effect.flatten(Deferred.await(actor.build)), (handlers) => handlers[tag]!(message))
      : actor.handlers[tag]!(message)

  return {
    makeClient: (entity) => {
      const actor = actorOf(entity.type)
      const { unanswered } = actor
      const send = (id: string, rpc: Rpc.AnyWithProps) => (payload: unknown, options?: Options) =>
        Effect.withFiber<unknown, ClusterError.MailboxFull>((fiber) => {
          const count = unanswered.get(id) ?? 0
          if (count >= mailboxCapacity)
            return Effect.fail(new ClusterError.MailboxFull({ address: addressOf(entity.type, id) }))
          const headers = Headers.fromInput({ ...options?.headers, [actorIdHeader]: id })
          const message = {
            payload: rpc.payloadSchema.make(payload),
            headers: Headers.merge(fiber.getRef(RpcClient.CurrentHeaders), headers)
          }
          unanswered.set(id, count + 1)
          return Effect.ensuring(
            inFewServices(handle(actor, rpc._tag, message)),
            Effect.sync(() => {
              const left = unanswered.get(id)! - 1
              if (left === 0) unanswered.delete(id)
              else unanswered.set(id, left)
            })
          )
        })
      const messages = entity.protocol.requests as unknown as ReadonlyMap<string | symbol, Rpc.AnyWithProps>
      return Effect.succeed((id) => {
        const get = (_: unknown, tag: string | symbol) => {
          const rpc = messages.get(tag)
          return rpc === undefined ? undefined : send(id, rpc)
        }
        return new Proxy({}, { get }) as never
      })
    },
    registerEntity: (entity, build) =>
      Effect.gen(function* () {
        const actor = actorOf(entity.type)
        const services = yield* Effect.context<never>()
        const oneAtATime = Semaphore.makeUnsafe(1)
        const built = Effect.provideService(build, Entity.CurrentAddress, addressOf(entity.type, "all"))
        const buildOnce = oneAtATime.withPermit(
          Effect.suspend(() =>
            actor.handlers === null
              ? Effect.tap(built as unknown as Effect.Effect<Handlers>, (handlers) =>
                  Effect.sync(() => (actor.handlers = handlers))
                )
              : Effect.succeed(actor.handlers)
          )
        )
        yield* Deferred.succeed(actor.build, Effect.setContext(buildOnce, services))
      })
  }
}
