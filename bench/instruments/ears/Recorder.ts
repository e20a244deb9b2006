import { aacFrameSamples, segmentFrames } from "../../../engine/rules/air/limits.ts"

/** A listener's HLS recording: whole segments in order, and the broadcast sample at its start. */
export interface HlsRecording {
  readonly bytes: Uint8Array
  readonly firstSample: number
  readonly segments: number
}

const join = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** Requests a late part again, as players do. */
const bytesOf = async (url: URL): Promise<Uint8Array> => {
  const response = await fetch(url)
  if (response.status === 503) {
    await response.body?.cancel()
    await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get("retry-after") ?? 1) * 1_000))
    return bytesOf(url)
  }
  if (!response.ok) throw new Error(`${url.pathname}: ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

/** Records one HLS variant until `stop`, as a player does: blocking reload of the playlist, then each new segment once. */
export const recordHls = async (base: string, variant: string, stop: AbortSignal): Promise<HlsRecording> => {
  const playlistUrl = new URL(`/live/${variant}/index.m3u8`, base)
  const segments = new Map<number, Uint8Array>()
  let init: Uint8Array | undefined
  let first: number | undefined
  let reload = ""
  while (!stop.aborted) {
    const text = new TextDecoder().decode(await bytesOf(new URL(reload, playlistUrl)))
    const sequence = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1])
    init ??= await bytesOf(new URL(/#EXT-X-MAP:URI="([^"]+)"/.exec(text)![1]!, playlistUrl))
    const uris = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    // Joining in the middle of a window, as players do, would start the recording before the demonstration.
    first ??= sequence + Math.max(0, uris.length - 1)
    for (const [index, uri] of uris.entries()) {
      const msn = sequence + index
      if (msn >= first && !segments.has(msn)) segments.set(msn, await bytesOf(new URL(uri, playlistUrl)))
    }
    reload = `?_HLS_msn=${sequence + uris.length}`
  }
  const order = [...segments.keys()].sort((a, b) => a - b)
  for (const [index, msn] of order.entries())
    if (msn !== order[0]! + index) throw new Error(`HLS recording: segment ${order[0]! + index} is missing`)
  return {
    bytes: join([init!, ...order.map((msn) => segments.get(msn)!)]),
    firstSample: order[0]! * segmentFrames * aacFrameSamples,
    segments: order.length
  }
}

/** Records the MP3 stream until `stop`. */
export const recordMp3 = async (base: string, stop: AbortSignal): Promise<Uint8Array> => {
  const response = await fetch(new URL("/live.mp3", base))
  const reader = response.body!.getReader()
  const chunks: Array<Uint8Array> = []
  stop.addEventListener("abort", () => void reader.cancel(), { once: true })
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return join(chunks)
    chunks.push(value)
  }
}
