import { Clock, Effect, Layer } from "effect"
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
import { makeDeskPictures } from "./Pictures.ts"
import { deskPoints } from "../ranks/SignalPoints.ts"
import { deskProfile } from "./Profile.ts"
import { deskPresence } from "../inbox/Presence.ts"
import { deskVoice } from "../voices/AgentVoice.ts"
import { makeDeskWebhooks } from "../inbox/Webhooks.ts"
import { reinstate, revokeKeys, suspend } from "./Suspensions.ts"
import { command, isDryRun } from "../runtime/Command.ts"
import { IdentityKeys } from "./IdentityKeys.ts"
import { statelessLayer } from "../runtime/statelessLayer.ts"
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
export const DeskLive = statelessLayer(
  Desk,
  Effect.gen(function* () {
    const agents = yield* AgentsWriter
    const keys = yield* Keys
    const [producers, studios, musicDesks] = [yield* Producer.client, yield* Studio.client, yield* MusicDesk.client]
    const [authors, rooms] = [yield* Author.client, yield* Room.client]
    const { stationSlug } = yield* StationConfig
    const transaction = yield* Transaction
    const deskPictures = makeDeskPictures()
    const deskWebhooks = makeDeskWebhooks()
    return (agentId: AgentId) => {
      const studio = studios(agentId)
      /** Plans are cancelled first: cancelling them also ends their speech. */
      const silence = (reason: string) =>
        Effect.orDie(
          Effect.all([
            producers(agentId).CancelAllPlans({ reason }),
            studio.Silence({ reason }),
            musicDesks(agentId).WithdrawRequests({ reason })
          ])
        )
      const hideWritings = Effect.suspend(() => Effect.orDie(authors(agentId).HideAll({ reason: "AGENT_LEFT" })))
      // Chat messages are removed like posts. A room that doesn't answer must not block the departure.
      const leaveRoom = Effect.suspend(() => Effect.ignoreCause(rooms(stationSlug).Forget({ author: agentId })))

      return Desk.of({
        ...deskPictures(agentId),
        ...deskWebhooks(agentId),
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
    }
  }),
  {
    outOfTurn: [
      "MakeAvatar",
      "MakeSocialImage",
      "AddWebhook",
      "ChangeWebhook",
      "RemoveWebhook",
      "TestWebhook",
      "ReplayDelivery",
      "JudgeWebhook"
    ]
  }
).pipe(Layer.provide(IdentityKeys.layer))
