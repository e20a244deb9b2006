import { deliveryRetriesMs, deliveryRetryAfterMaxMs, webhookFailingMaxMs } from "./limits.ts"
import type { DeliveryStatus } from "../../../schema/inbox/Webhook.ts"

/** A finished attempt of a delivery. */
export interface Try {
  /** Number of earlier attempts. */
  readonly attempts: number
  /** Null without a complete response. */
  readonly responseStatus: number | null
  readonly retryAfterMs: number | null
  /** Tests are attempted once. */
  readonly isOnce: boolean
  /** Start of the endpoint's failures without one success. */
  readonly failingSinceMs: number | null
  readonly nowMs: number
  /** 0 to 1: spreads the retries of deliveries sent at the same time. */
  readonly jitter: number
}

export interface Tried {
  readonly status: DeliveryStatus
  readonly nextAtMs: number | null
  readonly failingSinceMs: number | null
  readonly disable: "gone" | "failing" | null
}

/** Delay after attempt number `attempts` (from 1); null after the last. */
export const retryInMs = (attempts: number, jitter: number, retryAfterMs: number | null): number | null => {
  const plannedMs = deliveryRetriesMs[attempts - 1]
  if (plannedMs === undefined) return null
  return Math.round(Math.max(plannedMs * (0.9 + 0.2 * jitter), Math.min(retryAfterMs ?? 0, deliveryRetryAfterMaxMs)))
}

/** The state of the delivery and of its endpoint after an attempt. */
export const applyTry = (tried: Try): Tried => {
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

/** The delay in the Retry-After header in ms, given as seconds or as a date; null if there is none. */
export const retryAfterOf = (header: string | undefined, nowMs: number): number | null => {
  if (header === undefined) return null
  const waitMs = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isFinite(waitMs) && waitMs > 0 ? waitMs : null
}
