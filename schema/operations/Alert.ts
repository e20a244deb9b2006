import { Schema } from "effect"

/** What is wrong. The first nine are watched and close themselves; `notice` is something that happened. */
export const AlertKind = Schema.Literals([
  "silence",
  "fallback",
  "emergency",
  "encoder",
  "disk",
  "store",
  "speech",
  "reviews",
  "webhooks",
  "watchdog",
  "notice"
])
export type AlertKind = typeof AlertKind.Type

/** `critical`: listeners hear it or soon will. */
export const AlertSeverity = Schema.Literals(["critical", "warning"])
export type AlertSeverity = typeof AlertSeverity.Type

/** Something that operators have to know. One alert is open for each kind and subject. */
export class Alert extends Schema.Class<Alert>("Alert")({
  id: Schema.String,
  kind: AlertKind,
  /** What it is about: an output, an engine, the name of a notice; otherwise empty. */
  subject: Schema.String,
  severity: AlertSeverity,
  detail: Schema.String,
  /** How often it was seen while it is open. */
  times: Schema.Int,
  raisedAt: Schema.String,
  lastSeenAt: Schema.String,
  acknowledgedAt: Schema.NullOr(Schema.String),
  acknowledgedBy: Schema.NullOr(Schema.String),
  note: Schema.NullOr(Schema.String),
  /** When its cause was gone. */
  closedAt: Schema.NullOr(Schema.String)
}) {}

/** A stored alert. Instants in ms since 1970. */
export const AlertRecord = Schema.Struct({
  id: Schema.String,
  kind: AlertKind,
  subject: Schema.String,
  severity: AlertSeverity,
  detail: Schema.String,
  times: Schema.Int,
  raisedAtMs: Schema.Finite,
  lastAtMs: Schema.Finite,
  acknowledgedAtMs: Schema.NullOr(Schema.Finite),
  acknowledgedBy: Schema.NullOr(Schema.String),
  note: Schema.NullOr(Schema.String),
  closedAtMs: Schema.NullOr(Schema.Finite)
})
export type AlertRecord = typeof AlertRecord.Type
