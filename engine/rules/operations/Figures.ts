import type { Metric } from "effect"
import type { Figure } from "../../../schema/operations/Figure.ts"

type Snapshot = Metric.Metric.Snapshot
type Value = Figure["values"][number]

/** The name by Prometheus' convention: counters end in `_total`. */
export const figureNameOf = ({ id, type }: Pick<Snapshot, "id" | "type">): string =>
  type === "Counter" && !id.endsWith("_total") ? `${id}_total` : id

const finiteOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null)

const valuesOf = ({ attributes, state }: Snapshot): ReadonlyArray<Value> => {
  const labels = Object.fromEntries(Object.entries(attributes ?? {}).map(([name, value]) => [name, String(value)]))
  if ("occurrences" in state)
    return [...state.occurrences].map(([word, count]) => ({
      labels: { ...labels, key: word },
      value: count,
      count: null
    }))
  if ("sum" in state)
    return [
      { labels, value: finiteOrNull(state.count === 0 ? Number.NaN : state.sum / state.count), count: state.count }
    ]
  return [{ labels, value: finiteOrNull(Number("value" in state ? state.value : state.count)), count: null }]
}

/** All measurements, by name. */
export const figuresOf = (metrics: ReadonlyArray<Snapshot>): ReadonlyArray<Figure> => {
  const found = new Map<string, Figure>()
  for (const metric of metrics) {
    const name = figureNameOf(metric)
    const kind = metric.type.toLowerCase() as Figure["kind"]
    const known = found.get(name) ?? { name, kind, description: metric.description ?? null, values: [] }
    found.set(name, { ...known, values: [...known.values, ...valuesOf(metric)] })
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
