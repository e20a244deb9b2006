import type { AssetId } from "../../../schema/Ids.ts"

/** Station settings that views need. */
export interface StationFacts {
  readonly slug: string
  readonly publicUrl: string
}

/** Public address of a file below `/media/`. */
export const mediaUrl = (path: string | null, publicUrl: string): string | null =>
  path === null ? null : `${publicUrl}/media/${path}`

export const audioUrl = (assetId: AssetId | null, station: StationFacts): string | null =>
  assetId === null ? null : `${station.publicUrl}/media/audio/${assetId}.mp3`

/** Address of a call's recording for reviewers. */
export const callAudioUrl = (publicUrl: string, id: string): string => `${publicUrl}/media/calls/${id}.flac`

/** Address of a track's cover. The first request draws it, if the track brought none. */
export const coverUrl = (trackId: string, station: Pick<StationFacts, "publicUrl">): string =>
  `${station.publicUrl}/media/covers/${trackId}`

/** Address of a sound's waveform: pairs of low and high as JSON. */
export const waveformUrl = (assetId: AssetId, station: StationFacts): string =>
  `${station.publicUrl}/media/waveforms/${assetId}.json`
