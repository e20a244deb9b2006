import { Clock, Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { NotFound } from "../../schema/Problems.ts"
import { deskIdentity } from "./Identity.ts"
import { deskLiving } from "./LivingDeclarations.ts"
import { deskInbox, appealReview } from "../inbox/Inbox.ts"
import { deskKeys } from "./Keys.ts"
import { deskGallery } from "./Gallery.ts"
import { deskPictures } from "./Pictures.ts"
import { deskPoints } from "../ranks/SignalPoints.ts"
import { deskProfile } from "./Profile.ts"
import { deskPresence } from "../inbox/Presence.ts"
import { deskVoice } from "../voices/AgentVoice.ts"
import { deskWebhooks } from "../inbox/Webhooks.ts"
import { reinstate, revokeKeys, suspend } from "./Suspensions.ts"
import { behaviours, command, isDryRun } from "../runtime/Command.ts"
import { IdentityKeys } from "./IdentityKeys.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { isNotMe } from "./NotMe.ts"
import { withdrawProfile, profileReview } from "./ProfileReview.ts"
import { Author } from "../social/protocol/Author.ts"
import { Desk } from "./protocol/Desk.ts"
import { Producer } from "../programmes/protocol/Producer.ts"
import { Room } from "../listeners/protocol/Room.ts"
import { Studio } from "../segments/protocol/Studio.ts"
import { emit } from "../runtime/emit.ts"
import { recheck } from "../runtime/StationQueue.ts"
import { reviewHandlers } from "../moderation/reviewHandlers.ts"
import { galleryReview } from "./GalleryReview.ts"
import { MusicDesk } from "../music/protocol/MusicDesk.ts"
import { retireTracks } from "../music/inTransaction.ts"
import { removeWebhooks } from "../inbox/inTransaction.ts"
import { forgetFlags } from "../segments/inTransaction.ts"
import { forgetAgentVoice, releaseVoices } from "../voices/inTransaction.ts"

const disowned = "The holder of the claim's email address disowned the agent."
export const DeskLive = actorLayer(
  Desk,
  Effect.gen(function* () {
    const agentId = (yield* Entity.CurrentAddress).entityId as unknown as AgentId
    const agents = yield* AgentsWriter
    const keys = yield* Keys
    const producer = (yield* Producer.client)(agentId)
    const studio = (yield* Studio.client)(agentId)
    const musicDesk = (yield* MusicDesk.client)(agentId)
    /** Plans are cancelled first: cancelling them also ends their speech. */
    const silence = (reason: string) =>
      Effect.orDie(
        Effect.all([
          producer.CancelAllPlans({ reason }),
          studio.Silence({ reason }),
          musicDesk.WithdrawRequests({ reason })
        ])
      )
    const hideWritings = Effect.orDie((yield* Author.client)(agentId).HideAll({ reason: "AGENT_LEFT" }))
    const { stationSlug } = yield* StationConfig
    // Chat messages are removed like posts. A room that doesn't answer must not block the departure.
    const leaveRoom = Effect.ignoreCause((yield* Room.client)(stationSlug).Forget({ author: agentId }))
    const transaction = yield* Transaction

    const all = yield* behaviours(Desk, {
      ...deskPictures(agentId),
      ...(yield* deskWebhooks(agentId)),
      ...deskGallery(agentId),
      ...deskIdentity(agentId),
      ...deskLiving(agentId),
      ...deskInbox(agentId),
      ...deskKeys(agentId),
      ...deskPoints(agentId),
      ...deskProfile(agentId),
      ...deskPresence(agentId),
      ...reviewHandlers([appealReview, galleryReview, profileReview], (owner) => owner === agentId),
      ...deskVoice(agentId),
      Leave: Effect.fnUntraced(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        // Silenced first: if this fails, the key still works and the command can be repeated.
        if (!(yield* isDryRun)) {
          yield* silence("AGENT_LEFT")
          yield* Effect.orDie(studio.ForgetUploads())
          yield* hideWritings
        }
        return yield* command({
          run: Effect.gen(function* () {
            yield* releaseVoices([agentId])
            yield* forgetAgentVoice(agentId)
            yield* forgetFlags(agentId)
            yield* removeWebhooks(agentId)
            yield* retireTracks(agentId, "AGENT_LEFT", nowMs)
            // A reviewer's approval would bring a retired track back.
            yield* (yield* Reviews).withdraw(agentId, ["track"], "AGENT_LEFT")
            yield* transaction.afterCommit(recheck)
            const revoked = yield* agents.remove(agentId, nowMs)
            yield* withdrawProfile(agentId)
            const deletedAtMs = (yield* agents.find(agentId))?.deletedAtMs ?? nowMs
            return { agentId, revokedKeys: revoked.length, deletedAtMs }
          }),
          // A second time, for posts made in between.
          after: (left) => Effect.as(Effect.andThen(hideWritings, leaveRoom), left)
        })
      }),
      Disown: Effect.fnUntraced(function* ({ payload: { proof } }) {
        const agent = yield* agents.find(agentId)
        if (agent === null || !isNotMe(keys, agentId, agent.ownerEmailHash, proof))
          return yield* new NotFound({ detail: "Unknown link." })
        const suspended = yield* transaction.run(
          Effect.tap(agents.suspend(agentId, disowned), (done) =>
            done
              ? Effect.andThen(
                  emit({ _tag: "AgentSuspended", agentId, reason: disowned }),
                  emit({
                    _tag: "OpsAlerted",
                    what: "agent_disowned",
                    detail: `@${agent.persona.handle}: ${disowned}`
                  })
                )
              : Effect.void
          )
        )
        if (suspended) yield* silence("AGENT_SUSPENDED")
      }),
      Suspend: Effect.fnUntraced(function* ({ payload }) {
        yield* suspend(agentId, payload.reason, payload.untilMs, payload)
        yield* silence("AGENT_SUSPENDED")
      }),
      Reinstate: ({ payload }) => reinstate(agentId, payload),
      RevokeKeys: ({ payload }) => revokeKeys(agentId, payload)
    })
    // Slow messages run outside the mailbox.
    return Desk.of({
      ...all,
      MakeAvatar: (message) => Rpc.fork(all.MakeAvatar(message)),
      MakeSocialImage: (message) => Rpc.fork(all.MakeSocialImage(message)),
      AddWebhook: (message) => Rpc.fork(all.AddWebhook(message)),
      ChangeWebhook: (message) => Rpc.fork(all.ChangeWebhook(message)),
      RemoveWebhook: (message) => Rpc.fork(all.RemoveWebhook(message)),
      TestWebhook: (message) => Rpc.fork(all.TestWebhook(message)),
      ReplayDelivery: (message) => Rpc.fork(all.ReplayDelivery(message)),
      JudgeWebhook: (message) => Rpc.fork(all.JudgeWebhook(message))
    })
  }),
  transient
).pipe(Layer.provide(IdentityKeys.layer))
