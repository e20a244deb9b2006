import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { backupView } from "../../engine/rules/operations/Backup.ts"
import { BackupRecordsWriter } from "../../engine/store/operations/BackupRecords.ts"
import { NotFound, SubjectConflict } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { addJob } from "../runtime/Jobs.ts"
import { CheckBackup, MakeBackup } from "./protocol/Jobs.ts"

/** Operators' handlers for backups. */
export const backupControl = {
  RequestBackup: Effect.fnUntraced(function* ({ payload: { actor, reason } }: { readonly payload: Act }) {
    const backups = yield* BackupRecordsWriter
    if ((yield* StationConfig).backupKey === null)
      return yield* new SubjectConflict({
        detail: "BACKUP_KEY is not set: it encrypts the backup. Set it and start the station again."
      })
    return yield* command({
      run: Effect.gen(function* () {
        const other = yield* backups.underWay
        if (other !== null)
          return yield* new SubjectConflict({ detail: `The backup ${other.id} is being made. Wait for its end.` })
        const id = yield* (yield* IdSource).make("bak")
        yield* backups.add(id, actor, yield* Clock.currentTimeMillis)
        yield* addJob(MakeBackup, { key: id, payload: { id } })
        yield* record({ actor, reason }, "backup.request", { type: "backup", id }, null, null)
        return backupView((yield* backups.find(id))!)
      })
    })
  }),
  RequestCheck: Effect.fnUntraced(function* ({
    payload: { actor, id, reason }
  }: {
    readonly payload: Act & { readonly id: string }
  }) {
    const backups = yield* BackupRecordsWriter
    return yield* command({
      run: Effect.gen(function* () {
        const found = yield* backups.find(id)
        if (found === null) return yield* new NotFound({ detail: `There is no backup ${id}.` })
        if (found.state !== "made")
          return yield* new SubjectConflict({ detail: `The backup is ${found.state}: there is no file to check.` })
        yield* backups.verdict(id, null)
        yield* addJob(CheckBackup, { key: id, payload: { id } })
        yield* record({ actor, reason }, "backup.check", { type: "backup", id }, null, null)
        return backupView({ ...found, verdict: null })
      })
    })
  })
}
