import { Effect } from "effect"
import { messageForOps } from "../../rules/listeners/Message.ts"
import type { Interaction } from "../../../schema/listeners/Message.ts"
import { Agents } from "../agents/Agents.ts"
import { Calls } from "./Calls.ts"

export const messagesForOps = Effect.fnUntraced(function* (records: ReadonlyArray<Interaction>, publicUrl: string) {
  const agents = yield* Agents
  const calls = new Map(
    (yield* (yield* Calls).findMany(records.filter(({ type }) => type === "call_in").map(({ id }) => id))).map(
      (call) => [call.interactionId as string, call]
    )
  )
  return yield* Effect.forEach(records, (record) =>
    Effect.gen(function* () {
      const agent = record.toAgentId === null ? null : yield* agents.find(record.toAgentId)
      return messageForOps(record, {
        handle: agent?.persona.handle ?? null,
        call: calls.get(record.id) ?? null,
        publicUrl
      })
    })
  )
})
