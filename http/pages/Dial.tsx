import { useEffect, useRef, useState } from "preact/hooks"
import type { Level } from "./Level.ts"
import { clockText } from "./Programme.ts"
import type { Heard } from "./Programme.ts"
import { Scale } from "./Scale.tsx"
import type { Stream } from "./Stream.ts"
import { useAsk } from "./useAsk.ts"
import { Wave } from "./Wave.ts"

/** An item whose end nobody knows goes round a dial of a minute. */
const openEndedMs = 60_000

const frameMs = 33

interface Place {
  readonly ms: number
  readonly lengthMs: number
}

const placeOf = (heard: Heard | null, atMs: number): Place => {
  if (heard === null) return { ms: 0, lengthMs: openEndedMs }
  const ms = Math.max(0, atMs - heard.startMs)
  if (heard.endMs === null) return { ms: ms % openEndedMs, lengthMs: openEndedMs }
  const lengthMs = Math.max(1, heard.endMs - heard.startMs)
  return { ms: Math.min(ms, lengthMs), lengthMs }
}

/** The tuning dial: the item from its beginning to its end, and a needle where the listener is. */
export const Dial = ({ heard, level, skewMs, stream }: {
  readonly heard: Heard | null
  readonly level: () => Level | null
  readonly skewMs: number
  readonly stream: Stream
}) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const needle = useRef<HTMLDivElement>(null)
  const wave = useRef(new Wave())
  const [shown, setShown] = useState<Place>({ ms: 0, lengthMs: openEndedMs })
  const itemId = heard === null || heard.endMs === null ? null : heard.playing.item.id
  const shape = useAsk<{ readonly levels: ReadonlyArray<number> }>(itemId === null ? null : `/live/wave/${itemId}.json`).value?.levels ?? null

  useEffect(() => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)")
    let frame = 0
    let last = 0
    const draw = (now: number): void => {
      frame = requestAnimationFrame(draw)
      if (now - last < (calm.matches ? 1000 : frameMs)) return
      last = now
      const place = placeOf(heard, stream.heardMs(skewMs) ?? Date.now() + skewMs)
      const share = place.ms / place.lengthMs
      const meter = level()
      // Where the level can't be read, the wave of what is heard still is one, at an even height.
      const loud = stream.current !== "playing" || calm.matches ? 0 : meter === null ? 0.4 : meter.read()
      if (heard !== null) wave.current.remember(String(heard.startMs), share, loud)
      if (canvas.current !== null) wave.current.draw(canvas.current, share, calm.matches ? 0 : -now / 260, shape)
      needle.current?.style.setProperty("transform", `translateX(${(share * 100).toFixed(3)}%)`)
      setShown((was) => Math.floor(was.ms / 1000) === Math.floor(place.ms / 1000) && was.lengthMs === place.lengthMs ? was : place)
    }
    frame = requestAnimationFrame(draw)
    return () => cancelAnimationFrame(frame)
  }, [heard, level, shape, skewMs, stream])

  const known = heard !== null && heard.endMs !== null
  return (
    <div
      class="dial"
      role="progressbar"
      aria-label="Progress"
      {...(known ? { "aria-valuemin": 0, "aria-valuemax": Math.round(shown.lengthMs / 1000), "aria-valuenow": Math.floor(shown.ms / 1000) } : {})}
      aria-valuetext={known ? `${clockText(shown.ms)} of ${clockText(shown.lengthMs)}` : "Live"}
    >
      <div class="dial-band">
        <canvas class="dial-wave" ref={canvas} aria-hidden="true" />
        <Scale lengthMs={shown.lengthMs} />
        <div class="dial-track" aria-hidden="true"><div class="dial-needle" ref={needle} /></div>
      </div>
      <p class="dial-times" aria-hidden="true">
        <span>{known ? clockText(shown.ms) : ""}</span>
        <span key={known ? shown.lengthMs : 0}>{known ? `−${clockText(shown.lengthMs - shown.ms)}` : "live"}</span>
      </p>
    </div>
  )
}
