import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { mediaUploadStoreMaxBytes, transcriptWords } from "../../engine/rules/segments/limits.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { incomingKeyOf, UploadSound } from "../../engine/ports/UploadSound.ts"
import {
  statesAllowing,
  assetIdOf,
  bytesMaxOf,
  contentTypesOf,
  isTranscript,
  keyPrefixOf,
  mediaUploads,
  publishFields,
  scopeOf,
  canTake,
  canTakeFile,
  initiateUpload
} from "../../engine/rules/segments/Upload.ts"
import { lint, tidyScript } from "../../engine/rules/segments/Script.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { Uploads, UploadsWriter } from "../../engine/store/segments/Uploads.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { Scope } from "../../schema/agents/Agent.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import type { AgentId, AssetId, UploadId } from "../../schema/Ids.ts"
import type { UploadPurpose, UploadRecord } from "../../schema/segments/Upload.ts"
import { refuseField } from "../runtime/refuseField.ts"
import {
  Busy,
  DuplicateContentHash,
  Forbidden,
  InvalidField,
  InvalidFileType,
  NotFound,
  PayloadTooLarge,
  UploadStateConflict
} from "../../schema/Problems.ts"
import type { UploadDraft, UploadOutcome, UploadWords } from "./protocol/Studio.ts"
import { withdrawReview } from "../moderation/Reviews.ts"
import { command } from "../runtime/Command.ts"
import { emit } from "../runtime/emit.ts"
import { addJob } from "../runtime/Jobs.ts"
import { ExamineUpload, MarkFiles } from "./protocol/Jobs.ts"
import { judgeTrack } from "../music/inTransaction.ts"

export interface Asked {
  readonly by: Broadcaster
  readonly scopes: ReadonlyArray<Scope>
}
const checkScope = Effect.fnUntraced(function* (purpose: UploadPurpose, scopes: ReadonlyArray<Scope>) {
  const needed = scopeOf(purpose)
  if (!scopes.includes(needed))
    return yield* new Forbidden({
      detail: `Recordings for ${purpose} need the scope ${needed}, which your role or the claim does not give.`,
      requiredScope: needed
    })
})
/** An upload of the agent. Fails when the scopes don't permit its purpose. */
export const findOwnUpload = Effect.fnUntraced(function* ({
  by,
  scopes,
  uploadId
}: Asked & { readonly uploadId: string }) {
  const record = yield* (yield* Uploads).find(uploadId)
  if (record === null || record.agentId !== by.agentId)
    return yield* new NotFound({ detail: `You have no upload ${uploadId}.` })
  yield* checkScope(record.purpose, scopes)
  return record
})
const duplicateOf = (holder: UploadRecord, agentId: AgentId) =>
  new DuplicateContentHash(
    holder.agentId === agentId
      ? { detail: "You already uploaded this file. Continue with that upload.", uploadId: holder.id }
      : { detail: "Another agent already uploaded this file. Upload a recording of your own." }
  )
const initiate = Effect.fnUntraced(function* ({ by, draft, scopes }: Asked & { readonly draft: UploadDraft }) {
  const uploads = yield* UploadsWriter
  const { byteSize, contentType, fileName, keyPrefix, purpose, sha256 } = draft
  yield* checkScope(purpose, scopes)
  if (keyPrefix !== null && purpose !== "music")
    return yield* refuseField("/keyPrefix", "INVALID_FIELD", "keyPrefix is for music alone.")
  if (!contentTypesOf(purpose).includes(contentType))
    return yield* new InvalidFileType({
      detail: `For ${purpose}, send ${contentTypesOf(purpose).join(", ")}.`,
      errors: [{ pointer: "/contentType", code: "INVALID_FILE_TYPE", detail: "is not accepted" }]
    })
  if (byteSize > bytesMaxOf(purpose, contentType))
    return yield* new PayloadTooLarge({
      detail: `A file of ${contentType} for ${purpose} can have at most ${bytesMaxOf(purpose, contentType)} bytes.`
    })
  if (keyPrefix !== null && keyPrefix !== keyPrefixOf(by.handle))
    return yield* new Forbidden({ detail: `keyPrefix of your music must be ${keyPrefixOf(by.handle)}.` })
  const nowMs = yield* Clock.currentTimeMillis
  if ((yield* uploads.bytesOf(by.agentId)) + byteSize > mediaUploadStoreMaxBytes) {
    return yield* new Forbidden({
      detail: `All recordings of an agent together may have at most ${mediaUploadStoreMaxBytes} bytes. Send a smaller file, or ask an operator.`
    })
  }
  yield* Effect.mapError((yield* ObjectStore).room(byteSize), ({ detail }) => new Busy({ detail, retryAfterSec: 60 }))
  const holder = sha256 === null ? null : yield* uploads.holder(sha256)
  const record = initiateUpload({
    id: (yield* (yield* IdSource).make("upl")) as UploadId,
    agentId: by.agentId,
    purpose,
    fileName,
    contentType,
    byteSize,
    sha256,
    createdAtMs: nowMs
  })
  return yield* command({
    by: by.agentId,
    allowances: [mediaUploads],
    // Checked after the allowance: a caller over the limit must not probe known hashes.
    run: holder === null ? Effect.as(uploads.add(record), record) : Effect.fail(duplicateOf(holder, by.agentId))
  })
})
const stateConflict = (record: UploadRecord | null) =>
  new UploadStateConflict({
    detail:
      record === null
        ? "The upload is gone. Initiate another."
        : `This upload takes no file: it is ${record.status}, or has expired. Initiate a new upload.`
  })
