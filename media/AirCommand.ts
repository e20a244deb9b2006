import { Effect, Stream, SubscriptionRef } from "effect"
import { RpcClientError } from "effect/rpc"
import type { AirClient } from "./AirIncarnation.ts"

/** The worker now on the air; null while none is. */
export type OnlineAir = SubscriptionRef.SubscriptionRef<AirClient | null>

/** The first client that isn't `former`, as soon as there is one. */
const nextClient = (online: OnlineAir, former: AirClient | null): Effect.Effect<AirClient> =>
  SubscriptionRef.changes(online).pipe(
    Stream.filter((client) => client !== null && client !== former),
    Stream.runHead,
    Effect.flatMap((head) => head._tag === "Some" && head.value !== null ? Effect.succeed(head.value) : Effect.interrupt)
  )

const isTransport = (error: unknown): error is RpcClientError.RpcClientError => error instanceof RpcClientError.RpcClientError

/** Gives a command to the worker; one that falls with it is given to the next. All commands may be repeated. */
export const command = <A, E>(
  online: OnlineAir,
  ask: (client: AirClient) => Effect.Effect<A, E | RpcClientError.RpcClientError>,
  former: AirClient | null = null
): Effect.Effect<A, Exclude<E, RpcClientError.RpcClientError>> =>
  Effect.flatMap(nextClient(online, former), (client) =>
    Effect.raceFirst(
      ask(client).pipe(
        Effect.catch((error) => isTransport(error) ? Effect.never : Effect.fail(error as Exclude<E, RpcClientError.RpcClientError>)),
        Effect.map((value): { readonly value: A } | null => ({ value }))
      ),
      nextClient(online, client).pipe(Effect.as(null))
    ).pipe(
      Effect.flatMap((answer) => answer === null ? command(online, ask, client) : Effect.succeed(answer.value))
    ))
