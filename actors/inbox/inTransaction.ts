import { joined } from "../runtime/joined.ts"
import { Webhooks } from "../../engine/store/inbox/Webhooks.ts"

/** Removes the webhooks of an agent that leaves. */
export const removeWebhooks = joined(Webhooks, "removeAll")
