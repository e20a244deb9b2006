import { Schema } from "effect"

/** What a message to a person is about. */
export const MailKind = Schema.Literals(["claim_code", "agent_claimed", "agent_link", "key_link"])
export type MailKind = typeof MailKind.Type

/** A message as operators see it: who it went to and what it said is between the station and its reader. */
export class MailSent extends Schema.Class<MailSent>("MailSent")({
  id: Schema.String,
  at: Schema.String,
  kind: MailKind,
  way: Schema.Literals(["smtp", "outbox"]),
  status: Schema.Literals(["sent", "failed"])
}) {}
