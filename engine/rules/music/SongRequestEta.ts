import type { RundownLine } from "../../../schema/air/Rundown.ts"
import type { Eta, Forecast, SongRequest, SongRequestView } from "../../../schema/music/SongRequest.ts"
import { isActive, queueDisclaimer } from "./SongRequest.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"

/** The rundown as last published; null if none has been. */
export interface Published {
  readonly rundown: { readonly onAir: RundownLine | null; readonly items: ReadonlyArray<RundownLine> } | null
  /** The emergency programme is on: no planned item airs. */
  readonly emergency: boolean
  readonly forecast: Forecast | null
}

const minuteMs = 60_000
const unknownEta = (reason: Eta["reason"] = null): Eta => ({ label: "unknown", reason, playAtMs: null })

const labelOf = (playAtMs: number, nowMs: number): Eta["label"] =>
  playAtMs - nowMs <= 15 * minuteMs ? "within_15_min" : playAtMs - nowMs <= 60 * minuteMs ? "within_1_hour" : "later"

/** Whether only short house items precede it. */
const isNext = (items: ReadonlyArray<RundownLine>, line: RundownLine): boolean =>
  items.slice(0, items.indexOf(line)).every(({ role }) => role !== "music" && role !== "segment" && role !== "bed")

/** The estimated time of a request, by the rundown, or beyond it by the planner's forecast. Null if neither has one. */
export const etaOf = (
  request: Pick<SongRequest, "status" | "itemId">,
  { emergency, forecast, rundown }: Published,
  nowMs: number
): Eta => {
  if (request.status === "expired") return unknownEta("expired")
  if (!isActive(request.status)) return unknownEta()
  if (request.status === "pending") {
    if (forecast === null || emergency) return unknownEta()
    return forecast.playAtMs === null
      ? unknownEta(forecast.reason)
      : { label: labelOf(forecast.playAtMs, nowMs), reason: forecast.reason, playAtMs: forecast.playAtMs }
  }
  if (rundown?.onAir?.id === request.itemId && !emergency)
    return { label: "on_air", reason: "in_rundown", playAtMs: rundown.onAir.expectedAtMs }
  const line = rundown?.items.find(({ id }) => id === request.itemId)
  if (rundown === null || line === undefined) return unknownEta()
  if (emergency) return unknownEta("in_rundown")
  return {
    label: isNext(rundown.items, line) ? "up_next" : labelOf(line.expectedAtMs, nowMs),
    reason: "in_rundown",
    playAtMs: line.expectedAtMs
  }
}

/** Status including expiry, also before the expiry is stored. */
const currentStatusOf = <R extends Pick<SongRequest, "status" | "expiresAtMs">>(
  request: R,
  nowMs: number
): R["status"] => (request.status === "pending" && request.expiresAtMs <= nowMs ? "expired" : request.status)

/** A request as its requester sees it. */
export const requestView = (request: SongRequest, published: Published, nowMs: number): SongRequestView => {
  const status = currentStatusOf(request, nowMs)
  const eta = etaOf({ status, itemId: request.itemId }, published, nowMs)
  return {
    requestId: request.id,
    trackId: request.track.id,
    status,
    expiresAt: isoOrNull(request.expiresAtMs)!,
    scheduledFor: status === "scheduled" ? isoOrNull(eta.playAtMs ?? request.scheduledForMs) : null,
    fulfilledAt: isoOrNull(request.fulfilledAtMs),
    createdAt: isoOrNull(request.createdAtMs)!,
    queueDisclaimer,
    track: request.track,
    estimatedPlayAt: isoOrNull(eta.playAtMs),
    estimatedWaitSeconds: eta.playAtMs === null ? null : Math.max(0, Math.round((eta.playAtMs - nowMs) / 1_000)),
    etaLabel: eta.label,
    etaReason: eta.reason
  }
}

/** A finished request and when it finished; the time of a cancellation isn't stored. */
export const terminalView = (request: SongRequest, nowMs: number) => {
  const view = requestView(request, { rundown: null, emergency: false, forecast: null }, nowMs)
  return {
    ...view,
    terminalAt: view.status === "fulfilled" ? view.fulfilledAt : view.status === "expired" ? view.expiresAt : null
  }
}
