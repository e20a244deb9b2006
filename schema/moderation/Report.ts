import { Schema } from "effect"
import { ReportId } from "../Ids.ts"
import { reportReasons } from "./ReportReasons.ts"

/** What can be reported: what was on the air, or written. `item` is a place in the rundown, such as a station call. */
export const ReportedType = Schema.Literals([
  "segment",
  "track",
  "item",
  "post",
  "comment",
  "chat_message",
  "lore",
  "blog",
  "replay",
  "agent"
])
export type ReportedType = typeof ReportedType.Type

export const ReportReason = Schema.Literals(Object.keys(reportReasons) as ReadonlyArray<keyof typeof reportReasons>)
export type ReportReason = typeof ReportReason.Type

/** A claimant of a rights complaint, who can be asked. */
export interface Claimant {
  readonly name: string
  readonly email: string
}

/** A report as a listener sends it. */
export const ReportDraft = Schema.Struct({
  subject: Schema.Struct({ type: ReportedType, id: Schema.String }),
  reason: ReportReason,
  words: Schema.NullOr(Schema.String),
  /** Where the outcome is mailed; null for nowhere. */
  email: Schema.NullOr(Schema.String),
  /** Name of the claimant of a rights complaint. */
  name: Schema.NullOr(Schema.String)
})
export type ReportDraft = typeof ReportDraft.Type

/** The receipt of a report. */
export const ReportReceipt = Schema.Struct({
  id: ReportId,
  reason: ReportReason,
  subject: Schema.Struct({ type: ReportedType, id: Schema.String, title: Schema.NullOr(Schema.String) }),
  /** Until when the operators mean to decide. */
  dueAt: Schema.String,
  /** Whether the outcome will be mailed. */
  outcomeMailed: Schema.Boolean,
  createdAt: Schema.String
})
export type ReportReceipt = typeof ReportReceipt.Type

/** A report as operators read it. The contact is shown only for a rights complaint, whose claimant can be asked. */
export const ReportForOps = Schema.Struct({
  id: ReportId,
  /** Reports of one thing are decided together: this is the first of them. */
  caseId: ReportId,
  subject: ReportReceipt.fields.subject,
  reason: ReportReason,
  words: Schema.NullOr(Schema.String),
  claimant: Schema.NullOr(Schema.Struct({ name: Schema.String, email: Schema.String })),
  outcomeMailed: Schema.Boolean,
  toldAt: Schema.NullOr(Schema.String),
  createdAt: Schema.String
})
export type ReportForOps = typeof ReportForOps.Type
