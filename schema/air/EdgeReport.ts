/** What edges and their origin say to each other beside the stream, in headers. */

/** Request header of an edge: its id and its listeners by output, as `id hls mp3`. The origin believes it with `EDGE_SECRET` only. */
export const edgeHeader = "x-longwave-edge"

/** Listeners of one edge. */
export interface EdgeReport {
  readonly id: string
  readonly hls: number
  readonly mp3: number
}

export const edgeReportText = ({ hls, id, mp3 }: EdgeReport): string => `${id} ${hls} ${mp3}`

/** Null for anything else than a report. */
export const edgeReportIn = (text: string): EdgeReport | null => {
  const [, id, hls, mp3] = /^([a-z0-9]{8,32}) (\d{1,7}) (\d{1,7})$/.exec(text) ?? []
  return id === undefined ? null : { id, hls: Number(hls), mp3: Number(mp3) }
}

/** Response header of the MP3 stream for edges: sample at which its first frame begins, so that two streams can be joined. */
export const firstSampleHeader = "x-longwave-first-sample"
