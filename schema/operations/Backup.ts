import { Schema } from "effect"

export const BackupState = Schema.Literals(["waiting", "running", "made", "failed"])
export type BackupState = typeof BackupState.Type

/** Result of reading a whole backup: whether it could be restored. */
export const BackupCheck = Schema.Struct({
  ok: Schema.Boolean,
  detail: Schema.NullOr(Schema.String),
  checkedAt: Schema.String,
  madeAt: Schema.NullOr(Schema.String),
  tables: Schema.Int,
  files: Schema.Int
})
export type BackupCheck = typeof BackupCheck.Type

/** A backup of the station in `DATA_DIR/backups`. */
export class Backup extends Schema.Class<Backup>("Backup")({
  id: Schema.String,
  state: BackupState,
  /** Percentage. */
  progress: Schema.Int,
  bytes: Schema.NullOr(Schema.Finite),
  sha256: Schema.NullOr(Schema.String),
  /** Why it failed. */
  detail: Schema.NullOr(Schema.String),
  requestedBy: Schema.String,
  requestedAt: Schema.String,
  endedAt: Schema.NullOr(Schema.String),
  /** Null before POST /api/ops/restore/check, and while it is checked. */
  check: Schema.NullOr(BackupCheck),
  fileUrl: Schema.NullOr(Schema.String)
}) {}

export const BackupRecord = Schema.Struct({
  id: Schema.String,
  state: BackupState,
  progress: Schema.Int,
  bytes: Schema.NullOr(Schema.Finite),
  sha256: Schema.NullOr(Schema.String),
  detail: Schema.NullOr(Schema.String),
  requestedBy: Schema.String,
  requestedAtMs: Schema.Finite,
  endedAtMs: Schema.NullOr(Schema.Finite),
  verdict: Schema.NullOr(BackupCheck)
})
export type BackupRecord = typeof BackupRecord.Type
