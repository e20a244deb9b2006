import { useEffect, useState } from "preact/hooks"
import type { Stream } from "../stream/Stream.ts"

const lookMs = 1_000

/** Delay behind live in words, in steps that don't flicker. */
export const textOfDelay = (ms: number): string => {
  const sec = Math.max(5, Math.round(ms / 5_000) * 5)
  return sec < 90
    ? `${sec} s behind`
    : sec < 5_400
      ? `${Math.round(sec / 60)} min behind`
      : `${(sec / 3_600).toFixed(1)} h behind`
}

/** Null when live. */
export const useBehind = (stream: Stream, skewMs: number): string | null => {
  const [text, setText] = useState<string | null>(null)
  useEffect(() => {
    const look = (): void => {
      const atMs = stream.isBehind ? stream.findHeardMs(skewMs) : null
      setText(atMs === null ? null : textOfDelay(Date.now() + skewMs - atMs))
    }
    look()
    const timer = setInterval(look, lookMs)
    return () => clearInterval(timer)
  }, [stream, skewMs])
  return text
}
