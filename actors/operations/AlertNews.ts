import { Clock, Effect } from "effect"
import { Webhook as Signer } from "standardwebhooks"
import { StationConfig, stationFacts } from "../../engine/runtime/Config.ts"
import { alertView } from "../../engine/rules/operations/Alerts.ts"
import { alertPostTimeoutMs, alertTriesMax } from "../../engine/rules/operations/limits.ts"
import { webhookAnswerMaxBytes } from "../../engine/rules/inbox/limits.ts"
import { Mail } from "../../engine/ports/Mail.ts"
import { Outbound } from "../../engine/ports/Outbound.ts"
import type { AlertRecord } from "../../schema/operations/Alert.ts"
import { iso } from "../../schema/time/Instant.ts"
import { addJob, backOff, jobHandler } from "../runtime/Jobs.ts"
import { mail } from "./inTransaction.ts"
import { SendAlert } from "./protocol/Jobs.ts"

export type AlertNews = "raised" | "closed"

const addresses = Effect.map(StationConfig, ({ alertMail }) =>
  alertMail === null ? [] : alertMail.split(",").map((address) => address.trim())
)

/** The mail about an alert that was raised or closed. */
const letterOf = Effect.fnUntraced(function* (alert: AlertRecord, news: AlertNews) {
  const { publicUrl, stationName } = yield* StationConfig
  const what = alert.subject === "" ? alert.kind : `${alert.kind} (${alert.subject})`
  return {
    kind: "alert" as const,
    subject: `${stationName}: ${news === "raised" ? alert.severity : "over"}: ${what}`,
    text: [
      alert.detail,
      "",
      news === "raised"
        ? `Since ${iso(alert.raisedAtMs)}. The alert closes itself when its cause is gone.`
        : `From ${iso(alert.raisedAtMs)} to ${iso(alert.closedAtMs ?? alert.lastAtMs)}. Nothing is left to do.`,
      "",
      `All alerts: GET ${publicUrl}/api/ops/alerts`
    ].join("\n")
  }
})
const bodyOf = Effect.fnUntraced(function* (alert: AlertRecord, news: AlertNews) {
  const { slug } = yield* stationFacts
  return JSON.stringify({
    type: `alert.${news}`,
    timestamp: iso(news === "raised" ? alert.raisedAtMs : (alert.closedAtMs ?? alert.lastAtMs)),
    data: { station: slug, alert: alertView(alert) }
  })
})

/** Signed as the webhooks to agents are, when there is a secret. */
const post = Effect.fnUntraced(function* (id: string, body: string) {
  const { alertWebhookSecret, alertWebhookUrl } = yield* StationConfig
  if (alertWebhookUrl === null) return
  const nowMs = yield* Clock.currentTimeMillis
  const answer = yield* (yield* Outbound).ask({
    url: alertWebhookUrl,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "longwave-webhooks/1",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(nowMs / 1_000)),
      ...(alertWebhookSecret === null
        ? {}
        : { "webhook-signature": new Signer(alertWebhookSecret).sign(id, new Date(nowMs), body) })
    },
    body,
    timeoutMs: alertPostTimeoutMs,
    answerMaxBytes: webhookAnswerMaxBytes
  })
  if (answer.status < 200 || answer.status > 299)
    return yield* Effect.fail(new Error(`ALERT_WEBHOOK_URL answered ${answer.status}`))
})

/** Adds the mails and the webhook of an alert, in the transaction that stores it. */
export const addAlertNews = Effect.fnUntraced(function* (alert: AlertRecord, news: AlertNews) {
  const { alertWebhookUrl } = yield* StationConfig
  const letter = yield* letterOf(alert, news)
  for (const to of yield* addresses)
    yield* Effect.catchTag(mail({ ...letter, to }), "RateLimited", () =>
      Effect.logWarning(`alerts: an address of ALERT_MAIL has had a day's mails; ${alert.id} is not mailed`)
    )
  if (alertWebhookUrl !== null)
    yield* addJob(SendAlert, {
      key: `${alert.id}/${news}`,
      payload: { id: `${alert.id}_${news}`, body: yield* bodyOf(alert, news) }
    })
})

/** Sends them at once, while the store doesn't answer. */
export const sendAlertNow = Effect.fnUntraced(function* (alert: AlertRecord, news: AlertNews) {
  const letter = yield* letterOf(alert, news)
  const mails = Effect.flatMap(addresses, (all) =>
    Effect.forEach(all, (to) => Effect.flatMap(Mail, (sender) => Effect.ignoreCause(sender.send({ ...letter, to }))))
  )
  const hook = Effect.flatMap(bodyOf(alert, news), (body) => Effect.ignoreCause(post(`${alert.id}_${news}`, body)))
  yield* Effect.all([mails, hook], { concurrency: "unbounded", discard: true })
})

const sendAlert = jobHandler(SendAlert, {
  triesMax: alertTriesMax,
  restMs: backOff(5_000, 900_000),
  work: ({ body, id }) =>
    Effect.mapError(post(id, body), (fault) => (fault instanceof Error ? fault : new Error(String(fault))))
})

export const alertJobs = [sendAlert] as const
