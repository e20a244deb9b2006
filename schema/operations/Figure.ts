import { Schema } from "effect"

/** One measurement of the station, under the name that it has at GET /metrics. */
export const Figure = Schema.Struct({
  name: Schema.String,
  kind: Schema.Literals(["counter", "gauge", "histogram", "summary", "frequency"]),
  description: Schema.NullOr(Schema.String),
  values: Schema.Array(
    Schema.Struct({
      labels: Schema.Record(Schema.String, Schema.String),
      /** Of a histogram or a summary the mean of what was measured since the start; null if nothing was. */
      value: Schema.NullOr(Schema.Finite),
      /** How often it was measured; null for counters and gauges. */
      count: Schema.NullOr(Schema.Finite)
    })
  )
})
export type Figure = typeof Figure.Type
