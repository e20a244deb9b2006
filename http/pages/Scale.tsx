import { memo } from "preact/compat"

/** Marks a whole number of seconds apart, the numbered ones at every so many. */
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

/** The scale of the dial. */
export const Scale = memo(({ lengthMs }: { readonly lengthMs: number }) => {
  const { markSec, numberSec } = gradings.find(({ upToMs }) => lengthMs <= upToMs)!
  const marks = Array.from({ length: Math.floor(lengthMs / 1000 / markSec) + 1 }, (_, index) => index * markSec)
  return (
    <svg class="dial-scale" aria-hidden="true">
      {marks.map((sec) => {
        const x = `${sec * 100_000 / lengthMs}%`
        const numbered = sec % numberSec === 0
        // The last number would fall off the dial.
        const label = numbered && sec * 1000 < lengthMs * 0.97 ? numberOf(sec, lengthMs) : ""
        return (
          <g key={sec} class={numbered ? "mark mark-numbered" : "mark"}>
            <line x1={x} x2={x} y1="0" y2={numbered ? "16" : "8"} />
            {label === "" ? null : <text x={x} y="34" dx={sec === 0 ? "0" : "-0.3em"}>{label}</text>}
          </g>
        )
      })}
    </svg>
  )
})
