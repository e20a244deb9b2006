import { useEffect } from "preact/hooks"
import type { Radio } from "./Radio.ts"
import { coverOf } from "./NowPlaying.tsx"

const icons = [192, 512].map((size) => ({ src: `/icon-${size}.png`, sizes: `${size}x${size}`, type: "image/png" }))
/** Position is told this often; the lock screen counts on by itself in between. */
const tellMs = 5_000
const stepSec = 30

/** Metadata, position and buttons for lock screens, headphones and cars. */
export const useMediaSession = (
  { from, heard, programme: { skewMs }, start, state, stop, stream }: Radio,
  title: string,
  artist: string,
  station: string
): void => {
  const cover = heard === null ? null : coverOf(heard.playing)
  const isPlaying = state !== "idle"
  const startMs = heard?.startMs ?? null
  const endMs = heard?.endMs ?? null
  useEffect(() => {
    if (!("mediaSession" in navigator)) return
    navigator.mediaSession.metadata = new MediaMetadata({
      title,
      artist: artist === "" ? station : artist,
      album: station,
      // Covers are squares of 512 pixels; a system that finds that too large takes an icon.
      artwork: cover === null ? icons : [{ src: cover, sizes: "512x512" }, ...icons]
    })
  }, [title, artist, station, cover])
  useEffect(() => {
    if (!("mediaSession" in navigator)) return
    navigator.mediaSession.playbackState = isPlaying ? "playing" : "paused"
    const atMs = (): number => stream.placeMs(skewMs) ?? Date.now() + skewMs
    const canSeek = isPlaying && stream.source !== "mp3"
    const acts: ReadonlyArray<readonly [MediaSessionAction, ((details: MediaSessionActionDetails) => void) | null]> = [
      ["play", start],
      ["pause", stop],
      ["stop", stop],
      ["seekbackward", canSeek ? ({ seekOffset }) => from(atMs() - (seekOffset ?? stepSec) * 1_000) : null],
      ["seekforward", canSeek ? ({ seekOffset }) => from(atMs() + (seekOffset ?? stepSec) * 1_000) : null],
      ["previoustrack", canSeek && startMs !== null ? () => from(startMs) : null],
      [
        "seekto",
        canSeek && startMs !== null
          ? ({ seekTime }) => seekTime !== undefined && from(Math.min(startMs + seekTime * 1_000, Date.now() + skewMs))
          : null
      ]
    ]
    for (const [name, act] of acts)
      try {
        navigator.mediaSession.setActionHandler(name, act)
      } catch {
        // A browser that doesn't know an action has no button for it.
      }
  }, [from, isPlaying, skewMs, start, startMs, stop, stream, stream.source])
  useEffect(() => {
    if (!("mediaSession" in navigator) || navigator.mediaSession.setPositionState === undefined) return
    const tell = (): void => {
      const at = stream.findHeardMs(skewMs)
      // Without a known length it is a live stream, which has no position.
      if (!isPlaying || startMs === null || endMs === null || at === null)
        return navigator.mediaSession.setPositionState()
      const duration = (endMs - startMs) / 1_000
      navigator.mediaSession.setPositionState({
        duration,
        playbackRate: 1,
        position: Math.min(duration, Math.max(0, (at - startMs) / 1_000))
      })
    }
    tell()
    const timer = setInterval(tell, tellMs)
    return () => clearInterval(timer)
  }, [endMs, isPlaying, skewMs, startMs, stream])
}
