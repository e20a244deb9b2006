import { Effect, Exit, Layer, Metric } from "effect"

const active = Metric.gauge("child_fibers_active", { description: "fibers that run now" })
const started = Metric.counter("child_fibers_started", { description: "fibers that were started", incremental: true })
const succeeded = Metric.counter("child_fiber_successes", { description: "fibers that succeeded", incremental: true })
const failed = Metric.counter("child_fiber_failures", { description: "fibers that failed", incremental: true })

/** Since the process began. */
const counts = { started: 0, succeeded: 0, failed: 0 }
let reported = { ...counts }

/**
 * Counts fibers as `Metric.enableRuntimeMetricsLayer` does, under the same names. That one looks up four metrics for each fiber, which takes 1 to 2 %
 * of a short answer's time: `measureFibers` updates them now and then.
 */
export const CountFibers = Layer.succeed(Metric.FiberRuntimeMetrics, {
  recordFiberStart: () => void (counts.started += 1),
  recordFiberEnd: (_, exit) => void (counts[Exit.isSuccess(exit) ? "succeeded" : "failed"] += 1)
})

/** Adds the fibers since the last call to the metrics. */
export const measureFibers = Effect.suspend(() => {
  const [before, now] = [reported, { ...counts }]
  reported = now
  return Effect.all(
    [
      Metric.update(active, now.started - now.succeeded - now.failed),
      Metric.update(started, now.started - before.started),
      Metric.update(succeeded, now.succeeded - before.succeeded),
      Metric.update(failed, now.failed - before.failed)
    ],
    { discard: true }
  )
})
