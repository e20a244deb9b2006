/**
 * The fencing token of the air's owner, as answers of the stream carry it: a whole number that rises with every change of the owner. A
 * program that reads the stream from several stations keeps to the highest token it has seen.
 */

/** Response header of live playlists and of the MP3 stream. Absent until an owner has planned the air. */
export const fenceHeader = "x-longwave-fence"

/** Where the owner of the air proves its token, for caches that can't compare tokens: 503 from any other station. */
export const fencePath = "/live/fence"

/**
 * Header of a proof: of the answer at `fencePath`, and of requests for the stream, by which others pass it on. An owner that is shown the proof of a
 * higher token has lost the air. Absent where the station is one process.
 */
export const fenceProofHeader = "x-longwave-fence-proof"
const fenceProofMaxChars = 128

/** Line of a live playlist with the token: a comment, which players and validators ignore (RFC 8216, section 4.1). */
export const fenceLine = (fence: number): string => `## longwave-fence:${fence}`

/** Token in the value of the header; null without one. */
export const fenceOf = (value: string | undefined): number | null =>
  value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : null

/** Token in the text of a playlist; null without one. */
export const fenceIn = (playlist: string): number | null =>
  fenceOf(/^## longwave-fence:(\d{1,15})$/m.exec(playlist)?.[1])

/** Token that a proof claims; null for anything else than a proof. */
export const fenceClaimedBy = (proof: string): number | null =>
  proof.length <= fenceProofMaxChars ? fenceOf(/^(\d+)\.\d+\.[0-9a-f]+$/.exec(proof)?.[1]) : null
