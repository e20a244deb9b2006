import { Effect } from "effect"
import type { ClusterError } from "effect/cluster"
import { sha256 } from "../engine/runtime/Secrets.ts"
import { Busy } from "../schema/Problems.ts"

type Transport =
  | ClusterError.MailboxFull
  | ClusterError.AlreadyProcessingMessage
  | ClusterError.PersistenceError
  | ClusterError.EntityNotAssignedToRunner
  | ClusterError.MalformedMessage
  | ClusterError.RunnerNotRegistered
  | ClusterError.RunnerUnavailable

const busy = new Busy({ detail: "Nothing was changed. Send the same request again in a moment.", retryAfterSec: 2 })

/**
 * Maps failures between a handler and an actor. A full mailbox, or an unavailable store or owner, becomes a refusal
 * that the caller can act on; the rest are defects. The actor's own answers pass through.
 */
export const send = <A, E, R>(message: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, Transport> | Busy, R> =>
  Effect.catch(message, (error): Effect.Effect<never, Exclude<E, Transport> | Busy> => {
    switch ((error as { readonly _tag?: string })._tag) {
      case "MailboxFull":
      case "PersistenceError":
      case "EntityNotAssignedToRunner":
      case "RunnerUnavailable":
      case "RunnerNotRegistered":
        return Effect.fail(busy)
      case "AlreadyProcessingMessage":
      case "MalformedMessage":
        return Effect.die(error)
      default:
        return Effect.fail(error as Exclude<E, Transport>)
    }
  })

/**
 * One of 256 mailboxes for a string that a stranger may choose. An actor stays in memory for some seconds after its last
 * message, so one actor per string would let anyone fill the memory.
 */
export const mailboxOf = (chosen: string): string => sha256(chosen).slice(0, 2)
