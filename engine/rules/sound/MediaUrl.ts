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
