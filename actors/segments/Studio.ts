import { Clock, Effect, Semaphore } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { speak } from "../../engine/rules/segments/FirstAirGate.ts"
import { meterNames, speechQuota } from "../../engine/rules/voices/SpeechQuota.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { type NewSegment, Segments, ownerView, type SegmentRecord } from "../../engine/store/segments/Segments.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { Voices } from "../../engine/store/voices/Voices.ts"
import type { Broadcaster, SegmentDraft, SpeechDraft } from "../../schema/segments/Submission.ts"
import { SegmentSubmitted } from "../../schema/segments/Submission.ts"
import type { AgentId } from "../../schema/Ids.ts"
import {
  Busy,
  Forbidden,
  PrimaryTtsFailed,
  PrimaryTtsNotAllowed,
  SpeedTtsFailed,
  SpeedTtsNotAllowed,
  SpeedVoiceNotFound
} from "../../schema/Problems.ts"
import { answers } from "../listeners/MessageReply.ts"
import { reviewHandlers } from "../moderation/Reviews.ts"
import { trackReview } from "../music/TrackReview.ts"
import { counted } from "../runtime/MessageCounters.ts"
import { enqueue } from "../runtime/StationQueue.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { contributeTo } from "../programmes/inTransaction.ts"
import { Studio } from "./protocol/Studio.ts"
import { perform } from "../runtime/perform.ts"
import { releaseLeftHolds, reserveSpeech } from "../voices/SpeechReservation.ts"
import { leaveUnread, makeSound, readForHouse } from "./SegmentSpeech.ts"
import { studioUploads } from "./StudioUploads.ts"
import { StationConfig, stationFacts } from "../../engine/runtime/Config.ts"
import { admitted, checkDraft, compose, countSubmission, enter, imagined, roomInQueue } from "./Submission.ts"
import { submitForAir } from "./UploadSubmission.ts"
import { expire, grant, segmentReview, silence } from "./SegmentReview.ts"

const answer = Effect.fnUntraced(function* (record: SegmentRecord, by: Broadcaster) {
  const { tier } = yield* (yield* Ranks).of(by.agentId)
  const meters = yield* (yield* Meters).read(meterNames(by.agentId, by.ownerKey))
  return SegmentSubmitted.make({
    segment: ownerView(record, yield* stationFacts),
    quota: speechQuota(meters, tier, yield* Clock.currentTimeMillis)
  })
})
interface Command<Draft> {
  readonly commandKey: string
  readonly by: Broadcaster
  readonly draft: Draft
  readonly dryRun: boolean
}
/** Saves it, as a contribution to its topic where it names one. */
const entered = Effect.fnUntraced(function* (segment: NewSegment, topicId: string | null) {
  const record = yield* enter(segment)
  if (topicId === null) return record
  yield* contributeTo(topicId, record.agentId, record.id)
  return (yield* (yield* Segments).find(record.id))!
})
const enteredForDryRun = (segment: NewSegment, topicId: string | null) =>
  topicId === null ? Effect.void : Effect.asVoid(entered(segment, topicId))
