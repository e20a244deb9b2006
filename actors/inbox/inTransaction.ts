import { joined } from "../runtime/joined.ts"
import { WebhooksWriter } from "../../engine/store/inbox/Webhooks.ts"

/** Removes the webhooks of an agent that leaves. */
export const removeWebhooks = joined(WebhooksWriter, "removeAll")
