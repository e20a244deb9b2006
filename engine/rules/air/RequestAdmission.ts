import type { SongRequestId } from "../../../schema/Ids.ts"
import type { Airable, Play, RundownItem } from "../../../schema/air/Rundown.ts"
import type { EtaReason } from "../../../schema/music/SongRequest.ts"
import { songRequestArtistMs, songRequestTrackMs, songRequestsPerHourMax } from "./limits.ts"

/** A queued song with all its requesters: one airing serves them all. */
export interface Requested {
  readonly songRequestIds: ReadonlyArray<SongRequestId>
  readonly airable: Airable
}

const hourMs = 3_600_000

/**
 * Whether a requested song is too close to another airing of the same track or artist. The artist rule skips house music: all of it has one artist,
 * so it would never air.
 */
const isTooNear = (
  airable: Pick<Airable, "assetId" | "agentId" | "artist">,
  atMs: number,
  other: Pick<Play, "atMs" | "assetId" | "artist">
): boolean => {
  const apartMs = Math.abs(atMs - other.atMs)
  return (
    (other.assetId === airable.assetId && apartMs < songRequestTrackMs) ||
    (airable.agentId !== null &&
      airable.artist !== null &&
      other.artist === airable.artist &&
      apartMs < songRequestArtistMs)
  )
}

/** Whether one more request at this instant exceeds the quota of any hour that contains it. */
const isOverQuota = (atMs: number, airings: ReadonlyArray<Play>): boolean => {
  const times = [...airings.filter((play) => play.requested === true).map((play) => play.atMs), atMs].sort(
    (a, b) => a - b
  )
  return times.some(
    (time, i) =>
      i >= songRequestsPerHourMax &&
      time - times[i - songRequestsPerHourMax]! < hourMs &&
      time >= atMs &&
      times[i - songRequestsPerHourMax]! <= atMs
  )
}

/** The reason a request can't air at an instant, given past and planned airings; null if it can. */
export const admissionRefusal = (
  airable: Airable,
  atMs: number,
  airings: ReadonlyArray<Play>
): Extract<EtaReason, "separation" | "request_quota"> | null =>
  airings.some((play) => play.role === "music" && isTooNear(airable, atMs, play))
    ? "separation"
    : isOverQuota(atMs, airings)
      ? "request_quota"
      : null

export const isRequested = (item: RundownItem): boolean => (item.songRequestIds?.length ?? 0) > 0

/** Trace text of a requested song. */
export const forRequest = "request: a listener asked for it"

/** Whether a planned request still fits its hour's quota, after earlier items became shorter and moved it forward. */
export const isPunctual = (item: RundownItem, atMs: number, airings: ReadonlyArray<Play>): boolean =>
  item.locked || !isRequested(item) || !item.trace.includes(forRequest) || !isOverQuota(atMs, airings)

/** Whether rotation chose the item, so that it may be replaced. */
export const isRotation = (item: RundownItem): boolean =>
  item.airable.role === "music" &&
  !item.locked &&
  item.plan === undefined &&
  item.placement._tag === "Flow" &&
  !isRequested(item)

/** The artists of the next requests. Rotation avoids them, else its picks would delay the requests again and again. */
export const listAwaitedArtists = (requested: ReadonlyArray<Requested>): ReadonlySet<string | null> =>
  new Set(
    requested
      .slice(0, songRequestsPerHourMax)
      .filter(({ airable }) => airable.agentId !== null)
      .map(({ airable }) => airable.artist)
  )

/** Whether a song would air too close to a request. */
export const isCrowding = ({ artist, assetId }: Airable, atMs: number, airings: ReadonlyArray<Play>): boolean =>
  airings.some((play) => play.requested === true && isTooNear(play, play.atMs, { atMs, assetId, artist }))

/** Adds requests to planned airings of the same song. Returns the requests that still need their own place. */
export const joinRequests = (items: ReadonlyArray<RundownItem>, requested: ReadonlyArray<Requested>) => {
  const left: Array<Requested> = []
  const ids = new Map<number, ReadonlyArray<SongRequestId>>()
  for (const each of requested) {
    const at = items.findIndex((item) => item.airable.role === "music" && item.airable.trackId === each.airable.trackId)
    if (at < 0) left.push(each)
    else ids.set(at, [...new Set([...(items[at]!.songRequestIds ?? []), ...each.songRequestIds])])
  }
  return { left, ids }
}
