import type { SongRequestId } from "../../../schema/Ids.ts"
import type { Airable, Play, RundownItem } from "../../../schema/air/Rundown.ts"
import type { EtaReason } from "../../../schema/music/SongRequest.ts"
import { songRequestArtistMs, songRequestTrackMs, songRequestsPerHourMax } from "./limits.ts"

/** A song that waits, with everybody who asked for it: one airing is for all of them. */
export interface Requested {
  readonly songRequestIds: ReadonlyArray<SongRequestId>
  readonly airable: Airable
}

const hourMs = 3_600_000

/** How far apart two airings have to lie where one is asked for. What the house made goes under one name: by that it would never air. */
const tooNear = (
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

/** Whether one more at this instant is more than an hour may have, whichever hour one looks at. */
const overQuota = (atMs: number, airings: ReadonlyArray<Play>): boolean => {
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

/** Why a request can't be heard at an instant, by what was heard and what is settled already; null when it can. */
export const admissionRefusal = (
  airable: Airable,
  atMs: number,
  airings: ReadonlyArray<Play>
): Extract<EtaReason, "separation" | "request_quota"> | null =>
  airings.some((play) => play.role === "music" && tooNear(airable, atMs, play))
    ? "separation"
    : overQuota(atMs, airings)
      ? "request_quota"
      : null

export const isRequested = (item: RundownItem): boolean => (item.songRequestIds?.length ?? 0) > 0

/** What a plan says of a request that it took in. */
export const forRequest = "request: a listener asked for it"

/** Where what stands before it has become shorter, one that was taken in waits until its hour has room for it. */
export const isPunctual = (item: RundownItem, atMs: number, airings: ReadonlyArray<Play>): boolean =>
  item.locked || !isRequested(item) || !item.trace.includes(forRequest) || !overQuota(atMs, airings)

/** What rotation chose, and may choose otherwise. */
export const isRotation = (item: RundownItem): boolean =>
  item.airable.role === "music" &&
  !item.locked &&
  item.plan === undefined &&
  item.placement._tag === "Flow" &&
  !isRequested(item)

/** The artists of those whose turn is next: what rotation plays of them meanwhile would keep them waiting for ever. */
export const awaited = (requested: ReadonlyArray<Requested>): ReadonlySet<string | null> =>
  new Set(
    requested
      .slice(0, songRequestsPerHourMax)
      .filter(({ airable }) => airable.agentId !== null)
      .map(({ airable }) => airable.artist)
  )

/** Whether this would come too near to what is heard for somebody. */
export const crowds = ({ artist, assetId }: Airable, atMs: number, airings: ReadonlyArray<Play>): boolean =>
  airings.some((play) => play.requested === true && tooNear(play, play.atMs, { atMs, assetId, artist }))

/** A song that is planned anyway is planned for those as well who ask for it. Answers what still needs a place of its own. */
export const joined = (items: ReadonlyArray<RundownItem>, requested: ReadonlyArray<Requested>) => {
  const left: Array<Requested> = []
  const ids = new Map<number, ReadonlyArray<SongRequestId>>()
  for (const each of requested) {
    const at = items.findIndex((item) => item.airable.role === "music" && item.airable.trackId === each.airable.trackId)
    if (at < 0) left.push(each)
    else ids.set(at, [...new Set([...(items[at]!.songRequestIds ?? []), ...each.songRequestIds])])
  }
  return { left, ids }
}
