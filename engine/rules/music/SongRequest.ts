import type { AiringState } from "../../../schema/air/Airing.ts"
import type { SongRequestStatus } from "../../../schema/music/SongRequest.ts"

/** What a request is called by what has become of its airing. */
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

/** How long to wait for the next one, by when the last ones were made; null where there is room. */
export const waitMs = (askedAtMs: ReadonlyArray<number>, windowMs: number, nowMs: number): number | null => {
  const last = askedAtMs.reduce((newest, at) => Math.max(newest, at), Number.NEGATIVE_INFINITY)
  return last + windowMs > nowMs ? last + windowMs - nowMs : null
}
