import { pause } from "../Children.ts"
import { msOf } from "../../../schema/time/Samples.ts"
import { partSamples, partsPerSegment } from "../../../media/encode/PartPacker.ts"

/** A part as a low-latency player received it. `lateMs`: after the time of its last sample. */
export interface ReceivedPart {
  readonly number: number
  readonly bytes: Uint8Array
  readonly lateMs: number
}

export interface LowLatencyEar {
  readonly parts: ReadonlyArray<ReceivedPart>
  /** Requests that a player would have seen fail. */
  readonly failures: ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

/** Plays low-latency HLS: reloads the playlist for the next part, and takes each part once. */
export const listenToParts = (base: string, variant: string): LowLatencyEar => {
  const url = new URL(`/live/${variant}/index.m3u8`, base)
  const parts: Array<ReceivedPart> = []
  const failures: Array<string> = []
  const end = new AbortController()
  const get = async (at: URL) => {
    while (!end.signal.aborted) {
      const answer = await fetch(at, { signal: end.signal }).catch((error: unknown) => String(error))
      if (typeof answer !== "string" && answer.ok) {
        const bytes = await answer.arrayBuffer().catch(() => null)
        if (bytes !== null) return new Uint8Array(bytes)
      }
      if (end.signal.aborted) break
      failures.push(`${at.pathname}${at.search}: ${typeof answer === "string" ? answer : answer.status}`)
      if (typeof answer !== "string") await answer.body?.cancel().catch(() => undefined)
      await pause(100)
    }
    return null
  }
  const playing = (async () => {
    let next: number | null = null
    while (!end.signal.aborted) {
      const query: string =
        next === null ? "" : `?_HLS_msn=${Math.floor(next / partsPerSegment)}&_HLS_part=${next % partsPerSegment}`
      const text = await get(new URL(query, url))
      if (text === null) return
      const listed = [...new TextDecoder().decode(text).matchAll(/#EXT-X-PART:.*?URI="p(\d+)\.(\d+)\.m4s"/g)].map(
        ([, msn, part]) => Number(msn) * partsPerSegment + Number(part)
      )
      next ??= listed.at(-1) ?? null
      for (const number of listed.filter((one) => next !== null && one >= next)) {
        const bytes = await get(
          new URL(`p${Math.floor(number / partsPerSegment)}.${number % partsPerSegment}.m4s`, url)
        )
        if (bytes === null) return
        parts.push({ number, bytes, lateMs: Date.now() - msOf((number + 1) * partSamples) })
        next = number + 1
      }
    }
  })()
  return {
    parts,
    failures,
    stop: async () => {
      end.abort()
      await playing
    }
  }
}
