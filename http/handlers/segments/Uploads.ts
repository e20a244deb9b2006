import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Studio } from "../../../actors/segments/protocol/Studio.ts"
import { mediaUploads, scopeOf, canTakeFile } from "../../../engine/rules/segments/Upload.ts"
import { Uploads } from "../../../engine/store/segments/Uploads.ts"
import type { UploadRecord } from "../../../schema/segments/Upload.ts"
import { Forbidden, MissingFields, NotFound, UploadStateConflict } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { Hearer, MediaFiles, UploadBy } from "../../api/segments/UploadFiles.ts"
import { send } from "../../Send.ts"
import { broadcaster, previewAnswer } from "../Commands.ts"
import { readAllowances, readSubmissionQuota, answerWithQuotas } from "../Quotas.ts"

const absent = new NotFound({ detail: "None of your uploads has this id." })
const nothingSent = new MissingFields({
  detail: "Send at least one field to change.",
  errors: ["transcriptText", "rightsDeclaration", "syntheticDisclosure"].map((field) => ({
    pointer: `/${field}`,
    code: "MISSING_FIELDS",
    detail: "or another of these is required"
  }))
})

export const UploadsHandlers = HttpApiBuilder.group(
  Api,
  "mediaUploads",
  Effect.fnUntraced(function* (handlers) {
    const client = yield* Studio.client
    const files = yield* MediaFiles
    const own = Effect.map(CurrentAgent, (current) => ({
      studio: client(current.agent.id),
      who: { by: broadcaster(current), scopes: current.scopes }
    }))
    const answer = Effect.fnUntraced(function* (record: UploadRecord, isRehearsal: boolean) {
      const upload = yield* files.view(record)
      return isRehearsal ? previewAnswer({ ...upload, uploadUrl: null }, 200) : { upload }
    })
    const renderOwn = Effect.fnUntraced(function* (found: UploadRecord | null) {
      return found?.agentId === (yield* CurrentAgent).agent.id ? { upload: yield* files.view(found) } : yield* absent
    })
    return handlers.handleAll({
      initiate: Effect.fnUntraced(function* ({ payload, query }) {
        const { studio, who } = yield* own
        const draft = {
          ...payload,
          purpose: payload.purpose ?? (payload.keyPrefix === undefined ? "speech" : "music"),
          keyPrefix: payload.keyPrefix ?? null,
          sha256: payload.sha256 ?? null
        }
        const record = yield* send(studio.InitiateUpload({ ...who, draft })).pipe(
          answerWithQuotas(readAllowances([mediaUploads], who.by.agentId))
        )
        return yield* answer(record, isDry(query))
      }),
      complete: Effect.fnUntraced(function* ({ params, query }) {
        const { studio, who } = yield* own
        return yield* answer(yield* send(studio.CompleteUpload({ ...who, uploadId: params.id })), isDry(query))
      }),
      byHash: Effect.fnUntraced(function* ({ params }) {
        return yield* renderOwn(yield* (yield* Uploads).ownOf((yield* CurrentAgent).agent.id, params.sha256))
      }),
      one: Effect.fnUntraced(function* ({ params }) {
        return yield* renderOwn(yield* (yield* Uploads).find(params.id))
      }),
      describe: Effect.fnUntraced(function* ({ params, payload, query }) {
        if (Object.keys(payload).length === 0) return yield* nothingSent
        const { studio, who } = yield* own
        const { rightsDeclaration: rights, ...others } = payload
        const words =
          rights === undefined
            ? others
            : { ...others, rightsDeclaration: rights === "own" ? ("own_work" as const) : rights }
        return yield* answer(yield* send(studio.DescribeUpload({ ...who, uploadId: params.id, words })), isDry(query))
      }),
      submit: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { studio, who } = yield* own
        const { agentShowId = null, category = null, genre = null, mood = null, title = null } = payload
        const ask = { title, category, agentShowId, genre, mood }
        // There is only one station.
        const made = yield* Effect.catchTag(
          send(studio.SubmitForAir({ ...who, uploadId: params.id, ask })),
          "StationNotFound",
          Effect.die
        ).pipe(answerWithQuotas(Effect.map(readSubmissionQuota((yield* CurrentAgent).agent), (quota) => [quota])))
        const upload = yield* files.view(made.upload)
        const answer = {
          upload,
          ...(made.segment === null ? {} : { segment: made.segment }),
          ...(made.track === null ? {} : { track: made.track })
        }
        return isDry(query) ? previewAnswer(answer, 200) : answer
      })
    })
  })
)

const stateConflict = ({ status }: UploadRecord) =>
  new UploadStateConflict({
    detail: `This upload takes no file: it is ${status}, or has expired. Initiate a new upload.`
  })

export const MediaFilesHandlers = HttpApiBuilder.group(
  Api,
  "mediaFiles",
  Effect.fnUntraced(function* (handlers) {
    const client = yield* Studio.client
    const files = yield* MediaFiles
    return handlers
      .handleRaw(
        "blob",
        Effect.fnUntraced(function* ({ params, query, request }) {
          const { agent } = yield* UploadBy
          const record = yield* (yield* Uploads).find(params.id)
          if (record === null || (agent !== null && agent.agent.id !== record.agentId)) return yield* absent
          const scope = scopeOf(record.purpose)
          if (agent !== null && !agent.scopes.includes(scope))
            return yield* new Forbidden({
              detail: `Recordings for ${record.purpose} need the scope ${scope}.`,
              requiredScope: scope
            })
          if (!canTakeFile(record, yield* Effect.clockWith((clock) => clock.currentTimeMillis)))
            return yield* stateConflict(record)
          if (isDry(query)) return previewAnswer({ id: record.id, status: "uploaded" }, 200)
          yield* files.receive(record, request)
          return { upload: yield* files.view(yield* send(client(record.agentId).FilePut({ uploadId: record.id }))) }
        })
      )
      .handleRaw("audio", ({ params, request }) =>
        Effect.flatMap(Hearer, ({ agentId }) => files.findHeard(params.id, agentId, request))
      )
  })
)
