import type Hls from "hls.js"

/** Playing on over long outages is the player's job; giving up is the listener's. */
const patient = (timeoutMs: number) => ({
  default: {
    maxTimeToFirstByteMs: timeoutMs,
    maxLoadTimeMs: timeoutMs * 2,
    timeoutRetry: { maxNumRetry: 10_000, retryDelayMs: 250, maxRetryDelayMs: 2_000 },
    errorRetry: { maxNumRetry: 10_000, retryDelayMs: 500, maxRetryDelayMs: 2_000, backoff: "linear" as const }
  }
})

export interface HlsSource {
  /** The instant of the broadcast that sounds, by the playlist's own dates. */
  readonly playingMs: () => number | null
  /** How much further behind the end of the playlist than it should be. */
  readonly lateSec: () => number
  /** Loads anew from live, or from the same place for a listener who is behind: under load the library can lose count of the parts, and waits for one that has gone. */
  readonly nudge: () => void
  readonly close: () => void
}

/** A start that is nearer to the right one than this stays. */
const startToleranceSec = 0.02

interface Dated {
  readonly start: number
  readonly duration: number
  readonly programDateTime: number | null
}

/** Where an instant of the broadcast lies in the element's time, or the nearest that a playlist has; null where it has no dates. */
const placeOf = (fragments: ReadonlyArray<Dated>, atMs: number): number | null => {
  const within =
    fragments.findLast(({ programDateTime }) => programDateTime !== null && programDateTime <= atMs) ?? fragments[0]
  if (within === undefined || within.programDateTime === null) return null
  return within.start + Math.min(within.duration, Math.max(0, (atMs - within.programDateTime) / 1_000))
}

/**
 * Low latency HLS through hls.js, which is fetched when it is first needed. Null where the browser has no use for it.
 * `fromMs`: the instant of the broadcast to begin at, and from there at its own pace; null begins live and keeps up.
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
    // What they carry comes by the station's own events; their text tracks would need a policy that lets data in.
    enableDateRangeMetadataCues: false,
    enableEmsgMetadataCues: false,
    enableID3MetadataCues: false,
    manifestLoadPolicy: patient(8_000),
    playlistLoadPolicy: patient(8_000),
    fragLoadPolicy: patient(8_000)
  })
  hls.on(Library.Events.ERROR, (_event, { fatal, type }) => {
    if (!fatal) return
    if (type === Library.ErrorTypes.MEDIA_ERROR) hls.recoverMediaError()
    failed()
  })
  // Before anything is loaded but the playlist: no other sound is heard first.
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
