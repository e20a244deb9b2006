import { Schema } from "effect"
import { MailKind } from "../../../schema/operations/Mail.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** A message is mailed. Whom it goes to and what it says is sealed under its id. */
export const SendMail = jobKind(
  "operations.send_mail",
  Schema.Struct({
    mailId: Schema.String,
    kind: MailKind,
    sealed: Schema.String,
    /** After this it is of no use to its reader. */
    expiresAtMs: Schema.Finite
  })
)
