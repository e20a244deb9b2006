import { Schema } from "effect"

/** Subjects of mail to people. */
export const MailKind = Schema.Literals([
  "claim_code",
  "agent_claimed",
  "agent_link",
  "key_link",
  "alert",
  "report_outcome",
  "sign_in",
  "agent_suspended",
  "appeal_answered"
])
export type MailKind = typeof MailKind.Type

/** A mail as operators see it, without recipient and content. */
export class MailSent extends Schema.Class<MailSent>("MailSent")({
  id: Schema.String,
  at: Schema.String,
  kind: MailKind,
  way: Schema.Literals(["smtp", "outbox"]),
  status: Schema.Literals(["sent", "failed"])
}) {}

/** A mail as operators read it: the recipient is masked, codes and links are left out. */
export const MailLetter = Schema.Struct({ to: Schema.String, subject: Schema.String, text: Schema.String })
export type MailLetter = typeof MailLetter.Type
