import { Alert, type AlertKind, type AlertRecord, type AlertSeverity } from "../../../schema/operations/Alert.ts"
import { iso, isoOrNull } from "../../../schema/time/Instant.ts"
import { alertClearSec, alertQuietSec, encoderRestartsAlerted, encoderRestartsWindowSec } from "./limits.ts"

/** What holds now, as the station measures it. Null: unknown, which raises and closes nothing. */
export interface Signs {
  readonly silent: boolean | null
  readonly fallback: boolean | null
  readonly emergency: boolean | null
  /** The probe has ordered the emergency programme in vain and has stopped. */
  readonly probeGaveUp: boolean | null
  /** Outputs that don't run or were restarted, with the instants of their restarts. */
  readonly encoders: ReadonlyArray<{
    readonly id: string
    readonly running: boolean
    readonly restartsMs: ReadonlyArray<number>
  }>
  readonly diskFreeBytes: number | null
  readonly diskFreeMinBytes: number
  readonly storeAnswers: boolean | null
  readonly speechOut: ReadonlyArray<{ readonly name: string; readonly why: string }>
  readonly overdueReviews: number | null
  readonly failingWebhooks: number | null
}

/** A cause that holds now. */
export interface Cause {
  readonly kind: AlertKind
  readonly subject: string
  readonly severity: AlertSeverity
  readonly detail: string
}
export const alertKey = ({ kind, subject }: Pick<Cause, "kind" | "subject">): string => `${kind}/${subject}`

const mebibytes = (bytes: number) => Math.floor(bytes / 1_048_576)

/** The causes that hold, and the kinds about which nothing is known. */
export const causesOf = (
  signs: Signs,
  nowMs: number
): { readonly causes: ReadonlyArray<Cause>; readonly unknown: ReadonlySet<AlertKind> } => {
  const causes: Array<Cause> = []
  const unknown = new Set<AlertKind>()
  const judge = <A>(kind: AlertKind, sign: A | null, holds: (sign: A) => string | null, severity: AlertSeverity) => {
    if (sign === null) unknown.add(kind)
    else {
      const detail = holds(sign)
      if (detail !== null) causes.push({ kind, subject: "", severity, detail })
    }
  }
  judge("silence", signs.silent, (holds) => (holds ? "Listeners hear silence." : null), "critical")
  judge(
    "fallback",
    signs.fallback,
    (holds) => (holds ? "Nothing planned can be played: the emergency programme fills in." : null),
    "critical"
  )
  judge("emergency", signs.emergency, (holds) => (holds ? "The emergency programme is on." : null), "critical")
  judge(
    "watchdog",
    signs.probeGaveUp,
    (holds) =>
      holds
        ? "The listener probe ordered the emergency programme again and again in vain. It has stopped: a person has to look."
        : null,
    "critical"
  )
  for (const { id, restartsMs, running } of signs.encoders) {
    const recent = restartsMs.filter((atMs) => atMs > nowMs - encoderRestartsWindowSec * 1_000).length
    if (!running)
      causes.push({ kind: "encoder", subject: id, severity: "critical", detail: `The encoder of ${id} is down.` })
    else if (recent >= encoderRestartsAlerted)
      causes.push({
        kind: "encoder",
        subject: id,
        severity: "warning",
        detail: `The encoder of ${id} was restarted ${recent} times in ${encoderRestartsWindowSec / 60} minutes.`
      })
  }
  judge(
    "disk",
    signs.diskFreeBytes,
    (free) =>
      free < signs.diskFreeMinBytes
        ? `The disk of DATA_DIR has ${mebibytes(free)} MiB free, fewer than ${mebibytes(signs.diskFreeMinBytes)}: nothing is taken in or made.`
        : null,
    "critical"
  )
  judge(
    "store",
    signs.storeAnswers,
    (answers) => (answers ? null : "The store does not answer. Commands are refused; the planned programme continues."),
    "critical"
  )
  for (const { name, why } of signs.speechOut)
    causes.push({
      kind: "speech",
      subject: name,
      severity: "warning",
      detail: `The speech engine ${name} is out: ${why}`
    })
  judge("reviews", signs.overdueReviews, (late) => (late > 0 ? `${late} reviews are overdue.` : null), "warning")
  judge(
    "webhooks",
    signs.failingWebhooks,
    (failing) => (failing > 0 ? `${failing} webhook endpoints are failing.` : null),
    "warning"
  )
  return { causes, unknown }
}

export type AlertChange =
  | { readonly _tag: "Raise"; readonly cause: Cause }
  | { readonly _tag: "See"; readonly alert: AlertRecord; readonly cause: Cause }
  | { readonly _tag: "Close"; readonly alert: AlertRecord }

/**
 * What to do about the open alerts. A cause raises one alert; an alert closes itself when its cause has been gone for `alertClearSec`, so that
 * one that comes and goes doesn't flood anybody, and a notice when it has not been repeated for `alertQuietSec`.
 */
export const alertChanges = (
  open: ReadonlyArray<AlertRecord>,
  signs: Signs,
  nowMs: number
): ReadonlyArray<AlertChange> => {
  const { causes, unknown } = causesOf(signs, nowMs)
  const known = new Map(open.map((alert) => [alertKey(alert), alert]))
  const holding = new Set(causes.map(alertKey))
  return [
    ...causes.map((cause): AlertChange => {
      const alert = known.get(alertKey(cause))
      return alert === undefined ? { _tag: "Raise", cause } : { _tag: "See", alert, cause }
    }),
    ...open.flatMap((alert): ReadonlyArray<AlertChange> => {
      if (holding.has(alertKey(alert)) || unknown.has(alert.kind)) return []
      const quietMs = (alert.kind === "notice" ? alertQuietSec : alertClearSec) * 1_000
      return nowMs - alert.lastAtMs >= quietMs ? [{ _tag: "Close", alert }] : []
    })
  ]
}

export const alertView = (record: AlertRecord): Alert =>
  Alert.make({
    id: record.id,
    kind: record.kind,
    subject: record.subject,
    severity: record.severity,
    detail: record.detail,
    times: record.times,
    raisedAt: iso(record.raisedAtMs),
    lastSeenAt: iso(record.lastAtMs),
    acknowledgedAt: isoOrNull(record.acknowledgedAtMs),
    acknowledgedBy: record.acknowledgedBy,
    note: record.note,
    closedAt: isoOrNull(record.closedAtMs)
  })
