import type { HistoryItem, NowPlaying } from "../../../schema/air/Station.ts"
import { bylineOf as bylineOfArtist } from "../../../schema/music/HouseArtist.ts"

export type Playing = NowPlaying
/** An item with its start and end; null if unknown. */
export interface Heard {
  readonly playing: Playing
  readonly startMs: number
  readonly endMs: number | null
}
const heardOf = (playing: Playing): Heard => ({
  playing,
  startMs: Date.parse(playing.item.startedAt),
  endMs: playing.item.endsAt === null ? null : Date.parse(playing.item.endsAt)
})
const keptMax = 64
/** Adds a newly announced item. Listeners hear it seconds later. */
export const addAnnounced = (known: ReadonlyArray<Heard>, playing: Playing): ReadonlyArray<Heard> => {
  const news = heardOf(playing)
  // An update of the same item replaces it; a changed plan replaces the old next item.
  const others = known.filter(
    ({ playing: { item }, startMs }) => startMs < news.startMs && !(item.id !== null && item.id === playing.item.id)
  )
  return [...others, news].slice(-keptMax)
}
/** A past item from the log, in the form of an announcement. */
export const recallItem = ({
  copy,
  copyKind,
  durationSec,
  endedAt,
  factualMode,
  id,
  kind,
  listenerLabel,
  owner,
  segmentId,
  show,
  startedAt,
  synthetic,
  title,
  track
}: HistoryItem): Heard =>
  heardOf({
    item: { id, kind, startedAt, endsAt: endedAt, durationSec, positionSec: 0, airSample: 0, synthetic },
    segment: segmentId === null ? null : { id: segmentId, title, category: kind, owner, show },
    track: track === null ? null : { ...track, genre: null, coverUrl: null, isInstrumental: true },
    script: copyKind === "title" ? null : copy,
    displayText: title,
    lyrics: null,
    analysis: null,
    captionsUrl: copyKind === "title" ? null : `/live/words/item/${id}.vtt`,
    next: null,
    factualMode,
    listenerLabel,
    updatedAt: endedAt
  })
/** The station's own calls between the items. */
const isCall = ({ kind }: Pick<HistoryItem, "kind">): boolean => kind !== "segment" && kind !== "music"

/** Items in groups: calls of the station that follow each other are one group, everything else stands alone. */
export const foldCalls = <Item extends Pick<HistoryItem, "kind">>(
  items: ReadonlyArray<Item>
): ReadonlyArray<readonly [Item, ...ReadonlyArray<Item>]> => {
  const groups: Array<[Item, ...Array<Item>]> = []
  for (const item of items) {
    const last = groups.at(-1)
    if (last !== undefined && isCall(item) && isCall(last[0])) last.push(item)
    else groups.push([item])
  }
  return groups
}
/** Adds past items from the log. Announced ones take precedence, because they have more detail. */
export const addPast = (known: ReadonlyArray<Heard>, items: ReadonlyArray<HistoryItem>): ReadonlyArray<Heard> => {
  const first = known[0]?.startMs ?? Infinity
  const ids = new Set(known.map(({ playing }) => playing.item.id))
  const before = items
    .map(recallItem)
    .filter((item) => item.startMs < first && !ids.has(item.playing.item.id))
    .sort((one, other) => one.startMs - other.startMs)
  // The successor of a past item is known.
  const all = [...before, ...known]
  return all.map((item, at) =>
    at >= before.length || all[at + 1] === undefined
      ? item
      : {
          ...item,
          playing: {
            ...item.playing,
            next: {
              kind: all[at + 1]!.playing.item.kind,
              title: titleOf(all[at + 1]!.playing, ""),
              synthetic: all[at + 1]!.playing.item.synthetic
            }
          }
        }
  )
}
/** The item at an instant of the broadcast: the last one that had begun. */
export const findHeard = (known: ReadonlyArray<Heard>, atMs: number): Heard | null =>
  known.findLast(({ startMs }) => startMs <= atMs) ?? known[0] ?? null
const kinds: Readonly<Record<Playing["item"]["kind"], string>> = {
  segment: "Speaking now",
  music: "Music",
  station_id: "Station call",
  filler: "Interlude",
  other: "On the air"
}
export const kindOf = (kind: Playing["item"]["kind"]): string => kinds[kind]
/** Wording for items that have not begun. */
export const kindAheadOf = (kind: Playing["item"]["kind"]): string => (kind === "segment" ? "Spoken" : kinds[kind])
export const titleOf = ({ displayText, segment, track }: Playing, station: string): string =>
  segment?.title || track?.title || displayText || station
/** Speakers of an item; empty for the station itself. */
export const bylineOf = ({ segment, track }: Playing): string => segment?.owner?.displayName ?? artistOf(track) ?? ""
/** The artist of a track as listeners read it. */
export const artistOf = (
  track: { readonly artist: string | null; readonly madeByStation: boolean } | null | undefined
): string | undefined => (track?.artist == null ? undefined : bylineOfArtist(track.artist, track.madeByStation))
export const clockText = (ms: number): string => {
  const sec = Math.max(0, Math.floor(ms / 1000))
  const minutes = Math.floor(sec / 60)
  const rest = String(sec % 60).padStart(2, "0")
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`
}
