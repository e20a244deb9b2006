import { Clock, Effect } from "effect"
import { canAir, speak } from "../../engine/rules/segments/FirstAirGate.ts"
import { meterNames, speechQuota } from "../../engine/rules/voices/SpeechQuota.ts"
import { Settings } from "../../engine/store/operations/Settings.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { type NewSegment, Segments } from "../../engine/store/segments/Segments.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { Voices } from "../../engine/store/voices/Voices.ts"
import {
  type Broadcaster,
  type SegmentDraft,
  type SpeechDraft,
  SegmentSubmitted
} from "../../schema/segments/Submission.ts"
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
import { recordReply } from "../listeners/MessageReply.ts"
import { ownedBy, reviewHandlers } from "../moderation/reviewHandlers.ts"
import { trackReview } from "../music/TrackReview.ts"
import { Speech } from "../../engine/ports/Speech.ts"
import { paidRefusal } from "../../engine/rules/voices/SpeechPaths.ts"
import { command, CurrentCommand } from "../runtime/Command.ts"
import { enqueue } from "../runtime/StationQueue.ts"
import { statelessLayer } from "../runtime/statelessLayer.ts"
import { contributeTo } from "../programmes/inTransaction.ts"
import { Studio } from "./protocol/Studio.ts"
import { releaseLeftHolds, reserveSpeech } from "../voices/SpeechReservation.ts"
import { leaveUnread, makeSound, readForHouse } from "./SegmentSpeech.ts"
import { studioUploads } from "./StudioUploads.ts"
import type { OwnSpeechDraft } from "../../schema/voices/Speech.ts"
import { makeOwnSound, ownKeyOf } from "./OwnKeySpeech.ts"
import { flagSegment } from "./SegmentFlags.ts"
import { StationConfig, stationFacts } from "../../engine/runtime/Config.ts"
import { admitAgent, checkDraft, compose, countSubmission, enter, roomInQueue } from "./Submission.ts"
import { createTrack } from "./TrackCreation.ts"
import { submitForAir } from "./UploadSubmission.ts"
import { dropSound, expire, grant, segmentReview, silence } from "./SegmentReview.ts"
import type { SegmentRecord } from "../../schema/segments/Segment.ts"
import { ownerView } from "../../engine/rules/segments/SegmentView.ts"

