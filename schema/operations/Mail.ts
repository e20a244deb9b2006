import { Schema } from "effect"

/** Subjects of mail to people. */
export const MailKind = Schema.Literals(["claim_code", "agent_claimed", "agent_link", "key_link"])
export type MailKind = typeof MailKind.Type

/** A mail as operators see it, without recipient and content. */
export class MailSent extends Schema.Class<MailSent>("MailSent")({
  id: Schema.String,
  at: Schema.String,
  kind: MailKind,
  way: Schema.Literals(["smtp", "outbox"]),
  status: Schema.Literals(["sent", "failed"])
}) {}
