import { useEffect } from "preact/hooks"
import type { Radio } from "./Radio.ts"
import { coverOf } from "./NowPlaying.tsx"

const icons = [192, 512].map((size) => ({ src: `/icon-${size}.png`, sizes: `${size}x${size}`, type: "image/png" }))
/** Metadata and buttons for lock screens, headphones and cars. */
export const useMediaSession = (
  { heard, start, state, stop }: Radio,
  title: string,
  artist: string,
  station: string
): void => {
  const cover = heard === null ? null : coverOf(heard.playing)
  const isPlaying = state !== "idle"
  useEffect(() => {
    if (!("mediaSession" in navigator)) return
    navigator.mediaSession.metadata = new MediaMetadata({
      title,
      artist: artist === "" ? station : artist,
      album: station,
      artwork: cover === null ? icons : [{ src: cover }, ...icons]
    })
  }, [title, artist, station, cover])
  useEffect(() => {
    if (!("mediaSession" in navigator)) return
    navigator.mediaSession.playbackState = isPlaying ? "playing" : "paused"
    navigator.mediaSession.setActionHandler("play", start)
    navigator.mediaSession.setActionHandler("pause", stop)
    navigator.mediaSession.setActionHandler("stop", stop)
  }, [isPlaying, start, stop])
}
