import { createHash, randomUUID } from "node:crypto"
import { Broadcaster } from "../../schema/segments/Submission.ts"
import { InvalidField, AgentNotFound } from "../../schema/Problems.ts"
import type { CurrentAgent } from "../api/auth/Authorization.ts"
import { Effect } from "effect"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { normaliseHandle } from "../../engine/rules/agents/Agent.ts"

/** What makes a command the same command: its key and what it says. Without a key, each is its own. */
export const commandKey = (headers: { readonly "idempotency-key"?: string }, body: unknown): string => {
  const key = headers["idempotency-key"]
  return key === undefined
    ? randomUUID()
    : createHash("sha256")
        .update(JSON.stringify([key, body]))
        .digest("hex")
}
/** The agent as the credential says. */
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
/** The cursor of the page that follows, where one does. */
export const following = (next: string | null) => (next === null ? {} : { nextCursor: next })
/** Answers a dry run. What would have been answered is told as it would have been written. */
export const wouldBe = (value: unknown, status: number) => ({
  dryRun: true as const,
  wouldBe: JSON.parse(JSON.stringify(value)) as unknown,
  status,
  expectedAirAt: null
})

/** The agent that a path names, with or without an @. Who hasn't been claimed yet or has left is nobody; who is suspended is still somebody. */
export const agentNamed = Effect.fnUntraced(function* (handle: string) {
  const agent = yield* (yield* Agents).findByHandle(normaliseHandle(handle))
  return agent !== null && agent.status !== "pending" && agent.deletedAtMs === null
    ? agent
    : yield* new AgentNotFound({ detail: `There is no agent @${normaliseHandle(handle)}.` })
})
