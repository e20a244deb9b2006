import { aacFrameSamples, partFrames, segmentFrames } from "../../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { msAt } from "../../../media/clock/StationClock.ts"
import { ClickEar, type HeardClick } from "../ears/ClickEar.ts"

/** Output of a player's decoder with its times; `firstSample` is the broadcast sample at its start, where the format has it. */
export interface Played {
  readonly clicks: ReadonlyArray<HeardClick>
  readonly firstSample: number | null
  /** Position and time at which playback begins, as far behind the edge as the playlist demands. */
  readonly start: { readonly sample: number; readonly atMs: number } | null
}

/** True when a player has enough sound. */
export type Enough = (played: Played) => boolean

const segmentSamples = segmentFrames * aacFrameSamples
const partSamples = partFrames * aacFrameSamples

const bytesOf = async (url: URL): Promise<Uint8Array> => {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url.pathname}${url.search}: ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

const textOf = async (url: URL) => new TextDecoder().decode(await bytesOf(url))

const attribute = (playlist: string, name: string): number =>
  Number(new RegExp(`[:,]${name}=([\\d.]+)`).exec(playlist)?.[1])

const partAt = (uri: string): { readonly msn: number; readonly part: number; readonly sample: number } => {
  const [, msn, part] = /p(\d+)\.(\d+)\.m4s/.exec(uri)!
  return { msn: Number(msn), part: Number(part), sample: Number(msn) * segmentSamples + Number(part) * partSamples }
}

const hintOf = (playlist: string) => /#EXT-X-PRELOAD-HINT:TYPE=PART,URI="([^"]+)"/.exec(playlist)![1]!

const caughtUpMs = 1_000

/** Waits until a new station has caught up with the clock. */
export const awaitClock = async (base: string): Promise<void> => {
  const edgeMs = async () => msAt(partAt(hintOf(await textOf(new URL("/live/aac128/index.m3u8", base)))).sample)
  while (Date.now() - (await edgeMs()) > caughtUpMs) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** A low-latency player: requests the hinted part and the playlist with it at once, and plays PART-HOLD-BACK behind the edge. */
export const playParts = async (base: string, enough: Enough): Promise<Played> => {
  const playlistUrl = new URL("/live/aac128/index.m3u8", base)
  let playlist = await textOf(playlistUrl)
  const ear = await ClickEar.open("mp4")
  try {
    ear.feed(await bytesOf(new URL("init.mp4", playlistUrl)))
    const listParts = (text: string) => [...text.matchAll(/#EXT-X-PART:.*URI="([^"]+)"/g)].map(([, uri]) => uri!)
    const edge = partAt(hintOf(playlist)).sample
    const from = edge - attribute(playlist, "PART-HOLD-BACK") * sampleRateHz
    const needed = listParts(playlist).filter((uri) => partAt(uri).sample + partSamples > from)
    for (const uri of needed) ear.feed(await bytesOf(new URL(uri, playlistUrl)))
    const start = { sample: from, atMs: Date.now() }
    const report = (): Played => ({ clicks: [...ear.clicks], firstSample: partAt(needed[0]!).sample, start })
    while (!enough(report())) {
      const hint = hintOf(playlist)
      const { msn, part } = partAt(hint)
      const [bytes, next] = await Promise.all([
        bytesOf(new URL(hint, playlistUrl)),
        textOf(new URL(`?_HLS_msn=${msn}&_HLS_part=${part}`, playlistUrl))
      ])
      ear.feed(bytes)
      // A new station makes parts faster than players request them.
      const [after, before] = [partAt(hint).sample, partAt(hintOf(next)).sample]
      for (const uri of listParts(next)) {
        const { sample } = partAt(uri)
        if (sample > after && sample < before) ear.feed(await bytesOf(new URL(uri, playlistUrl)))
      }
      playlist = next
    }
    return report()
  } finally {
    await ear.close()
  }
}

/** A player without parts: whole segments only, HOLD-BACK behind the edge. */
export const playSegments = async (base: string, enough: Enough): Promise<Played> => {
  const playlistUrl = new URL("/live/aac128/index.m3u8", base)
  const ear = await ClickEar.open("mp4")
  try {
    ear.feed(await bytesOf(new URL("init.mp4", playlistUrl)))
    let next: number | undefined
    let firstSample: number | undefined
    let start: Played["start"] = null
    const report = (): Played => ({ clicks: [...ear.clicks], firstSample: firstSample ?? null, start })
    while (!enough(report())) {
      const playlist = await textOf(playlistUrl)
      const segments = [...playlist.matchAll(/^s(\d+)\.m4s$/gm)].map(([, msn]) => Number(msn))
      const edge = (segments.at(-1)! + 1) * segmentSamples
      const from = Math.max(segments[0]! * segmentSamples, edge - attribute(playlist, "HOLD-BACK") * sampleRateHz)
      next ??= Math.floor(from / segmentSamples)
      firstSample ??= next * segmentSamples
      for (; segments.includes(next); next += 1) ear.feed(await bytesOf(new URL(`s${next}.m4s`, playlistUrl)))
      // A player that joins a new station is nearer to the edge than later; it plays everything available.
      start ??= { sample: edge - attribute(playlist, "HOLD-BACK") * sampleRateHz, atMs: Date.now() }
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    return report()
  } finally {
    await ear.close()
  }
}

/** The MP3 stream, decoded as it arrives. The burst is decoded too, but its clicks don't count. */
export const playMp3 = async (base: string, enough: Enough): Promise<Played> => {
  const response = await fetch(new URL("/live.mp3", base))
  const reader = response.body!.getReader()
  const ear = await ClickEar.open("mp3")
  const joinedMs = Date.now()
  const report = (): Played => ({
    clicks: ear.clicks.filter(({ decodedMs }) => decodedMs > joinedMs + 1_000),
    firstSample: null,
    start: null
  })
  try {
    while (!enough(report())) {
      const { done, value } = await reader.read()
      if (done) throw new Error("the MP3 stream ended")
      ear.feed(value)
    }
    return report()
  } finally {
    await reader.cancel()
    await ear.close()
  }
}
