import { useEffect, useRef, useState } from "preact/hooks"
import type { Level } from "./Level.ts"
import { clockText } from "./Programme.ts"
import type { Heard } from "./Programme.ts"
import type { Stream } from "../stream/Stream.ts"
import { useAsk } from "../station/useAsk.ts"
import { Wave } from "./Wave.ts"
import { memo } from "preact/compat"

/** Seconds between marks, and between numbered marks. */
const gradings = [
  { upToMs: 15_000, markSec: 0.5, numberSec: 2 },
  { upToMs: 45_000, markSec: 1, numberSec: 5 },
  { upToMs: 100_000, markSec: 2, numberSec: 10 },
  { upToMs: 420_000, markSec: 5, numberSec: 30 },
  { upToMs: 1_200_000, markSec: 15, numberSec: 120 },
  { upToMs: Infinity, markSec: 60, numberSec: 600 }
] as const

const numberOf = (sec: number, lengthMs: number): string => {
  if (lengthMs <= 100_000) return String(sec)
  return sec % 60 === 0 ? String(sec / 60) : ""
}

/** Scale of the dial. */
export const Scale = memo(({ lengthMs }: { readonly lengthMs: number }) => {
  const { markSec, numberSec } = gradings.find(({ upToMs }) => lengthMs <= upToMs)!
  const marks = Array.from({ length: Math.floor(lengthMs / 1000 / markSec) + 1 }, (_, index) => index * markSec)
  return (
    <svg class="dial-scale" aria-hidden="true">
      {marks.map((sec) => {
        const x = `${(sec * 100_000) / lengthMs}%`
        const numbered = sec % numberSec === 0
        // Omits the last number, which would overflow the dial.
        const label = numbered && sec * 1000 < lengthMs * 0.97 ? numberOf(sec, lengthMs) : ""
        return (
          <g key={sec} class={numbered ? "mark mark-numbered" : "mark"}>
            <line x1={x} x2={x} y1="0" y2={numbered ? "16" : "8"} />
            {label === "" ? null : (
              <text x={x} y="34" dx={sec === 0 ? "0" : "-0.3em"}>
                {label}
              </text>
            )}
          </g>
        )
      })}
    </svg>
  )
})

/** Items of unknown length use a dial of one minute. */
const openEndedMs = 60_000
/** Pauses between two pictures: of a moving wave, of one that stands still until somebody listens, and for those who want little motion. */
const movingMs = 20
const stillMs = 250
const calmMs = 1000
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
/** Progress dial of the current item, with a needle at the listener's position. */
export const Dial = ({
  heard,
  isReached,
  level,
  skewMs,
  stream
}: {
  readonly heard: Heard | null
  readonly isReached: boolean
  readonly level: () => Level | null
  readonly skewMs: number
  readonly stream: Stream
}) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const needle = useRef<HTMLDivElement>(null)
  const wave = useRef(new Wave())
  const [shown, setShown] = useState<Place>({ ms: 0, lengthMs: openEndedMs })
  const itemId = heard === null || heard.endMs === null ? null : heard.playing.item.id
  const shape =
    useAsk<{ readonly levels: ReadonlyArray<number> }>(itemId === null ? null : `/live/wave/${itemId}.json`).value
      ?.levels ?? null

  useEffect(() => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)")
    let frame = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    let phase = 0
    const draw = (now: number): void => {
      const isMoving = stream.current === "playing" && !calm.matches
      if (isMoving) phase = -now / 260
      const place = placeOf(heard, stream.findHeardMs(skewMs) ?? Date.now() + skewMs)
      const share = place.ms / place.lengthMs
      const meter = level()
      // Without a readable level, a flat wave.
      const loud = !isMoving ? 0 : meter === null ? 0.4 : meter.read()
      if (heard !== null) wave.current.remember(String(heard.startMs), share, loud)
      if (canvas.current !== null) wave.current.draw(canvas.current, share, phase, shape)
      needle.current?.style.setProperty("transform", `translateX(${(share * 100).toFixed(3)}%)`)
      setShown((was) =>
        Math.floor(was.ms / 1000) === Math.floor(place.ms / 1000) && was.lengthMs === place.lengthMs ? was : place
      )
      timer = setTimeout(
        () => {
          frame = requestAnimationFrame(draw)
        },
        isMoving ? movingMs : calm.matches ? calmMs : stillMs
      )
    }
    frame = requestAnimationFrame(draw)
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [heard, level, shape, skewMs, stream])

  const known = heard !== null && heard.endMs !== null
  return (
    <div
      class="dial"
      role="progressbar"
      aria-label="Progress"
      {...(known
        ? {
            "aria-valuemin": 0,
            "aria-valuemax": Math.round(shown.lengthMs / 1000),
            "aria-valuenow": Math.floor(shown.ms / 1000)
          }
        : {})}
      aria-valuetext={
        known ? `${clockText(shown.ms)} of ${clockText(shown.lengthMs)}` : isReached ? "Live" : "Not reachable"
      }
    >
      <div class="dial-band">
        <canvas class="dial-wave" ref={canvas} aria-hidden="true" />
        <Scale lengthMs={shown.lengthMs} />
        <div class="dial-track" aria-hidden="true">
          <div class="dial-needle" ref={needle} />
        </div>
      </div>
      <p class="dial-times" aria-hidden="true">
        <span>{known ? clockText(shown.ms) : ""}</span>
        <span key={known ? shown.lengthMs : 0}>
          {known ? `−${clockText(shown.lengthMs - shown.ms)}` : isReached ? "live" : ""}
        </span>
      </p>
    </div>
  )
}
