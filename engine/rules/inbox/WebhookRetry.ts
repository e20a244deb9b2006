import { deliveryRetriesMs, deliveryRetryAfterMaxMs, webhookFailingMaxMs } from "./limits.ts"
import type { DeliveryStatus } from "../../../schema/inbox/Webhook.ts"

/** A try of a delivery, as it ended. */
export interface Try {
  /** How many there were before it. */
  readonly attempts: number
  /** Null where there was no whole answer. */
  readonly responseStatus: number | null
  readonly retryAfterMs: number | null
  /** Tests are tried once. */
  readonly isOnce: boolean
  /** Since when the endpoint has failed without one success. */
  readonly failingSinceMs: number | null
  readonly nowMs: number
  /** 0 to 1: what is sent to many at one time comes back spread. */
  readonly jitter: number
}

export interface Tried {
  readonly status: DeliveryStatus
  readonly nextAtMs: number | null
  readonly failingSinceMs: number | null
  readonly disable: "gone" | "failing" | null
}

/** How long after try number `attempts` (from 1) the next one is; null when there is none. */
export const retryInMs = (attempts: number, jitter: number, retryAfterMs: number | null): number | null => {
  const plannedMs = deliveryRetriesMs[attempts - 1]
  if (plannedMs === undefined) return null
  return Math.round(Math.max(plannedMs * (0.9 + 0.2 * jitter), Math.min(retryAfterMs ?? 0, deliveryRetryAfterMaxMs)))
}

/** What follows from a try, for the delivery and for its endpoint. */
export const afterTry = (tried: Try): Tried => {
  const { attempts, failingSinceMs, isOnce, jitter, nowMs, responseStatus, retryAfterMs } = tried
  if (responseStatus !== null && responseStatus >= 200 && responseStatus < 300)
    return { status: "delivered", nextAtMs: null, failingSinceMs: null, disable: null }
  const since = failingSinceMs ?? nowMs
  if (responseStatus === 410) return { status: "failed", nextAtMs: null, failingSinceMs: since, disable: "gone" }
  const waitMs = isOnce ? null : retryInMs(attempts + 1, jitter, retryAfterMs)
  return {
    status: waitMs === null ? "failed" : "pending",
    nextAtMs: waitMs === null ? null : nowMs + waitMs,
    failingSinceMs: since,
    disable: nowMs - since >= webhookFailingMaxMs ? "failing" : null
  }
}

/** What the header Retry-After asks for: seconds, or a date. */
export const retryAfterOf = (header: string | undefined, nowMs: number): number | null => {
  if (header === undefined) return null
  const waitMs = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isFinite(waitMs) && waitMs > 0 ? waitMs : null
}
