import { useEffect } from "preact/hooks"

/** What lock screens, headphones and cars show, and their buttons. */
export const useMediaSession = (title: string, artist: string, station: string, playing: boolean, start: () => void, stop: () => void): void => {
  useEffect(() => {
    if (!("mediaSession" in navigator)) return
    navigator.mediaSession.metadata = new MediaMetadata({ title, artist: artist === "" ? station : artist, album: station })
  }, [title, artist, station])
  useEffect(() => {
    if (!("mediaSession" in navigator)) return
    navigator.mediaSession.playbackState = playing ? "playing" : "paused"
    navigator.mediaSession.setActionHandler("play", start)
    navigator.mediaSession.setActionHandler("pause", stop)
    navigator.mediaSession.setActionHandler("stop", stop)
  }, [playing, start, stop])
}
