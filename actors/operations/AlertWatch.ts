import { Clock, Effect, Layer, Metric, Schedule, Stream } from "effect"
import { statfs } from "node:fs/promises"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import {
  type AlertChange,
  alertChanges,
  alertKey,
  alertView,
  type Signs
} from "../../engine/rules/operations/Alerts.ts"
import {
  alertDetailCharsMax,
  alertLookSec,
  alertsOpenMax,
  alertSlowLookSec,
  encoderDownSec,
  encoderRestartsWindowSec
} from "../../engine/rules/operations/limits.ts"
import { Webhooks } from "../../engine/store/inbox/Webhooks.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { AlertsWriter } from "../../engine/store/operations/Alerts.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AlertRecord } from "../../schema/operations/Alert.ts"
import type { StationEvent } from "../../schema/Events.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { superviseForEver } from "../runtime/Supervision.ts"
import { whileHoldingAir } from "../runtime/whileHoldingAir.ts"
import { type AlertNews, addAlertNews, sendAlertNow } from "./AlertNews.ts"

const silence = Metric.counter("longwave_silence_seconds_total", {
  description: "seconds in which listeners heard silence, by the station's own probe",
  incremental: true
})

/** Alerts of these names have a cause that is watched here; the others are notices. */
const watched = new Set(["store", "fallback", "emergency", "speech", "reviews_overdue"])

interface Output {
  readonly restarts: number
  readonly restartsMs: ReadonlyArray<number>
  readonly downSinceMs: number | null
}

/**
 * Raises and closes the operators' alerts. It holds the open ones in memory, so that it goes on while the store doesn't answer: changes are
 * stored as soon as it does, and their mails and webhooks are sent without it.
 */
