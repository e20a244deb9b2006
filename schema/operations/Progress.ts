import { Schema } from "effect"

/** Something that takes long, and how far it is. */
export const Progress = Schema.Struct({
  kind: Schema.Literals(["house_programme", "backup", "simulation"]),
  /** Its id; for the house's programme the piece that was made last. */
  subject: Schema.String,
  done: Schema.Int,
  total: Schema.Int
})
export type Progress = typeof Progress.Type
