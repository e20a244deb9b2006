import { Schema } from "effect"
import { MailKind } from "../../../schema/operations/Mail.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** Mails a message. Recipient and content are sealed under the mail's id. */
export const SendMail = jobKind(
  "operations.send_mail",
  Schema.Struct({
    mailId: Schema.String,
    kind: MailKind,
    sealed: Schema.String,
    /** Not sent after this time. */
    expiresAtMs: Schema.Finite
  })
)
