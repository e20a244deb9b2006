import { Clock, Effect, Exit, Stream } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { incomingKeyOf, UploadSound } from "../../engine/ports/UploadSound.ts"
import {
  openSubmissions,
  submissionCard,
  submissionsAllowance,
  submissionView
} from "../../engine/rules/music/Adoption.ts"
import { submissionsOpenMax } from "../../engine/rules/music/limits.ts"
import { isEscalating } from "../../engine/rules/moderation/Precheck.ts"
import { assetIdOf, bytesMaxOf } from "../../engine/rules/segments/Upload.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import { soundTypeOf } from "../../schema/SoundType.ts"
import { MusicSubmissions, MusicSubmissionsWriter } from "../../engine/store/music/MusicSubmissions.ts"
import { Humans } from "../../engine/store/people/Humans.ts"
import { Uploads } from "../../engine/store/segments/Uploads.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { SoundPrints } from "../../engine/store/sound/SoundPrints.ts"
import type { HumanId, SubmissionId } from "../../schema/Ids.ts"
import { MusicSubmission, type SubmissionDraft } from "../../schema/music/MusicSubmission.ts"
import {
  Busy,
  DuplicateContentHash,
  Forbidden,
  InvalidFileType,
  NotFound,
  PayloadTooLarge
} from "../../schema/Problems.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { findFlaggedTexts, flagsOf, refuseEscalating } from "../moderation/TextChecks.ts"
import { command, isDryRun } from "../runtime/Command.ts"
import { statelessLayer } from "../runtime/statelessLayer.ts"
import { checkAllowance } from "../runtime/spendAllowance.ts"
import { SubmissionDesk } from "./protocol/SubmissionDesk.ts"
import { recordingRefusal } from "./RecordingRefusal.ts"
import { withdrawFromAir } from "./inTransaction.ts"

const busy = ({ detail }: { readonly detail: string }) =>
  new Busy({ detail: `${detail} Nothing was kept; send it again later.`, retryAfterSec: 60 })
const known = new DuplicateContentHash({
  detail: "The station already has this recording. Send one of your own that it doesn't know."
})

const wordsOf = ({ note, syntheticDisclosure, title }: SubmissionDraft, lyrics: string | null = null) =>
  findFlaggedTexts({ "/title": title, "/note": note, "/syntheticDisclosure": syntheticDisclosure, "/lyrics": lyrics })

/** Refuses before anything is read what can be refused then. */
const admit = Effect.fnUntraced(function* (humanId: HumanId, draft: SubmissionDraft) {
  if ((yield* (yield* Humans).find(humanId)) === null) return yield* new NotFound({ detail: "This account is gone." })
  yield* refuseEscalating("The recording can't be described like this. Leave out what is flagged.", wordsOf(draft))
  if ((yield* (yield* MusicSubmissions).openOf(humanId)) >= submissionsOpenMax)
    return yield* new Forbidden({
      detail: `${submissionsOpenMax} of your recordings are still waiting, the most that a person may have. Withdraw one, or wait.`
    })
  yield* checkAllowance(submissionsAllowance, humanId, "listener")
})

/** Type by the first bytes, and length. The name and the announced type of the file mean nothing. */
const inspectFile = Effect.fnUntraced(function* (key: string) {
  const objects = yield* ObjectStore
  const byteSize = yield* Effect.mapError(objects.size(key), busy)
  const start = byteSize === null ? null : yield* Effect.mapError(objects.read(key, { from: 0, to: 15 }), busy)
  if (byteSize === null || start === null) return yield* busy({ detail: "The file is gone." })
  const head = Buffer.concat(yield* Effect.mapError(Stream.runCollect(start), busy))
  const contentType = soundTypeOf(head)
  if (contentType === null)
    return yield* new InvalidFileType({
      detail: "Send an MP3 or a WAV file.",
      errors: [{ pointer: "/file", code: "INVALID_FILE_TYPE", detail: "is no MP3 and no WAV" }]
    })
  const bytesMax = bytesMaxOf("music", contentType)
  if (byteSize > bytesMax)
    return yield* new PayloadTooLarge({ detail: `A file of ${contentType} can have at most ${bytesMax} bytes.` })
  return { byteSize, contentType }
})

