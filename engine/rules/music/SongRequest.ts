import type { AiringState } from "../../../schema/air/Airing.ts"
import type { SongRequestStatus } from "../../../schema/music/SongRequest.ts"

/** Status of a request by the state of its airing. */
export const requestStatus: { readonly [State in AiringState]: SongRequestStatus } = {
  waiting: "pending",
  placed: "scheduled",
  airing: "scheduled",
  aired: "fulfilled",
  expired: "expired",
  withdrawn: "cancelled",
  failed: "cancelled"
}

export const isActive = (status: SongRequestStatus): boolean => status === "pending" || status === "scheduled"

export const queueDisclaimer =
  "Requests wait in line: at most three are played in an hour, and no song or artist comes too often."
export const requestDisclaimer =
  "A request is not a promise: what is on the air may push it back or leave it out, and the time is an estimate."

/** Wait in ms until the next request is allowed, by the times of the last ones; null if it is allowed now. */
export const waitMs = (askedAtMs: ReadonlyArray<number>, windowMs: number, nowMs: number): number | null => {
  const last = askedAtMs.reduce((newest, at) => Math.max(newest, at), Number.NEGATIVE_INFINITY)
  return last + windowMs > nowMs ? last + windowMs - nowMs : null
}
