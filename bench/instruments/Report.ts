import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, totalmem, release } from "node:os"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

/** One measurement of Longwave or the anchor: several alternating runs in the same process. */
export interface Row {
  readonly what: string
  readonly unit: string
  /** One value for each run; empty if the program is missing. */
  readonly values: ReadonlyArray<number>
  readonly note?: string
}
export interface Goal {
  readonly name: string
  readonly limit: number
  readonly direction: "at most" | "at least"
  /** Null if the anchor is missing: not measured. */
  readonly value: number | null
}
export interface Report {
  readonly bench: string
  readonly rows: ReadonlyArray<Row>
  readonly goals: ReadonlyArray<Goal>
  /** Hash of the results, so that a fast wrong answer is noticed. */
  readonly computed: string
}
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
export const quantile = (values: ReadonlyArray<number>, q: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)]!
}
export const hash = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, 16)
/** User and system CPU seconds of a process and its threads so far; Linux only. */
export const cpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The same with its ended children; 0 for a process that has ended itself, such as a worker of autovacuum. */
export const cpuSecondsWithEnded = (pid: number): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0)
  } catch {
    return 0
  }
}

const formatValue = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toPrecision(3)
export const isMet = (goal: Goal): boolean | null =>
  goal.value === null ? null : goal.direction === "at most" ? goal.value <= goal.limit : goal.value >= goal.limit
/** Prints one table and writes the report to `file`, by default `bench/results/<name>.json`. */
export const publish = (report: Report, file?: string): void => {
  const machine = {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version
  }
  console.log(
    `\n${report.bench} on ${machine.cores} × ${machine.cpu}, node ${machine.node}, computed ${report.computed}`
  )
  for (const { note, unit, values, what } of report.rows) {
    const figures =
      values.length === 0
        ? "not measured"
        : `${formatValue(median(values))} ${unit} (${values.map(formatValue).join(", ")})`
    console.log(`  ${what.padEnd(52)} ${figures}${note === undefined ? "" : `  ${note}`}`)
  }
  for (const goal of report.goals) {
    const reached = isMet(goal)
    console.log(
      `  goal: ${goal.name} ${goal.direction} ${goal.limit}: ${goal.value === null ? "not measured" : `${formatValue(goal.value)} ${reached === true ? "reached" : "MISSED"}`}`
    )
  }
  const to = file ?? fileURLToPath(new URL(`../results/${report.bench}.json`, import.meta.url))
  mkdirSync(dirname(to), { recursive: true })
  const medians = Object.fromEntries(
    report.rows.map((row) => [row.what, row.values.length === 0 ? null : median(row.values)])
  )
  writeFileSync(to, `${JSON.stringify({ ...report, machine, medians }, null, 2)}\n`)
}

/** Time of this machine in ms, with fractions, equal in all processes. */
export const nowMs = (): number => performance.timeOrigin + performance.now()
