import { Clock, Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { readdirSync, readFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { figureNameOf } from "../../engine/rules/operations/Figures.ts"
import { measureFibers } from "./FiberCounts.ts"

const cpu = Metric.counter("process_cpu_seconds_total", { description: "user and system CPU time, in seconds" })
const memory = Metric.gauge("process_resident_memory_bytes", { description: "resident memory, in bytes" })
const begun = Metric.gauge("process_start_time_seconds", { description: "start of the process, in Unix seconds" })
const files = Metric.gauge("process_open_fds", { description: "open file descriptors" })
const filesMax = Metric.gauge("process_max_fds", { description: "most file descriptors that may be open" })
const lag = Metric.gauge("nodejs_eventloop_lag_seconds", {
  description: "mean delay of the event loop since the last scrape, in seconds"
})
const lagMost = Metric.gauge("nodejs_eventloop_lag_p99_seconds", {
  description: "99th percentile of the delay of the event loop since the last scrape, in seconds"
})

const openFiles = (): number => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return 0
  }
}
const openFilesMax = (): number => {
  try {
    return Number(/^Max open files\s+(\d+)/mu.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? 0)
  } catch {
    return 0
  }
}
const resolutionMs = 10

/** Measures the process for the next scrape. */
export const makeProcessMetrics = Effect.gen(function* () {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  yield* Effect.addFinalizer(() => Effect.sync(() => delay.disable()))
  const startSec = (yield* Clock.currentTimeMillis) / 1_000 - process.uptime()
  const most = openFilesMax()
  let cpuSec = 0
  return Effect.gen(function* () {
    const used = process.cpuUsage()
    const nowSec = (used.user + used.system) / 1e6
    const lagSec = (ns: number) => (Number.isFinite(ns) ? Math.max(0, ns / 1e9 - resolutionMs / 1_000) : 0)
    yield* Effect.all(
      [
        Metric.update(cpu, nowSec - cpuSec),
        Metric.update(memory, process.memoryUsage.rss()),
        Metric.update(begun, startSec),
        Metric.update(files, openFiles()),
        Metric.update(filesMax, most),
        Metric.update(lag, lagSec(delay.mean)),
        Metric.update(lagMost, lagSec(delay.percentile(99))),
        measureFibers
      ],
      { discard: true }
    )
    cpuSec = nowSec
    delay.reset()
  })
})

/** What libraries measure without a description says its name in words. */
const addHelp = (text: string): string => {
  const helped = new Set([...text.matchAll(/^# HELP (\S+) \S/gmu)].map(([, name]) => name))
  return text.replaceAll(/^# TYPE (\S+) .*$/gmu, (line, name: string) =>
    helped.has(name) ? line : `# HELP ${name} ${name.replaceAll("_", " ")}\n${line}`
  )
}

/** All metrics as Prometheus reads them: each with its help, counters named `_total`. */
export const renderMetrics = Effect.gen(function* () {
  const names = new Map((yield* Metric.snapshot).map((metric) => [metric.id as string, figureNameOf(metric)]))
  return addHelp(
    yield* PrometheusMetrics.format({
      metricNameMapper: (name) => names.get(name) ?? name
    })
  )
})
