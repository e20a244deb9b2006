import { Backup, type BackupRecord } from "../../../schema/operations/Backup.ts"
import { iso, isoOrNull } from "../../../schema/time/Instant.ts"

/** The file of a backup in `DATA_DIR/backups`. */
export const backupFile = (id: string): string => `${id}.backup`

export const backupView = (record: BackupRecord): Backup =>
  Backup.make({
    id: record.id,
    state: record.state,
    progress: record.progress,
    bytes: record.bytes,
    sha256: record.sha256,
    detail: record.detail,
    requestedBy: record.requestedBy,
    requestedAt: iso(record.requestedAtMs),
    endedAt: isoOrNull(record.endedAtMs),
    check: record.verdict,
    fileUrl: record.state === "made" ? `/api/ops/backups/${record.id}/file` : null
  })
