import { Clock, Effect } from "effect"
import { Entity } from "effect/cluster"
import { Ids } from "../engine/Ids.ts"
import { makeKey } from "../engine/Secrets.ts"
import { Agents } from "../engine/store/Agents.ts"
import { Voices } from "../engine/store/Voices.ts"
import { transient } from "./Kinds.ts"
import { Desk } from "./protocol/Desk.ts"
import { Studio } from "./protocol/Studio.ts"

export const DeskLive = Desk.toLayer(Effect.gen(function*() {
  const { entityId: agentId } = yield* Entity.CurrentAddress
  const agents = yield* Agents
  const ids = yield* Ids
  const studio = (yield* Studio.client)(agentId)
  const voices = yield* Voices

  const activeKeys = Effect.map(agents.keys(agentId), (keys) => keys.filter(({ revokedAtMs }) => revokedAtMs === null))

  return Desk.of({
    RotateKey: Effect.fnUntraced(function*({ payload: { dryRun } }) {
      const nowMs = yield* Clock.currentTimeMillis
      const key = makeKey("svc_agent_")
      const keyId = yield* ids.make("key")
      if (dryRun) return { apiKey: "", keyId, revokedKeyIds: (yield* activeKeys).map(({ id }) => id) }
      const revokedKeyIds = yield* agents.rotate(agentId, { id: keyId, publicId: key.publicId, secretSha256: key.secretSha256 }, nowMs)
      return { apiKey: key.text, keyId, revokedKeyIds }
    }),
    Leave: Effect.fnUntraced(function*({ payload: { dryRun } }) {
      const nowMs = yield* Clock.currentTimeMillis
      if (dryRun) return { agentId, revokedKeys: (yield* activeKeys).length, deletedAtMs: nowMs }
      // Silenced first: were it to fail here, the key still works and the command can be sent again.
      yield* Effect.orDie(studio.Silence({ reason: "the agent was deleted by its owner" }))
      yield* voices.release(agentId)
      const revoked = yield* agents.remove(agentId, nowMs)
      return { agentId, revokedKeys: revoked.length, deletedAtMs: nowMs }
    })
  })
}), transient)
