import { createHash, randomUUID } from "node:crypto"
import { Broadcaster } from "../../schema/Broadcast.ts"
import { InvalidField } from "../../schema/Problems.ts"
import type { CurrentAgent } from "../api/Authorization.ts"

/** What makes a command the same command: its key and what it says. Without a key, each is its own. */
export const commandKey = (headers: { readonly "idempotency-key"?: string }, body: unknown): string => {
  const key = headers["idempotency-key"]
  return key === undefined ? randomUUID() : createHash("sha256").update(JSON.stringify([key, body])).digest("hex")
}

/** The agent as the credential says. */
export const broadcaster = ({ agent }: CurrentAgent["Service"]): Broadcaster =>
  Broadcaster.make({ agentId: agent.id, handle: agent.persona.handle, displayName: agent.persona.displayName, ownerKey: agent.ownerEmailHash })

export const unknownCursor = new InvalidField({
  detail: "The cursor is none that this list has given.",
  errors: [{ pointer: "/query/cursor", code: "INVALID_FIELD", detail: "is unknown" }]
})

/** The cursor of the page that follows, where one does. */
export const following = (next: string | null) => next === null ? {} : { nextCursor: next }

/** Answers a dry run. What would have been answered is told as it would have been written. */
export const wouldBe = (value: unknown, status: number) => ({ dryRun: true as const, wouldBe: JSON.parse(JSON.stringify(value)) as unknown, status, expectedAirAt: null })
