import { Clock, Effect } from "effect"
import { CallSound } from "../../engine/ports/CallSound.ts"
import { messageCard, reviewTypeOf } from "../../engine/rules/listeners/Message.ts"
import { isEscalating, precheck } from "../../engine/rules/moderation/Precheck.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { Calls, CallsWriter } from "../../engine/store/listeners/Calls.ts"
import { Interactions, InteractionsWriter } from "../../engine/store/listeners/Messages.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { HumanId, InteractionId } from "../../schema/Ids.ts"
import type { Interaction } from "../../schema/listeners/Message.ts"
import { NotFound } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { enqueue } from "../runtime/StationQueue.ts"
import { behaviours, command } from "../runtime/Command.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { callInReview, writeInReview } from "./MessageReview.ts"
import { type CallOutcome, Message } from "./protocol/Message.ts"
import { reviewHandlers } from "../moderation/reviewHandlers.ts"
import { excerptHash } from "../moderation/excerptHash.ts"
import { emit } from "../runtime/emit.ts"

/** Stores a transcript with its precheck flags, which the reviewer sees. */
const keepWords = Effect.fnUntraced(function* (call: Interaction, transcript: string) {
  const interactions = yield* InteractionsWriter
  const { flags } = precheck(transcript, excerptHash)
  const escalated = isEscalating(flags)
  yield* interactions.write(call.id, { content: transcript, flags })
  if (escalated) yield* interactions.move(call.id, "pending", { moderationStatus: "escalated", visibility: "private" })
  const { durationSec } = (yield* (yield* Calls).find(call.id))!
  yield* (yield* CallsWriter).setTranscript(call.id, "ready")
  yield* (yield* Reviews).revise("call_in", call.id, {
    escalated,
    ...messageCard({ ...call, flags, content: transcript }, durationSec)
  })
})
const writeDown = Effect.fnUntraced(function* ({
  interactionId,
  transcript,
  ...act
}: Act & { readonly interactionId: InteractionId; readonly transcript: string }) {
  const call = yield* (yield* Interactions).find(interactionId)
  if (call?.type !== "call_in") return yield* new NotFound({ detail: `There is no call ${interactionId}.` })
  if (call.content === transcript) return
  yield* command({
    run: Effect.gen(function* () {
      yield* keepWords(call, transcript)
      yield* record(
        act,
        "call_in.transcript",
        { type: "call_in", id: call.id },
        { characters: call.content?.length ?? null },
        { characters: transcript.length }
      )
    })
  })
})
const settleTranscript = Effect.fnUntraced(function* ({
  interactionId,
  transcript
}: {
  readonly interactionId: InteractionId
  readonly transcript: string | null
}) {
  const calls = yield* CallsWriter
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const call = yield* (yield* Interactions).find(interactionId)
      if (call === null || (yield* calls.find(interactionId))?.transcriptStatus !== "queued") return
      yield* transcript === null || transcript === ""
        ? calls.setTranscript(interactionId, "awaiting")
        : keepWords(call, transcript)
    })
  )
})
const settleCall = Effect.fnUntraced(function* ({
  interactionId,
  outcome
}: {
  readonly interactionId: InteractionId
  readonly outcome: CallOutcome
}) {
  const calls = yield* CallsWriter
  const atMs = yield* Clock.currentTimeMillis
  const call = yield* calls.find(interactionId)
  if (call === null) return
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      if (outcome._tag === "Unfit") {
        if (!(yield* calls.setAir(interactionId, ["preparing"], { status: "failed", reason: outcome.reason, atMs })))
          return
        return yield* emit({
          _tag: "OpsAlerted",
          what: "call_unairable",
          detail: `${interactionId}: its audio could not be prepared for the air (${outcome.reason}).`
        })
      }
      yield* (yield* Assets).save(outcome.asset)
      if (yield* calls.setAir(interactionId, ["preparing"], { status: "queued", assetId: outcome.asset.id, atMs }))
        yield* (yield* Transaction).afterCommit(enqueue(call.segmentId))
    })
  )
})
/** Deletes the recording before the rows, so a failed deletion is retried. */
export const discardMessage = Effect.fnUntraced(
  function* (interactionId: InteractionId) {
    const interactions = yield* InteractionsWriter
    const message = yield* interactions.find(interactionId)
    if (message === null) return
    const call = yield* (yield* Calls).find(interactionId)
    if (call !== null) {
      if (call.airStatus === "airing") return
      yield* (yield* CallSound).discard(interactionId, message.moderationStatus === "aired" ? null : call.assetId)
      yield* (yield* CallsWriter).markSwept(interactionId)
    }
    // Of an aired call only the original recording is deleted.
    if (message.moderationStatus === "aired") return
    yield* (yield* Transaction).run(
      Effect.gen(function* () {
        yield* (yield* Reviews).forget(reviewTypeOf(message), [interactionId])
        yield* interactions.remove([interactionId])
      })
    )
  },
  Effect.catchTags({
    ObjectsUnavailable: ({ detail }) => Effect.logWarning("messages: a recording could not be deleted yet", detail),
    MediaStoreUnavailable: ({ detail }) => Effect.logWarning("messages: a recording could not be deleted yet", detail)
  })
)
export const forgetMessages = Effect.fnUntraced(function* (humanId: HumanId) {
  const interactions = yield* InteractionsWriter
  yield* interactions.disown(humanId)
  yield* Effect.forEach(yield* interactions.listByHuman(humanId), ({ id }) => discardMessage(id), { discard: true })
})
/** One message: reviewed, written down, prepared for the air and discarded in its own mailbox. */
export const MessageLive = actorLayer(
  Message,
  Effect.gen(function* () {
    return Message.of(
      yield* behaviours(Message, {
        ...reviewHandlers([writeInReview, callInReview]),
        WriteDown: ({ payload }) => writeDown(payload),
        SettleTranscript: ({ payload }) => settleTranscript(payload),
        SettleCall: ({ payload }) => settleCall(payload),
        DiscardMessage: ({ payload }) => discardMessage(payload.interactionId)
      })
    )
  }),
  transient
)
