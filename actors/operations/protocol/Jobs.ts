import { Schema } from "effect"
import { MailKind } from "../../../schema/operations/Mail.ts"
import { jobKind } from "../../runtime/protocol.ts"

export const MakeBackup = jobKind("operations.make_backup", Schema.Struct({ id: Schema.String }))
export const CheckBackup = jobKind("operations.check_backup", Schema.Struct({ id: Schema.String }))

/** Plays the coming days through. */
export const Simulate = jobKind("operations.simulate", Schema.Struct({ id: Schema.String }))

/** Sends an alert to ALERT_WEBHOOK_URL. `id` is the same on every try. */
export const SendAlert = jobKind("operations.send_alert", Schema.Struct({ id: Schema.String, body: Schema.String }))

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
