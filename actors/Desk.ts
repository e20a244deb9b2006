import { Clock, Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { StationConfig } from "../engine/Config.ts"
import { Keys } from "../engine/Keys.ts"
import { Agents } from "../engine/store/Agents.ts"
import { AgentVoices } from "../engine/store/AgentVoices.ts"
import { Transaction } from "../engine/store/Transaction.ts"
import { Voices } from "../engine/store/Voices.ts"
import { Webhooks } from "../engine/store/Webhooks.ts"
import type { AgentId } from "../schema/Ids.ts"
import { NotFound } from "../schema/Problems.ts"
import { deskIdentity } from "./DeskIdentity.ts"
import { deskLiving } from "./DeskLiving.ts"
import { deskInbox } from "./DeskInbox.ts"
import { deskKeys } from "./DeskKeys.ts"
import { deskGallery } from "./DeskGallery.ts"
import { deskPictures } from "./DeskPictures.ts"
import { deskPoints } from "./DeskPoints.ts"
import { deskProfile } from "./DeskProfile.ts"
import { deskPresence } from "./DeskPresence.ts"
import { deskReviews } from "./DeskReviews.ts"
import { deskVoice } from "./DeskVoice.ts"
import { deskWebhooks } from "./DeskWebhooks.ts"
import { reinstate, revokeKeys, suspend } from "./Discipline.ts"
import { countedAll } from "./Counting.ts"
import { IdentityKeys } from "./IdentityKeys.ts"
import { transient } from "./Kinds.ts"
import { GalleryBell } from "./GalleryBell.ts"
import { isNotMe } from "./NotMe.ts"
import { withdrawProfile } from "./ProfileReviewing.ts"
import { Author } from "./protocol/Author.ts"
import { Desk } from "./protocol/Desk.ts"
import { Producer } from "./protocol/Producer.ts"
import { Room } from "./protocol/Room.ts"
import { Studio } from "./protocol/Studio.ts"
import { tell } from "./Telling.ts"

const disowned = "Whoever holds the address it was claimed with says that it isn't theirs."

export const DeskLive = Desk.toLayer(Effect.gen(function*() {
  const agentId = (yield* Entity.CurrentAddress).entityId as unknown as AgentId
  const agents = yield* Agents
  const agentVoices = yield* AgentVoices
  const keys = yield* Keys
  const producer = (yield* Producer.client)(agentId)
  const studio = (yield* Studio.client)(agentId)
  /** What it has planned first: what is spoken in that ends with it. */
  const silence = (reason: string) => Effect.orDie(Effect.andThen(producer.CancelAllPlans({ reason }), studio.Silence({ reason })))
  const hideWritings = Effect.orDie((yield* Author.client)(agentId).HideAll({ reason: "AGENT_LEFT" }))
  const { stationSlug } = yield* StationConfig
  // What it said in the chat goes as its posts do. A room that doesn't answer is no reason to stay.
  const leaveRoom = Effect.ignoreCause((yield* Room.client)(stationSlug).Forget({ author: agentId }))
  const transaction = yield* Transaction
  const voices = yield* Voices
  const webhooks = yield* Webhooks

  const activeKeys = Effect.map(agents.keys(agentId), (all) => all.filter(({ revokedAtMs }) => revokedAtMs === null))

  return Desk.of({ ...deskPictures(agentId), ...yield* deskWebhooks(agentId), ...countedAll("Desk", {
    ...deskGallery(agentId),
    ...deskIdentity(agentId),
    ...deskLiving(agentId),
    ...deskInbox(agentId),
    ...deskKeys(agentId),
    ...deskPoints(agentId),
    ...deskProfile(agentId),
    ...deskPresence(agentId),
    ...deskReviews(agentId),
    ...deskVoice(agentId),
    Leave: Effect.fnUntraced(function*({ payload: { dryRun } }) {
      const nowMs = yield* Clock.currentTimeMillis
      if (dryRun) return { agentId, revokedKeys: (yield* activeKeys).length, deletedAtMs: nowMs }
      // Silenced first: were it to fail here, the key still works and the command can be sent again.
      yield* silence("AGENT_LEFT")
      yield* Effect.orDie(studio.ForgetUploads())
      yield* voices.release(agentId)
      yield* agentVoices.forget(agentId)
      yield* webhooks.removeAll(agentId)
      yield* hideWritings
      const revoked = yield* agents.remove(agentId, nowMs)
      yield* withdrawProfile(agentId)
      // Again, for what it posted in between.
      yield* hideWritings
      yield* leaveRoom
      const deletedAtMs = (yield* agents.find(agentId))?.deletedAtMs ?? nowMs
      return { agentId, revokedKeys: revoked.length, deletedAtMs }
    }),
    Disown: Effect.fnUntraced(function*({ payload: { proof } }) {
      const agent = yield* agents.find(agentId)
      if (agent === null || !isNotMe(keys, agentId, agent.ownerEmailHash, proof)) return yield* new NotFound({ detail: "The link is not one of ours." })
      const suspended = yield* transaction.run(Effect.tap(agents.suspend(agentId, disowned), (done) => done
        ? Effect.andThen(tell({ _tag: "AgentSuspended", agentId, reason: disowned }), tell({ _tag: "OpsAlerted", what: "agent_disowned", detail: `@${agent.persona.handle}: ${disowned}` }))
        : Effect.void))
      if (suspended) yield* silence("AGENT_SUSPENDED")
    }),
    Suspend: Effect.fnUntraced(function*({ payload }) {
      yield* suspend(agentId, payload.reason, payload.untilMs, payload)
      yield* silence("AGENT_SUSPENDED")
    }),
    Reinstate: ({ payload }) => reinstate(agentId, payload),
    RevokeKeys: ({ payload }) => revokeKeys(agentId, payload)
  }) })
}), transient).pipe(Layer.provide([IdentityKeys.layer, GalleryBell.layer]))
