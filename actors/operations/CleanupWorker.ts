import { Effect } from "effect"
import {
  alertsKeptDays,
  failedBackupsKeptDays,
  lettersKeptDays,
  mailsKeptDays
} from "../../engine/rules/operations/limits.ts"
import { jobsEndedKeptDays, metersKeptDays, outboxKeptDays } from "../../engine/rules/runtime/limits.ts"
import { BackupRecordsWriter } from "../../engine/store/operations/BackupRecords.ts"
import { SimulationsWriter } from "../../engine/store/operations/Simulations.ts"
import { AlertsWriter } from "../../engine/store/operations/Alerts.ts"
import { MailsWriter } from "../../engine/store/operations/Mails.ts"
import { OperatorsWriter } from "../../engine/store/operations/Operators.ts"
import { IdempotencyKeys } from "../../engine/store/sql/IdempotencyKeys.ts"
import { Jobs } from "../../engine/store/sql/Jobs.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { OutboxReaders } from "../../engine/store/sql/OutboxReaders.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { repeatEvery, purgeJob } from "../runtime/Jobs.ts"

const often = repeatEvery(600_000)
const hourly = repeatEvery(hourMs)

/** Deletes what the station's machinery no longer needs. */
export const cleanupJobs = [
  purgeJob("operations.purge_idempotency_keys", {
    next: often,
    batch: (nowMs) => Effect.flatMap(IdempotencyKeys, ({ purge }) => purge(nowMs))
  }),
  purgeJob("operations.erase_secrets", {
    next: often,
    batch: (nowMs) => Effect.flatMap(IdempotencyKeys, ({ eraseSecrets }) => eraseSecrets(nowMs))
  }),
  purgeJob("operations.purge_jobs", {
    next: hourly,
    batch: (nowMs) => Effect.flatMap(Jobs, ({ purge }) => purge(nowMs - jobsEndedKeptDays * dayMs))
  }),
  purgeJob("operations.purge_outbox", {
    next: hourly,
    batch: (nowMs) => Effect.flatMap(OutboxReaders, ({ purge }) => purge(nowMs - outboxKeptDays * dayMs))
  }),
  purgeJob("operations.purge_meters", {
    next: hourly,
    batch: (nowMs) => Effect.flatMap(Meters, ({ purge }) => purge(nowMs - (metersKeptDays - 1) * dayMs))
  }),
  purgeJob("operations.purge_mails", {
    next: hourly,
    batch: (nowMs) => Effect.flatMap(MailsWriter, ({ purge }) => purge(nowMs - mailsKeptDays * dayMs))
  }),
  purgeJob("operations.erase_letters", {
    next: hourly,
    batch: (nowMs) => Effect.flatMap(MailsWriter, ({ eraseLetters }) => eraseLetters(nowMs - lettersKeptDays * dayMs))
  }),
  purgeJob("operations.purge_backups", {
    next: hourly,
    batch: (nowMs) => Effect.flatMap(BackupRecordsWriter, ({ purge }) => purge(nowMs - failedBackupsKeptDays * dayMs))
  }),
  purgeJob("operations.purge_simulations", {
    next: hourly,
    batch: () => Effect.flatMap(SimulationsWriter, ({ purge }) => purge)
  }),
  purgeJob("operations.purge_alerts", {
    next: hourly,
    batch: (nowMs) => Effect.flatMap(AlertsWriter, ({ purge }) => purge(nowMs - alertsKeptDays * dayMs))
  }),
  purgeJob("operations.purge_sessions", {
    next: hourly,
    batch: (nowMs) => Effect.flatMap(OperatorsWriter, ({ purgeSessions }) => purgeSessions(nowMs))
  }),
  purgeJob("operations.purge_links", {
    next: hourly,
    batch: (nowMs) => Effect.flatMap(OperatorsWriter, ({ purgeLinks }) => purgeLinks(nowMs))
  })
] as const