/** The row and the file under their names; a recording that the same person's dead request left is replaced. */
const receive = Effect.fnUntraced(function* (record: MusicSubmission, key: string) {
  const submissions = yield* MusicSubmissionsWriter
  const objects = yield* ObjectStore
  const { byteSize, humanId, id, sha256 } = record
  const holder = yield* submissions.holder(sha256)
  if (holder?.status === "examining" && holder.humanId === humanId && (yield* submissions.removeRefused(holder.id)))
    yield* Effect.ignore((yield* UploadSound).discard(holder.id, assetIdOf(holder.id)))
  else if (holder !== null) return yield* known
  if ((yield* (yield* Uploads).holder(sha256)) !== null) return yield* known
  if (!(yield* submissions.add(record))) return yield* known
  const bytes = yield* Effect.mapError(objects.read(key, null), busy)
  if (bytes === null) return yield* busy({ detail: "The file is gone." })
  yield* objects.receive(incomingKeyOf(id), bytes, byteSize).pipe(
    Effect.catchTags({
      ObjectsUnavailable: (fault) => Effect.fail(busy(fault)),
      WrongLength: () => Effect.fail(busy({ detail: "The file changed on its way." }))
    })
  )
})

const submit = Effect.fnUntraced(function* (
  humanId: HumanId,
  { draft, key }: { readonly draft: SubmissionDraft; readonly key: string }
) {
  const submissions = yield* MusicSubmissionsWriter
  const sound = yield* UploadSound
  const prints = yield* SoundPrints
  yield* admit(humanId, draft)
  const { byteSize, contentType } = yield* inspectFile(key)
  const sha256 = yield* Effect.mapError(sound.sha256(key), busy)
  if (sha256 === null) return yield* busy({ detail: "The file is gone." })
  const nowMs = yield* Clock.currentTimeMillis
  const id = (yield* (yield* IdSource).make("sub")) as SubmissionId
  const assetId = assetIdOf(id)
  const record = MusicSubmission.make({
    ...draft,
    id,
    humanId,
    genre: draft.genre ?? "experimental",
    status: "examining",
    statusReason: null,
    contentType,
    byteSize,
    sha256,
    durationSec: null,
    assetId: null,
    facts: null,
    adoption: null,
    trackId: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs
  })
  const isDry = yield* isDryRun
  const kept = Effect.gen(function* () {
    yield* receive(record, key)
    const { asset, durationSec, facts, fingerprint, qc } = yield* sound
      .examine({
        id,
        purpose: "music",
        contentType,
        byteSize,
        assetId,
        synthetic: markOf({ _tag: "SentIn", ...draft }),
        findAlike: (sec) => prints.findAlike({ purpose: "music", except: id }, sec)
      })
      .pipe(Effect.mapError(busy))
    if (asset === null) return yield* recordingRefusal(qc)
    // The picture in a file may show its sender, whom the board doesn't name.
    const heard = facts == null ? null : { ...facts, coverKey: null }
    const flags = flagsOf(wordsOf(draft, heard?.lyrics))
    return yield* command({
      by: humanId,
      allowances: [submissionsAllowance],
      meter: "listener",
      run: Effect.gen(function* () {
        yield* (yield* Assets).save(asset)
        const examined = { assetId, durationSec: durationSec!, fingerprint, facts: heard }
        const waiting = yield* submissions.markExamined(id, examined, yield* Clock.currentTimeMillis)
        if (waiting === null) return yield* new NotFound({ detail: "This account is gone." })
        yield* askForReview({ ...submissionCard(waiting, flags), status: isEscalating(flags) ? "escalated" : "open" })
        return submissionView(waiting)
      })
    })
  })
  const incoming = Effect.flatMap(ObjectStore, (objects) => objects.remove([incomingKeyOf(id), `covers/${id}.webp`]))
  return yield* kept.pipe(
    Effect.onExit((exit) =>
      Exit.isSuccess(exit) && !isDry
        ? Effect.ignore(incoming)
        : Effect.flatMap(submissions.removeRefused(id), () => Effect.ignore(sound.discard(id, assetId)))
    )
  )
})

/** What is approved is a track: it leaves the rotation at the end of the item that plays. */
const withdrawable = [...openSubmissions, "approved"] as const
const withdraw = Effect.fnUntraced(function* (humanId: HumanId, submissionId: string) {
  const submissions = yield* MusicSubmissionsWriter
  const before = yield* submissions.find(submissionId)
  if (before === null || before.humanId !== humanId || before.status === "examining")
    return yield* new NotFound({ detail: `You have sent in no recording ${submissionId}.` })
  return yield* command({
    run: Effect.gen(function* () {
      const atMs = yield* Clock.currentTimeMillis
      const withdrawn = yield* submissions.withdraw(submissionId, humanId, withdrawable, atMs)
      if (withdrawn !== null) yield* withdrawFromAir(withdrawn)
      return submissionView(withdrawn ?? before)
    })
  })
})

/** One person's recordings for the adoption board. */
export const SubmissionDeskLive = statelessLayer(
  SubmissionDesk,
  Effect.succeed((humanId: HumanId) =>
    SubmissionDesk.of({
      Submit: ({ payload }) => submit(humanId, payload),
      Withdraw: ({ payload: { submissionId } }) => withdraw(humanId, submissionId)
    })
  )
)
