import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { WebhookTried } from "../../../schema/inbox/Webhook.ts"

/** Brings messages to one endpoint. Keyed by the endpoint. */
export const Postman = Entity.make("Postman", [
  /** There is something to send, or will be soon. A repeat changes nothing. */
  Rpc.make("Collect", { success: Schema.Void }),
  /** Tries one message now. Where it is being tried already, that try is answered. */
  Rpc.make("Send", { payload: { deliveryId: Schema.String }, success: WebhookTried })
])
