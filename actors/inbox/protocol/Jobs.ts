import { Schema } from "effect"
import { WebhookId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** What is due to an endpoint is sent. */
export const Deliver = jobKind("inbox.deliver", Schema.Struct({ webhookId: WebhookId }))
