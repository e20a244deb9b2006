import type Hls from "hls.js"

/** Retries practically forever: only the listener gives up. */
const patientPolicy = (timeoutMs: number) => ({
  default: {
    maxTimeToFirstByteMs: timeoutMs,
    maxLoadTimeMs: timeoutMs * 2,
    timeoutRetry: { maxNumRetry: 10_000, retryDelayMs: 250, maxRetryDelayMs: 2_000 },
    errorRetry: { maxNumRetry: 10_000, retryDelayMs: 500, maxRetryDelayMs: 2_000, backoff: "linear" as const }
  }
})

export interface HlsSource {
  /** The broadcast instant that plays now, by the playlist's dates. */
  readonly playingMs: () => number | null
  /** Excess delay behind the end of the playlist. */
  readonly lateSec: () => number
  /**
   * Reloads from live, or from the same place for a listener behind live: under load the library can lose count of the parts and wait for
   * one that is gone.
   */
  readonly nudge: () => void
  readonly close: () => void
}

/** A start nearer than this to the right one is kept. */
const startToleranceSec = 0.02

interface Dated {
  readonly start: number
  readonly duration: number
  readonly programDateTime: number | null
}

/** Media time of a broadcast instant, or the nearest in the playlist; null without dates. */
const placeOf = (fragments: ReadonlyArray<Dated>, atMs: number): number | null => {
  const within =
    fragments.findLast(({ programDateTime }) => programDateTime !== null && programDateTime <= atMs) ?? fragments[0]
  if (within === undefined || within.programDateTime === null) return null
  return within.start + Math.min(within.duration, Math.max(0, (atMs - within.programDateTime) / 1_000))
}

/**
 * Low-latency HLS through hls.js, loaded on demand. Null if the browser doesn't support it. `fromMs`: the broadcast instant to begin at,
 * without catching up; null is live.
 */
export const openHls = async (
  audio: HTMLAudioElement,
  url: string,
  fromMs: number | null,
  failed: () => void
): Promise<HlsSource | null> => {
  const { default: Library } = await import("hls.js/light")
  if (!Library.isSupported()) return null
  const hls: Hls = new Library({
    lowLatencyMode: true,
    maxLiveSyncPlaybackRate: fromMs === null ? 1.1 : 1,
    backBufferLength: 20,
    // Metadata comes by the station's own events; text tracks would need a CSP that allows data URLs.
    enableDateRangeMetadataCues: false,
    enableEmsgMetadataCues: false,
    enableID3MetadataCues: false,
    manifestLoadPolicy: patientPolicy(8_000),
    playlistLoadPolicy: patientPolicy(8_000),
    fragLoadPolicy: patientPolicy(8_000)
  })
  hls.on(Library.Events.ERROR, (_event, { fatal, type }) => {
    if (!fatal) return
    if (type === Library.ErrorTypes.MEDIA_ERROR) hls.recoverMediaError()
    failed()
  })
  // Runs before any media is loaded, so that no other sound plays first.
  if (fromMs !== null)
    hls.once(Library.Events.LEVEL_UPDATED, (_event, { details }) => {
      const startSec = placeOf(details.fragments, fromMs)
      if (startSec !== null && Math.abs(hls.startPosition - startSec) > startToleranceSec) hls.startLoad(startSec)
    })
  hls.loadSource(url)
  hls.attachMedia(audio)
  return {
    playingMs: () => hls.playingDate?.getTime() ?? null,
    lateSec: () => (hls.targetLatency === null ? 0 : hls.latency - hls.targetLatency),
    nudge: () => {
      const toSec = fromMs === null ? hls.liveSyncPosition : audio.currentTime
      hls.stopLoad()
      if (fromMs === null && toSec !== null) audio.currentTime = toSec
      hls.startLoad(toSec ?? -1)
    },
    close: () => hls.destroy()
  }
}
