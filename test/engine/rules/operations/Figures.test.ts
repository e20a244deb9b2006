import { Effect, Metric } from "effect"
import { expect, it } from "vitest"
import { figuresOf } from "../../../../engine/rules/operations/Figures.ts"

it("figures are named as Prometheus names them, with labels, and means of what is distributed", async () => {
  const counter = Metric.counter("figure_test_answers", { description: "answers, by status" })
  const gauge = Metric.gauge("figure_test_listeners")
  const histogram = Metric.histogram("figure_test_seconds", { boundaries: [1, 10] })
  const empty = Metric.histogram("figure_test_unmeasured", { boundaries: [1] })
  const snapshot = await Effect.runPromise(
    Effect.gen(function* () {
      yield* Metric.update(Metric.withAttributes(counter, { status: "200" }), 2)
      yield* Metric.update(Metric.withAttributes(counter, { status: "404" }), 1)
      yield* Metric.update(gauge, 17)
      yield* Metric.update(histogram, 1)
      yield* Metric.update(histogram, 3)
      yield* Metric.value(empty)
      return yield* Metric.snapshot
    })
  )
  expect(figuresOf(snapshot).filter(({ name }) => name.startsWith("figure_test"))).toEqual([
    {
      name: "figure_test_answers_total",
      kind: "counter",
      description: "answers, by status",
      values: [
        { labels: { status: "200" }, value: 2, count: null },
        { labels: { status: "404" }, value: 1, count: null }
      ]
    },
    {
      name: "figure_test_listeners",
      kind: "gauge",
      description: null,
      values: [{ labels: {}, value: 17, count: null }]
    },
    { name: "figure_test_seconds", kind: "histogram", description: null, values: [{ labels: {}, value: 2, count: 2 }] },
    {
      name: "figure_test_unmeasured",
      kind: "histogram",
      description: null,
      values: [{ labels: {}, value: null, count: 0 }]
    }
  ])
})
