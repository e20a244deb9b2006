import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { backupView } from "../../../engine/rules/operations/Backup.ts"
import { BackupFiles } from "../../../engine/store/operations/BackupFiles.ts"
import { BackupRecords } from "../../../engine/store/operations/BackupRecords.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { NotFound, SubjectConflict } from "../../../schema/Problems.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"

export const BackupsHandlers = HttpApiBuilder.group(
  OpsApi,
  "backups",
  Effect.fnUntraced(function* (handlers) {
    const desk = (yield* OperatorDesk.client)((yield* StationFacts).slug)
    const readAct = Effect.fnUntraced(function* (reason: string | null | undefined) {
      return { actor: (yield* CurrentOperator).name, reason: reason ?? null }
    })
    return handlers
      .handle("list", () =>
        Effect.map(
          Effect.flatMap(BackupRecords, (backups) => backups.list),
          (backups) => ({ backups: backups.map(backupView) })
        )
      )
      .handle(
        "make",
        Effect.fnUntraced(function* ({ payload, query }) {
          const backup = yield* send(desk.RequestBackup(yield* readAct(payload.reason)))
          return isDry(query) ? previewAnswer({ backup }, 200) : { backup }
        })
      )
      .handleRaw(
        "file",
        Effect.fnUntraced(function* ({ params }) {
          const found = yield* (yield* BackupRecords).find(params.id)
          if (found === null) return yield* new NotFound({ detail: `There is no backup ${params.id}.` })
          if (found.state !== "made")
            return yield* new SubjectConflict({ detail: `The backup is ${found.state}: it has no file yet.` })
          const file = yield* (yield* BackupFiles).read(found.id)
          if (file === null)
            return yield* new NotFound({ detail: "The file of this backup is gone from DATA_DIR/backups." })
          return HttpServerResponse.stream(file.bytes, {
            contentType: "application/octet-stream",
            contentLength: file.size,
            headers: {
              "cache-control": "no-store",
              "content-disposition": `attachment; filename="${found.id}.backup"`
            }
          })
        })
      )
      .handle(
        "check",
        Effect.fnUntraced(function* ({ payload, query }) {
          const backup = yield* send(desk.RequestCheck({ id: payload.backupId, ...(yield* readAct(payload.reason)) }))
          return isDry(query) ? previewAnswer({ backup }, 200) : { backup }
        })
      )
  })
)