const watch = Effect.gen(function* () {
  const alerts = yield* AlertsWriter
  const bus = yield* EventBus
  const ids = yield* IdSource
  const reviews = yield* Reviews
  const transaction = yield* Transaction
  const webhooks = yield* Webhooks
  const { dataDir, diskFreeMinBytes } = yield* StationConfig
  const open = new Map<string, AlertRecord>()
  /** Not stored yet, by id. */
  const unsaved = new Map<string, { readonly alert: AlertRecord; readonly news: AlertNews | null }>()
  const outputs = new Map<string, Output>()
  let counts: Pick<Signs, "diskFreeBytes" | "overdueReviews" | "failingWebhooks"> = {
    diskFreeBytes: null,
    overdueReviews: null,
    failingWebhooks: null
  }
  let hasPlanned = false

  const unlessHanging = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.timeoutOption(`${alertLookSec} seconds`),
      Effect.map((found) => (found._tag === "Some" ? found.value : null)),
      Effect.catchCause(() => Effect.succeed(null))
    )
  const show = Effect.suspend(() =>
    bus.put("alerts", [...open.values()].sort((a, b) => b.raisedAtMs - a.raisedAtMs).map(alertView))
  )
  const save = Effect.fnUntraced(function* (alert: AlertRecord, news: AlertNews | null) {
    const stored = yield* unlessHanging(
      transaction.run(
        Effect.gen(function* () {
          yield* alerts.save(alert)
          if (news !== null) yield* addAlertNews(alert, news)
          return true
        })
      )
    )
    if (stored === true) return unsaved.delete(alert.id)
    // The store doesn't answer: people are told without it, once.
    if (news !== null) yield* Effect.forkDetach(Effect.ignoreCause(sendAlertNow(alert, news)))
    return void unsaved.set(alert.id, { alert, news: null })
  })
  const tell = (alert: AlertRecord, change: AlertNews | "seen") =>
    Effect.andThen(show, bus.publish({ _tag: "AlertChanged", change, alert: alertView(alert) }))

  const apply = Effect.fnUntraced(function* (change: AlertChange, nowMs: number) {
    switch (change._tag) {
      case "Raise": {
        if (open.size >= alertsOpenMax) return
        const { detail, kind, severity, subject } = change.cause
        const alert: AlertRecord = {
          id: yield* ids.make("alr"),
          kind,
          subject,
          severity,
          detail: detail.slice(0, alertDetailCharsMax),
          times: 1,
          raisedAtMs: nowMs,
          lastAtMs: nowMs,
          acknowledgedAtMs: null,
          acknowledgedBy: null,
          note: null,
          closedAtMs: null
        }
        open.set(alertKey(alert), alert)
        yield* tell(alert, "raised")
        return yield* save(alert, "raised")
      }
      case "See": {
        const detail = change.cause.detail.slice(0, alertDetailCharsMax)
        const isNotice = change.alert.kind === "notice"
        const isNews = detail !== change.alert.detail || change.cause.severity !== change.alert.severity
        const alert: AlertRecord = {
          ...change.alert,
          detail,
          severity: change.cause.severity,
          lastAtMs: nowMs,
          times: change.alert.times + (isNotice ? 1 : 0)
        }
        open.set(alertKey(alert), alert)
        if (!isNews && !isNotice) return
        yield* tell(alert, "seen")
        return yield* save(alert, null)
      }
      case "Close": {
        const alert: AlertRecord = { ...change.alert, closedAtMs: nowMs }
        open.delete(alertKey(alert))
        yield* tell(alert, "closed")
        return yield* save(alert, "closed")
      }
    }
  })

  const encoders = Effect.fnUntraced(function* (nowMs: number) {
    const status = yield* bus.get("airStatus")
    return (status?.outputs ?? []).map(({ id, restarts, running }) => {
      const known = outputs.get(id)
      const added = known === undefined || restarts < known.restarts ? 0 : restarts - known.restarts
      const restartsMs = [...(known?.restartsMs ?? []), ...Array<number>(Math.min(added, 100)).fill(nowMs)].filter(
        (atMs) => atMs > nowMs - encoderRestartsWindowSec * 1_000
      )
      const downSinceMs = running ? null : (known?.downSinceMs ?? nowMs)
      outputs.set(id, { restarts, restartsMs, downSinceMs })
      return { id, restartsMs, running: downSinceMs === null || nowMs - downSinceMs < encoderDownSec * 1_000 }
    })
  })
  const signs = Effect.fnUntraced(function* (nowMs: number) {
    const status = yield* bus.get("airStatus")
    const onAir = status?.onAir ?? null
    if (onAir !== null && onAir.itemId !== null) hasPlanned = true
    const sign: Signs = {
      ...counts,
      silent: status === null || status.probe.checkedAtMs === null ? null : status.probe.silent,
      // Before the first planned item nothing is missing.
      fallback:
        status === null || !hasPlanned || status.live === true
          ? null
          : !status.emergency && onAir !== null && onAir.itemId === null,
      emergency: status === null ? null : status.emergency,
      probeGaveUp: status === null ? null : (status.probe.gaveUp ?? false),
      encoders: yield* encoders(nowMs),
      diskFreeMinBytes,
      storeAnswers: yield* bus.get("store"),
      speechOut: ((yield* bus.get("speechEngines")) ?? [])
        .filter(({ state }) => state !== "ready")
        .map(({ lastFailure, name }) => ({ name, why: lastFailure?.detail ?? "unknown" }))
    }
    return sign
  })
  const look = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const found = yield* signs(nowMs)
    yield* Metric.update(silence, found.silent === true ? alertLookSec : 0)
    for (const change of alertChanges([...open.values()], found, nowMs)) yield* apply(change, nowMs)
    for (const { alert, news } of unsaved.values()) yield* save(alert, news)
  })
  const count = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const disk = yield* unlessHanging(Effect.promise(() => statfs(dataDir)))
    const found = yield* unlessHanging(webhooks.counts)
    counts = {
      diskFreeBytes: disk === null ? null : disk.bavail * disk.bsize,
      overdueReviews: yield* unlessHanging(reviews.countOverdue(nowMs)),
      failingWebhooks: found?.failing ?? null
    }
  })
  const note = Effect.fnUntraced(function* (event: StationEvent) {
    if (event._tag === "AlertChanged" && event.change === "acknowledged") {
      const { acknowledgedAt, acknowledgedBy, id, note } = event.alert
      const known = [...open.values()].find((alert) => alert.id === id)
      if (known === undefined) return
      const acknowledgedAtMs = acknowledgedAt === null ? null : Date.parse(acknowledgedAt)
      open.set(alertKey(known), { ...known, acknowledgedAtMs, acknowledgedBy, note })
      return yield* show
    }
    if (event._tag !== "OpsAlerted" || watched.has(event.what)) return
    const cause = { kind: "notice", subject: event.what, severity: "warning", detail: event.detail } as const
    const alert = open.get(alertKey(cause))
    const nowMs = yield* Clock.currentTimeMillis
    yield* apply(alert === undefined ? { _tag: "Raise", cause } : { _tag: "See", alert, cause }, nowMs)
  })

  const stored = yield* alerts.open
  for (const alert of stored) open.set(alertKey(alert), alert)
  yield* show
  const repeatEvery = <A, E, R>(seconds: number, step: Effect.Effect<A, E, R>) =>
    Effect.repeat(step, Schedule.spaced(`${seconds} seconds`))
  yield* count
  yield* Effect.all(
    [
      repeatEvery(alertLookSec, look),
      repeatEvery(alertSlowLookSec, count),
      Stream.runForEach(bus.events, ({ event }) => note(event))
    ],
    { concurrency: "unbounded", discard: true }
  )
})

export const AlertWatchLive = Layer.effectDiscard(
  Effect.forkScoped(superviseForEver("AlertWatch", alertLookSec * 1_000, whileHoldingAir(watch)))
)
