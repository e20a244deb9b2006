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
  /** Loads anew from where live is: under load the library can lose count of the parts, and waits for one that has gone. */
  readonly nudge: () => void
  readonly close: () => void
}

/** Low latency HLS through hls.js, which is fetched when it is first needed. Null where the browser has no use for it. */
export const openHls = async (audio: HTMLAudioElement, url: string, failed: () => void): Promise<HlsSource | null> => {
  const { default: Library } = await import("hls.js/light")
  if (!Library.isSupported()) return null
  const hls: Hls = new Library({
    lowLatencyMode: true,
    maxLiveSyncPlaybackRate: 1.1,
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
  hls.loadSource(url)
  hls.attachMedia(audio)
  return {
    playingMs: () => hls.playingDate?.getTime() ?? null,
    lateSec: () => hls.targetLatency === null ? 0 : hls.latency - hls.targetLatency,
    nudge: () => {
      const liveSec = hls.liveSyncPosition
      hls.stopLoad()
      if (liveSec !== null) audio.currentTime = liveSec
      hls.startLoad(liveSec ?? -1)
    },
    close: () => hls.destroy()
  }
}
