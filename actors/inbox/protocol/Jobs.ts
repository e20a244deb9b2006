import { Schema } from "effect"
import { WebhookId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** Sends an endpoint's due deliveries. */
export const Deliver = jobKind("inbox.deliver", Schema.Struct({ webhookId: WebhookId }))
