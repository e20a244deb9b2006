import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { song } from "../listeners/Listeners.ts"

/** A song of an agent's own. */
export const makeOwnSong = Effect.fnUntraced(function* (agentId: string, status = "approved") {
  const id = yield* song(status)
  yield* (yield* SqlClient.SqlClient)`UPDATE tracks SET agent_id = ${agentId}, source = 'upload', rotation_class = 'contributed' WHERE id = ${id}`
  return id
})
