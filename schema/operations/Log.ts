import { Schema } from "effect"

export const LoggedLevel = Schema.Literals(["Debug", "Info", "Warn", "Error"])
export type LoggedLevel = typeof LoggedLevel.Type

/** A line of the station's log, shortened. */
export const LogLine = Schema.Struct({
  at: Schema.String,
  level: LoggedLevel,
  message: Schema.String,
  /** The first lines of the fault, if there is one. */
  cause: Schema.NullOr(Schema.String)
})
export type LogLine = typeof LogLine.Type
