import type { SongRequestStatus } from "../../../schema/music/SongRequest.ts"
import { songRequestDisplacementsMax, songRequestHeardMs } from "./limits.ts"

/** What can happen to a request. `expire` is its first end, while it has no place; `stop` is its last, place or none. */
export type SongRequestStep = "place" | "displace" | "hear" | "expire" | "stop" | "cancel"

const steps: { readonly [Step in SongRequestStep]: { readonly [From in SongRequestStatus]?: SongRequestStatus } } = {
  place: { pending: "scheduled", scheduled: "scheduled" },
  displace: { scheduled: "pending" },
  hear: { scheduled: "fulfilled" },
  expire: { pending: "expired" },
  stop: { pending: "expired", scheduled: "expired" },
  cancel: { pending: "cancelled", scheduled: "cancelled" }
}

/** Where a step leads; null where it leads nowhere. Whoever loses their place for a third time is told that it won't come. */
export const stepped = (
  status: SongRequestStatus,
  step: SongRequestStep,
  displacements: number
): SongRequestStatus | null => {
  const to = steps[step][status] ?? null
  return step === "displace" && to !== null && displacements >= songRequestDisplacementsMax ? "cancelled" : to
}

export const isActive = (status: SongRequestStatus): boolean => status === "pending" || status === "scheduled"

/** So much of it was heard that it counts. */
export const isHeard = (heardMs: number, lengthMs: number): boolean =>
  heardMs >= Math.min(songRequestHeardMs, lengthMs / 2)

/** When that much of it had been heard. */
export const heardAtMs = (startMs: number, lengthMs: number): number =>
  Math.round(startMs + Math.min(songRequestHeardMs, lengthMs / 2))

export const queueDisclaimer =
  "Requests wait in line: at most three are played in an hour, and no song or artist comes too often."
export const requestDisclaimer =
  "A request is not a promise: what is on the air may push it back or leave it out, and the time is an estimate."

/** How long to wait for the next one, by when the last ones were made; null where there is room. */
export const waitMs = (askedAtMs: ReadonlyArray<number>, windowMs: number, nowMs: number): number | null => {
  const last = askedAtMs.reduce((newest, at) => Math.max(newest, at), Number.NEGATIVE_INFINITY)
  return last + windowMs > nowMs ? last + windowMs - nowMs : null
}
