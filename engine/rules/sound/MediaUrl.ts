import type { AssetId } from "../../../schema/Ids.ts"

/** What the views need to know of the station. */
export interface StationFacts {
  readonly slug: string
  readonly publicUrl: string
}

/** Where a file below `/media/` is found. */
export const mediaUrl = (path: string | null, publicUrl: string): string | null =>
  path === null ? null : `${publicUrl}/media/${path}`

export const audioUrl = (assetId: AssetId | null, station: StationFacts): string | null =>
  assetId === null ? null : `${station.publicUrl}/media/audio/${assetId}.mp3`

/** Where reviewers hear a call. */
export const callAudioUrl = (publicUrl: string, id: string): string => `${publicUrl}/media/calls/${id}.flac`