const filePut = Effect.fnUntraced(function* (uploadId: UploadId) {
  const uploads = yield* UploadsWriter
  const record = yield* uploads.find(uploadId)
  if (record === null || !canTakeFile(record, yield* Clock.currentTimeMillis)) return yield* stateConflict(record)
  return (yield* uploads.change(uploadId, [record.status], { status: "uploaded" })) ?? (yield* stateConflict(record))
})
const complete = Effect.fnUntraced(function* (ask: Asked & { readonly uploadId: string }) {
  const uploads = yield* UploadsWriter
  const record = yield* findOwnUpload(ask)
  const { byteSize, id, sha256, status } = record
  const isThere = !canTake(record, "Examine")
  if (isThere && status !== "expired") return record
  if (isThere || !canTakeFile(record, yield* Clock.currentTimeMillis)) return yield* stateConflict(record)
  const size = yield* Effect.mapError(
    (yield* ObjectStore).size(incomingKeyOf(id)),
    ({ detail }) => new Busy({ detail, retryAfterSec: 60 })
  )
  if (size === null)
    return yield* status === "qc_failed"
      ? Effect.succeed(record)
      : new UploadStateConflict({ detail: "The file has not arrived. PUT it to uploadUrl." })
  if (size !== byteSize)
    return yield* new UploadStateConflict({
      detail: `The file has ${size} bytes; ${byteSize} were announced. PUT the whole file again.`
    })
  const found = yield* Effect.mapError(
    (yield* UploadSound).sha256(incomingKeyOf(id)),
    ({ detail }) => new Busy({ detail, retryAfterSec: 60 })
  )
  if (found === null || (sha256 !== null && record.failures === 0 && found !== sha256))
    return yield* new UploadStateConflict({
      detail: "The file's SHA-256 differs from the announced one. PUT the whole file again."
    })
  const holder = yield* uploads.holder(found)
  if (holder !== null) return yield* duplicateOf(holder, record.agentId)
  return yield* command({
    run: Effect.gen(function* () {
      const changed = yield* uploads.examine(id, statesAllowing("Examine"), found)
      // Another upload completed the same bytes first.
      if (changed === "taken") return yield* duplicateOf((yield* uploads.holder(found)) ?? record, record.agentId)
      if (changed === null) return yield* stateConflict(record)
      yield* addJob(ExamineUpload, { key: id, payload: { uploadId: id, agentId: record.agentId } })
      return changed
    })
  })
})
/** Removes the files of an ended upload. A later run retries. */
export const sweepUpload = Effect.fnUntraced(function* ({ id }: UploadRecord) {
  yield* (yield* UploadSound).discard(id, assetIdOf(id))
  yield* (yield* UploadsWriter).markSwept(id)
})
/** Sets the sound's mark from the agent's declaration and adds the job that writes it into the files. In the caller's transaction. */
const markSound = Effect.fnUntraced(function* (record: UploadRecord, assetId: AssetId, handle: string) {
  yield* (yield* Assets).mark(assetId, markOf({ _tag: "Uploaded", handle, ...record }))
  yield* addJob(MarkFiles, { key: "all", payload: null })
})
const settle = Effect.fnUntraced(function* (
  agentId: AgentId,
  uploadId: UploadId,
  { asset, durationSec, facts = null, fingerprint, qc }: UploadOutcome
) {
  const uploads = yield* UploadsWriter
  const record = yield* uploads.find(uploadId)
  if (record === null || record.agentId !== agentId || record.status !== "processing") return
  const status = qc.passed ? ("qc_passed" as const) : ("qc_failed" as const)
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      if (asset !== null) yield* (yield* Assets).save(asset)
      const found = {
        status,
        qc,
        durationSec,
        fingerprint,
        facts,
        assetId: asset?.id ?? null,
        swept: false,
        failures: record.failures + (qc.passed ? 0 : 1)
      }
      if ((yield* uploads.change(uploadId, ["processing"], found)) === null) return
      const agent = yield* (yield* Agents).find(agentId)
      if (asset !== null && agent !== null) yield* markSound(record, asset.id, agent.persona.handle)
      yield* emit({
        _tag: "UploadExamined",
        uploadId,
        agentId,
        purpose: record.purpose,
        status,
        failed: qc.checks.filter(({ passed }) => !passed).map(({ code }) => code)
      })
    })
  )
  // A passed file has been copied; a failed one is removed so that it can be replaced.
  yield* Effect.ignore(
    qc.passed
      ? Effect.flatMap(ObjectStore, (objects) => objects.remove([incomingKeyOf(uploadId)]))
      : sweepUpload(record)
  )
})
const describe = Effect.fnUntraced(function* (ask: Asked & { readonly uploadId: string; readonly words: UploadWords }) {
  const record = yield* findOwnUpload(ask)
  const fields = publishFields(record.purpose)
  const alien = Object.keys(ask.words).filter((name) => !fields.some((field) => field === name))
  if (alien.length > 0) {
    const detail = `A recording for ${record.purpose} takes these fields: ${fields.join(", ")}.`
    return yield* new InvalidField({
      detail,
      errors: alien.map((name) => ({
        pointer: `/${name}`,
        code: "INVALID_FIELD",
        detail: `is not for ${record.purpose}`
      }))
    })
  }
  const transcriptText = ask.words.transcriptText === undefined ? undefined : tidyScript(ask.words.transcriptText)
  if (transcriptText !== undefined) {
    const faults = [
      ...(isTranscript(transcriptText)
        ? []
        : [{ code: "INVALID_FIELD", detail: `A transcript has ${transcriptWords.join(" to ")} words.` }]),
      ...lint(transcriptText)
    ]
    if (faults[0] !== undefined)
      return yield* new InvalidField({
        detail: faults[0].detail,
        errors: faults.map(({ code, detail }) => ({ pointer: "/transcriptText", code, detail }))
      })
  }
  const closed = new UploadStateConflict({
    detail: `The recording is ${record.status}; its description can't be changed.`
  })
  if (!canTake(record, "Describe")) return yield* closed
  const words = { ...ask.words, ...(transcriptText === undefined ? {} : { transcriptText }) }
  if (Object.keys(words).length === 0) return record
  const uploads = yield* UploadsWriter
  return yield* command({
    run: Effect.gen(function* () {
      const changed = yield* uploads.change(record.id, statesAllowing("Describe"), words)
      if (changed === null) return yield* closed
      if (changed.assetId !== null) yield* markSound(changed, changed.assetId, ask.by.handle)
      return changed
    })
  })
})
const drop = Effect.fnUntraced(function* (uploadId: UploadId, forgotten: boolean) {
  const uploads = yield* UploadsWriter
  const record = yield* uploads.find(uploadId)
  if (record === null) return
  const nowMs = yield* Clock.currentTimeMillis
  if (forgotten) {
    yield* uploads.markRemoved(uploadId, nowMs)
    // The sound's mark is removed as well.
    yield* (yield* Assets).mark(assetIdOf(uploadId), null)
  } else if ((yield* uploads.change(uploadId, statesAllowing("Expire"), { status: "expired", swept: false })) === null)
    return
  yield* Effect.ignore(sweepUpload(record))
})
/** Retires a track that is still in review. */
const retireUnreviewed = Effect.fnUntraced(function* ({ trackId }: UploadRecord) {
  if (trackId === null) return
  yield* judgeTrack(trackId, {
    from: ["pending_review"],
    to: "retired",
    reason: "AGENT_LEFT",
    atMs: yield* Clock.currentTimeMillis
  })
  yield* withdrawReview("track", trackId, "AGENT_LEFT")
})
const forget = Effect.fnUntraced(function* (agentId: AgentId) {
  const unheard = yield* (yield* Uploads).listUnheard(agentId)
  yield* Effect.forEach(unheard, (record) => Effect.andThen(retireUnreviewed(record), drop(record.id, true)), {
    discard: true
  })
  return unheard.length
})
export type Payload<F> = { readonly payload: F extends (payload: infer P) => unknown ? P : never }
/** Handlers of the agent's recordings. */
export const studioUploads = (agentId: AgentId) => ({
  InitiateUpload: ({ payload }: Payload<typeof initiate>) => initiate(payload),
  FilePut: ({ payload }: { readonly payload: { readonly uploadId: UploadId } }) => filePut(payload.uploadId),
  CompleteUpload: ({ payload }: Payload<typeof complete>) => complete(payload),
  SettleUpload: ({ payload }: { readonly payload: { readonly uploadId: UploadId; readonly outcome: UploadOutcome } }) =>
    settle(agentId, payload.uploadId, payload.outcome),
  DescribeUpload: ({ payload }: Payload<typeof describe>) => describe(payload),
  DropUpload: ({ payload }: { readonly payload: { readonly uploadId: UploadId; readonly forgotten: boolean } }) =>
    drop(payload.uploadId, payload.forgotten),
  ForgetUploads: () => forget(agentId)
})
