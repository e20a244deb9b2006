import { Schema } from "effect"

/** Something that takes long, and how far it is. */
export const Progress = Schema.Struct({
  kind: Schema.Literals(["house_programme", "backup", "simulation", "import", "as_run_check", "backup_check"]),
  /** Its id; for the house's programme the piece that was made last, for an import the file, for a check of the as-run log the day, or `all`. */
  subject: Schema.String,
  done: Schema.Int,
  total: Schema.Int
})
export type Progress = typeof Progress.Type
