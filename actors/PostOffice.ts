import { Clock, Effect, Layer, Schedule } from "effect"
import { deliveriesKeptDays, postRoundMax, postRoundSec } from "../engine/Limits.ts"
import { dayMs } from "../engine/rules/SpeechQuota.ts"
import { WebhookDeliveries } from "../engine/store/WebhookDeliveries.ts"
import { outboxReader } from "./OutboxReader.ts"
import { PostmanLive } from "./Postman.ts"
import { Postman } from "./protocol/Postman.ts"
import { quietly, superviseForEver } from "./Supervision.ts"
import { spreadNews } from "./WebhookNews.ts"

/** Calls the postmen of all endpoints to which something is due before the next round: those that have gone, and those of a station that was down. */
export const postRound = Effect.fn("PostOffice.round")(function*() {
  const postman = yield* Postman.client
  const nowMs = yield* Clock.currentTimeMillis
  const endpoints = yield* (yield* WebhookDeliveries).waiting(nowMs + postRoundSec * 1_000, postRoundMax)
  yield* Effect.forEach(endpoints, (id) => Effect.ignoreCause(postman(id).Collect()), { discard: true })
})

const rounds = Effect.forever(Effect.andThen(
  quietly("webhooks: a round was left out", postRound()),
  Effect.sleep(postRoundSec * 1_000)
))

/** Turns events into messages, has them brought, and throws away what is old. */
export const PostOfficeLive = Layer.effectDiscard(Effect.gen(function*() {
  const deliveries = yield* WebhookDeliveries
  const { run } = yield* outboxReader("webhooks", spreadNews)
  yield* Effect.forkScoped(run)
  yield* Effect.forkScoped(superviseForEver("PostOffice", postRoundSec * 1_000, rounds))
  yield* Effect.flatMap(Clock.currentTimeMillis, (nowMs) => deliveries.purge(nowMs - deliveriesKeptDays * dayMs)).pipe(Effect.ignoreCause, Effect.repeat(Schedule.spaced("1 hour")), Effect.forkScoped)
})).pipe(Layer.provideMerge(PostmanLive))