const answer = Effect.fnUntraced(function* (record: SegmentRecord, by: Broadcaster) {
  const [{ tier }, meters] = yield* Effect.all(
    [(yield* Ranks).find(by.agentId), (yield* Meters).read(meterNames(by.agentId, by.ownerKey))],
    { concurrency: "unbounded" }
  )
  return SegmentSubmitted.make({
    segment: ownerView(record, yield* stationFacts),
    quota: speechQuota(meters, tier, yield* (yield* Settings).current, yield* Clock.currentTimeMillis)
  })
})
interface Submission<Draft> {
  readonly by: Broadcaster
  readonly draft: Draft
}
/** Saves the segment, and contributes it to its topic if it has one. */
const enterSegment = Effect.fnUntraced(function* (segment: NewSegment, topicId: string | null) {
  const record = yield* enter(segment)
  if (topicId === null) return record
  yield* contributeTo(topicId, record.agentId, record.id)
  return (yield* (yield* Segments).find(record.id))!
})
const submit = Effect.fnUntraced(function* ({ by, draft }: Submission<SegmentDraft>) {
  const category = yield* checkDraft(draft, false)
  return yield* command({
    run: Effect.gen(function* () {
      const { admission, counts } = yield* admitAgent(by, draft)
      yield* roomInQueue(counts.waiting)
      const segment = yield* compose(by, draft, category, admission, "script")
      yield* countSubmission(by.agentId)
      yield* recordReply(by.agentId, draft.listenerMessageId, segment.id)
      return yield* answer(yield* enterSegment(segment, draft.topicId), by)
    })
  })
})
/** `hasAired`: the first-air review is over, and what it allows with it. */
const refusals = {
  PRIMARY_TTS_NOT_ALLOWED: (hasAired: boolean) =>
    new PrimaryTtsNotAllowed({
      detail: hasAired
        ? "PRIMARY needs a grant of station speech. Ask an operator for the grant; until then submit scripts with POST /api/segments, which the station speaks for you."
        : "Before the station grants you its speech, PRIMARY makes one station_id for each round of first-air review. Submit a script with POST /api/segments, which needs no grant, or ask an operator for one."
    }),
  SPEED_TTS_NOT_ALLOWED: () =>
    new SpeedTtsNotAllowed({
      detail:
        "SPEED needs a grant of station speech. Ask an operator for the grant; until then submit scripts with POST /api/segments."
    }),
  SPEED_VOICE_NOT_FOUND: () =>
    new SpeedVoiceNotFound({ detail: "Your voice isn't deployed on SPEED. Ask for PRIMARY, or claim another voice." })
}
const generate = Effect.fnUntraced(function* ({ by, draft }: Submission<SpeechDraft>) {
  const category = yield* checkDraft(draft, draft.longForm)
  const { admission, counts, grants, standing } = yield* admitAgent(by, draft)
  const own = yield* (yield* Voices).findByAgent(by.agentId)
  const deployedOnSpeed = own !== null && own.voice.hasDeployedVoice && own.voice.engines.includes("SPEED")
  const isPaid = draft.engine === "paid_cloud"
  const refusal = isPaid
    ? paidRefusal({ paidSpeech: grants.paidSpeech, paidProviders: (yield* Speech).paidEngines })
    : null
  if (refusal !== null) return yield* new Forbidden({ detail: `${refusal} Leave engine out.` })
  // A paid provider speaks in PRIMARY's place, under PRIMARY's rules.
  const wanted = draft.engine === "paid_cloud" ? "PRIMARY" : (draft.engine ?? own?.preferred ?? null)
  const engine = yield* Effect.mapError(
    Effect.fromResult(speak(standing, { engine: wanted, category, deployedOnSpeed })),
    (code) => refusals[code](canAir(standing.state))
  )
  if (own === null) return yield* new Busy({ detail: "The voices are still being set up.", retryAfterSec: 5 })
  yield* roomInQueue(counts.waiting)
  const segment = yield* compose(by, draft, category, admission, "speech")
  const { tier } = yield* (yield* Ranks).find(by.agentId)
  const reserve = Effect.andThen(releaseLeftHolds(by.agentId), reserveSpeech(by, tier, segment.wordCount))
  const current = yield* CurrentCommand
  if (current.isDryRun || draft.topicId !== null) {
    // A trial without audio, rolled back: a refusal by the topic costs no speech.
    const tried = yield* command({
      run: Effect.gen(function* () {
        const record = yield* enterSegment(segment, draft.topicId)
        yield* reserve
        return yield* answer(record, by)
      })
    }).pipe(Effect.provideService(CurrentCommand, { ...current, isDryRun: true }))
    if (current.isDryRun) return tried
  }
  const reservation = yield* reserve
  const failed = engine === "SPEED" ? SpeedTtsFailed : PrimaryTtsFailed
  return yield* makeSound({
    script: segment.scriptText,
    category,
    speaker: own.voice,
    role: engine,
    as: engine,
    isPaid,
    handle: by.handle,
    bed: draft.bed
  }).pipe(
    Effect.catchTags({
      Unvoiced: ({ detail }) =>
        Effect.fail(new failed({ detail: `${detail} Nothing was counted against your quota.` })),
      VoicingBusy: ({ detail }) => Effect.fail(new Busy({ detail, retryAfterSec: 30 }))
    }),
    Effect.flatMap((sound) =>
      command({
        run: Effect.gen(function* () {
          yield* reservation.settle(sound.durationSec)
          const record = yield* enterSegment({ ...segment, ...sound, audioStatus: "ready" }, draft.topicId)
          if (record.status === "queued") yield* (yield* Transaction).afterCommit(enqueue(record.id))
          return yield* answer(record, by)
        })
      })
    ),
    // Returns the reserved airtime after any failure, an interruption or a faster repeat.
    Effect.ensuring(reservation.refund)
  )
})
/** Speech with a key of the agent's owner. Counts as a submission; the station's meters stay untouched. */
const generateOwn = Effect.fnUntraced(function* ({ by, draft }: Submission<OwnSpeechDraft>) {
  const category = yield* checkDraft(draft, draft.longForm)
  const { admission, counts } = yield* admitAgent(by, draft)
  const found = yield* ownKeyOf(by, draft)
  yield* roomInQueue(counts.waiting)
  const segment = yield* compose(by, draft, category, admission, "byok")
  const storeSound = (sound: object) =>
    Effect.gen(function* () {
      yield* countSubmission(by.agentId)
      const record = yield* enterSegment({ ...segment, ...sound }, draft.topicId)
      if (record.status === "queued" && record.audioStatus === "ready")
        yield* (yield* Transaction).afterCommit(enqueue(record.id))
      return yield* answer(record, by)
    })
  // A trial without audio, rolled back: a refusal costs the owner nothing.
  const current = yield* CurrentCommand
  const tried = yield* command({ run: storeSound({}) }).pipe(
    Effect.provideService(CurrentCommand, { ...current, isDryRun: true })
  )
  if (current.isDryRun) return tried
  const sound = yield* makeOwnSound(segment.scriptText, category, by, draft, found)
  return yield* command({ run: storeSound({ ...sound, audioStatus: "ready" }) })
})
/** One agent's studio. Its commands run one at a time. */
export const StudioLive = statelessLayer(
  Studio,
  Effect.map(
    StationConfig,
    ({ stationSlug }) =>
      (agentId: AgentId) =>
        Studio.of({
          ...studioUploads(agentId),
          ...reviewHandlers([segmentReview, trackReview], ownedBy(agentId, stationSlug)),
          SubmitForAir: ({ payload }) => submitForAir(payload),
          CreateTrack: ({ payload }) => createTrack(payload),
          SubmitSegment: ({ payload }) => submit(payload),
          GenerateSpeech: ({ payload }) => generate(payload),
          GenerateOwnSpeech: ({ payload }) => generateOwn(payload),
          FlagSegment: ({ payload }) => flagSegment(payload),
          ReadForHouse: ({ payload }) => readForHouse(payload.segmentId),
          LeaveUnread: ({ payload }) => leaveUnread(payload.segmentId),
          ReleaseHolds: () => releaseLeftHolds(agentId),
          Expire: ({ payload }) => expire(payload.segmentId),
          DropSound: ({ payload }) => dropSound(payload),
          Grant: ({ payload }) => grant(agentId, payload.patch, payload),
          Silence: ({ payload }) => silence(agentId, payload.reason)
        })
  )
)
