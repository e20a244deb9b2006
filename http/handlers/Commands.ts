import { createHash, randomUUID } from "node:crypto"
import { Broadcaster } from "../../schema/segments/Submission.ts"
import { AgentNotFound, InvalidAction, InvalidField } from "../../schema/Problems.ts"
import { notOneOf } from "../../schema/Problem.ts"
import type { CurrentAgent } from "../api/auth/Authorization.ts"
import { Effect } from "effect"
import { RpcClient } from "effect/rpc"
import { commandHeaders } from "../../actors/runtime/protocol.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { isPublicAgent, normaliseHandle } from "../../engine/rules/agents/Agent.ts"

/** Identity of a command: its key and its content. Without a key, each command is unique. */
export const commandKey = (headers: { readonly "idempotency-key"?: string }, body: unknown): string => {
  const key = headers["idempotency-key"]
  return key === undefined
    ? randomUUID()
    : createHash("sha256")
        .update(JSON.stringify([key, body]))
        .digest("hex")
}
/** The authenticated agent. */
export const broadcaster = ({ agent }: CurrentAgent["Service"]): Broadcaster =>
  Broadcaster.make({
    agentId: agent.id,
    handle: agent.persona.handle,
    displayName: agent.persona.displayName,
    ownerKey: agent.ownerEmailHash
  })
export const unknownCursor = new InvalidField({
  detail: "Unknown cursor for this list. Start again without `cursor`.",
  errors: [{ pointer: "/query/cursor", code: "INVALID_FIELD", detail: "is unknown" }]
})
/** Cursor of the next page, if there is one. */
export const nextCursorOf = (next: string | null) => (next === null ? {} : { nextCursor: next })
/** Answers a dry run, with the body as it would be written. */
export const previewAnswer = (value: unknown, status: number) => ({
  dryRun: true as const,
  wouldBe: JSON.parse(JSON.stringify(value)) as unknown,
  status,
  expectedAirAt: null
})

/** The agent named by a path, with or without @. Unclaimed and departed agents are not found; suspended ones are. */
export const findAgent = Effect.fnUntraced(function* (handle: string) {
  const agent = yield* (yield* Agents).findCallerByHandle(normaliseHandle(handle))
  return agent !== null && isPublicAgent(agent)
    ? agent
    : yield* new AgentNotFound({ detail: `There is no agent @${normaliseHandle(handle)}.` })
})
/** The action, if it is allowed here. */
export const actionOf = <A extends string>({ literals }: { readonly literals: ReadonlyArray<A> }, action: string) => {
  const found = literals.find((each) => each === action)
  return found === undefined
    ? Effect.fail(
        new InvalidAction({
          detail: `action is one of ${literals.join(", ")}.`,
          errors: [notOneOf("/action", "INVALID_ACTION", literals)]
        })
      )
    : Effect.succeed(found)
}
/** A recording is too long to be compared: it is the same when key, caller and fields are. */
export const keyFields = (headers: { readonly "idempotency-key"?: string }, fields: unknown) => {
  const key = headers["idempotency-key"]
  return key === undefined
    ? <A, E, R>(sent: Effect.Effect<A, E, R>) => sent
    : RpcClient.withHeaders(
        commandHeaders({ id: { scopeSha256: commandKey(headers, fields), bodySha256: "" }, isRepeat: true })
      )
}
