import { useEffect, useRef } from "preact/hooks"
import Plot from "uplot"

const heightPx = 120

/** A measured figure over time. `points` are instants in ms and values, oldest first. */
export const Curve = ({
  label,
  max,
  min,
  points,
  spanSec = 300,
  unit
}: {
  readonly label: string
  readonly unit: string
  readonly points: ReadonlyArray<readonly [atMs: number, value: number]>
  /** The least that the axis of time shows. */
  readonly spanSec?: number
  readonly min?: number
  readonly max?: number
}) => {
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<Plot | null>(null)
  const data = (): Plot.AlignedData => [points.map(([atMs]) => atMs / 1_000), points.map(([, value]) => value)]
  useEffect(() => {
    const element = frame.current!
    const { color } = getComputedStyle(element)
    const faint = getComputedStyle(element).getPropertyValue("--faint")
    const rule = getComputedStyle(element).getPropertyValue("--rule")
    const axis = { stroke: faint, grid: { stroke: rule, width: 1 }, ticks: { show: false } }
    const drawn = new Plot(
      {
        width: Math.max(120, element.clientWidth),
        height: heightPx,
        cursor: { show: false },
        legend: { show: false },
        scales: {
          // Not the library's own first and last: for a single point they are a day apart.
          x: {
            range: ({ data: [at] }) => {
              const last = at.at(-1) ?? Date.now() / 1_000
              return [Math.min(at[0] ?? last, last - spanSec), last]
            }
          },
          y: {
            range: (_, low, high) => [min ?? Math.min(0, low ?? 0), max ?? Math.max((high ?? 1) * 1.1, 1)]
          }
        },
        axes: [
          {
            ...axis,
            // Short spans have several marks a minute.
            space: 80,
            values: (_, marks, _axis, _space, stepSec) =>
              marks.map((at) => new Date(at * 1_000).toTimeString().slice(0, stepSec < 60 ? 8 : 5))
          },
          { ...axis, size: 44 }
        ],
        series: [{}, { stroke: color, width: 1.5, points: { show: false } }]
      },
      data(),
      element
    )
    plot.current = drawn
    const watch = new ResizeObserver(() =>
      drawn.setSize({ width: Math.max(120, element.clientWidth), height: heightPx })
    )
    watch.observe(element)
    return () => {
      watch.disconnect()
      drawn.destroy()
      plot.current = null
    }
  }, [])
  useEffect(() => plot.current?.setData(data()), [points])
  const last = points.at(-1)
  return (
    <figure class="curve">
      <figcaption class="note">
        {`${label}: ${last === undefined ? "–" : `${last[1].toLocaleString("en", { maximumFractionDigits: 1 })} ${unit}`}`}
      </figcaption>
      <div class="curve-plot" ref={frame} aria-hidden="true" />
    </figure>
  )
}