const submit = Effect.fn("Studio.submit")(function* ({ by, commandKey, draft, dryRun }: Command<SegmentDraft>) {
  const before = yield* (yield* Segments).byCommand(by.agentId, commandKey)
  if (before !== null) return yield* answer(before, by)
  const category = yield* checkDraft(draft, false)
  const { admission, counts } = yield* admitted(by, draft)
  yield* roomInQueue(counts.waiting)
  const segment = yield* compose(commandKey, by, draft, category, admission, "script")
  const answering = answers(by.agentId, draft.listenerMessageId, segment.id)
  if (dryRun)
    return yield* Effect.andThen(
      Effect.andThen(
        countSubmission(by.agentId, true),
        perform(Effect.andThen(answering, enteredForDryRun(segment, draft.topicId)), true)
      ),
      answer(imagined(segment), by)
    )
  const record = yield* (yield* Transaction).run(
    Effect.andThen(Effect.andThen(countSubmission(by.agentId, false), answering), entered(segment, draft.topicId))
  )
  return yield* answer(record, by)
})
const refusals = {
  PRIMARY_TTS_NOT_ALLOWED: () =>
    new PrimaryTtsNotAllowed({
      detail:
        "Before the station grants you its speech, PRIMARY makes one station_id for each round of first-air review. Submit a script with POST /api/segments, which needs no grant, or ask an operator for one."
    }),
  SPEED_TTS_NOT_ALLOWED: () =>
    new SpeedTtsNotAllowed({
      detail:
        "SPEED needs a grant of station speech. Ask an operator for the grant; until then submit scripts with POST /api/segments."
    }),
  SPEED_VOICE_NOT_FOUND: () =>
    new SpeedVoiceNotFound({ detail: "Your voice isn't deployed on SPEED. Ask for PRIMARY, or claim another voice." })
}
const generate = Effect.fn("Studio.generate")(function* ({ by, commandKey, draft, dryRun }: Command<SpeechDraft>) {
  const before = yield* (yield* Segments).byCommand(by.agentId, commandKey)
  if (before !== null) return yield* answer(before, by)
  const category = yield* checkDraft(draft, draft.longForm)
  const { admission, counts, grants, standing } = yield* admitted(by, draft)
  const own = yield* (yield* Voices).ofAgent(by.agentId)
  const deployedOnSpeed = own !== null && own.voice.hasDeployedVoice && own.voice.engines.includes("SPEED")
  if (draft.engine === "paid_cloud") {
    return yield* new Forbidden({
      detail: grants.paidSpeech
        ? "No paid provider is set up on this station. Leave engine out."
        : "Paid speech needs the station's approval. Leave engine out."
    })
  }
  const engine = yield* Effect.mapError(
    Effect.fromResult(speak(standing, { engine: draft.engine ?? own?.preferred ?? null, category, deployedOnSpeed })),
    (code) => refusals[code]()
  )
  if (own === null) return yield* new Busy({ detail: "The voices are still being set up.", retryAfterSec: 5 })
  yield* roomInQueue(counts.waiting)
  const segment = yield* compose(commandKey, by, draft, category, admission, "speech")
  // Before anything is spoken: what its topic doesn't take is told without the cost of it.
  yield* perform(enteredForDryRun(segment, draft.topicId), true)
  yield* releaseLeftHolds(by.agentId)
  const reservation = yield* reserveSpeech(by, (yield* (yield* Ranks).of(by.agentId)).tier, segment.wordCount, dryRun)
  if (dryRun) return yield* answer(imagined(segment), by)
  const transaction = yield* Transaction
  const failed = engine === "SPEED" ? SpeedTtsFailed : PrimaryTtsFailed
  const record = yield* makeSound({
    script: segment.scriptText,
    category,
    speaker: own.voice,
    role: engine,
    as: engine,
    handle: by.handle,
    bed: draft.bed
  }).pipe(
    Effect.catchTags({
      Unvoiced: ({ detail }) =>
        Effect.fail(new failed({ detail: `${detail} Nothing was counted against your quota.` })),
      VoicingBusy: ({ detail }) => Effect.fail(new Busy({ detail, retryAfterSec: 30 }))
    }),
    Effect.flatMap((sound) =>
      transaction.run(
        Effect.andThen(
          reservation.settle(sound.durationSec),
          entered({ ...segment, ...sound, audioStatus: "ready", statusReason: segment.statusReason }, draft.topicId)
        )
      )
    ),
    // Whatever ended it before there was a segment, an interruption included: what was set aside goes back.
    Effect.onError(() => reservation.refund)
  )
  if (record.status === "queued") yield* enqueue(record.id)
  return yield* answer(record, by)
})
/**
 * One agent's studio. Its commands are performed one after the other, the slow ones off the mailbox: while an engine speaks,
 * others can still be taken in, and wait their turn here.
 */
export const StudioLive = Studio.toLayer(
  Effect.gen(function* () {
    const agentId = (yield* Entity.CurrentAddress).entityId as unknown as AgentId
    const turn = yield* Semaphore.make(1)
    const inTurn = <A, E, R>(work: Effect.Effect<A, E, R>) => Rpc.fork(counted("Studio")(turn.withPermits(1)(work)))
    const uploads = studioUploads(agentId)
    // The house's own tracks have the station's name in an agent's place, and no owner.
    const ownerId = agentId === (yield* StationConfig).stationSlug ? null : agentId
    const reviews = reviewHandlers([segmentReview, trackReview], (owner) => owner === ownerId)
    return Studio.of({
      InitiateUpload: (message) => inTurn(uploads.InitiateUpload(message)),
      FilePut: (message) => inTurn(uploads.FilePut(message)),
      CompleteUpload: (message) => inTurn(uploads.CompleteUpload(message)),
      SettleUpload: (message) => inTurn(uploads.SettleUpload(message)),
      DescribeUpload: (message) => inTurn(uploads.DescribeUpload(message)),
      SubmitForAir: ({ payload }) => inTurn(submitForAir(payload)),
      DropUpload: (message) => inTurn(uploads.DropUpload(message)),
      ForgetUploads: () => inTurn(uploads.ForgetUploads()),
      SubmitSegment: ({ payload }) => inTurn(submit(payload)),
      GenerateSpeech: ({ payload }) => inTurn(generate(payload)),
      ReadForHouse: ({ payload }) => inTurn(readForHouse(payload.segmentId)),
      LeaveUnread: ({ payload }) => inTurn(leaveUnread(payload.segmentId)),
      ReleaseHolds: () => inTurn(releaseLeftHolds(agentId)),
      Expire: ({ payload }) => inTurn(expire(payload.segmentId)),
      Decide: (message) => inTurn(reviews.Decide(message)),
      UndoDecision: (message) => inTurn(reviews.UndoDecision(message)),
      Judge: (message) => inTurn(reviews.Judge(message)),
      Grant: ({ payload }) => inTurn(grant(agentId, payload.patch, payload)),
      Silence: ({ payload }) => inTurn(silence(agentId, payload.reason))
    })
  }),
  transient
)
