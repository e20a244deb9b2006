import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Backup } from "../../../schema/operations/Backup.ts"
import { Busy, MissingFields, NotFound, SubjectConflict } from "../../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, bodyOrNone, dry, dryRun, requiredText } from "../Inputs.ts"
import { reason } from "../OperatorReason.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

const params = { id: anyText }

/** Backups of the running station. */
export const BackupsApi = HttpApiGroup.make("backups")
  .add(
    HttpApiEndpoint.get("list", "/api/ops/backups", { success: Schema.Struct({ backups: Schema.Array(Backup) }) })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "List backups",
          "Backups made here, newest first, with the progress of the one that is being made. The newest five are kept; those of the command npm run backup are not listed."
        )
      ),
    HttpApiEndpoint.post("make", "/api/ops/backups", {
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({ reason }),
      success: [Schema.Struct({ backup: Backup }), dry],
      error: [SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Make a backup",
          "Writes database, media and keys into one encrypted file in DATA_DIR/backups, as a background job in a process of its own; the station goes on. Needs BACKUP_KEY. One at a time.",
          { reason: "before the new version" }
        )
      ),
    HttpApiEndpoint.get("file", "/api/ops/backups/:id/file", {
      params,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
      error: [NotFound, SubjectConflict]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Download a backup",
          "The encrypted file. npm run restore makes a station of it, with the same BACKUP_KEY."
        )
      ),
    HttpApiEndpoint.post("check", "/api/ops/restore/check", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({ backupId: requiredText(60), reason }),
      success: [Schema.Struct({ backup: Backup }), dry],
      error: [MissingFields, NotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Check a backup",
          "Reads the whole file as a restore would, in the background: whether it is complete, unchanged and made with the present BACKUP_KEY. The result is in check of GET /api/ops/backups. Restoring itself is a command on the host, while the station is off.",
          { backupId: "bak_01j00000000000000000000000" }
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Backups", description: "Backups, their files, and checks of them." }))
