import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Report } from "../../bench/instruments/Report.ts"

/** Runs a bench at a small size from the command line; returns its report. */
export const smallBench = async (name: string): Promise<Report> => {
  const folder = await mkdtemp(join(tmpdir(), "longwave-bench-"))
  try {
    const report = join(folder, "report.json")
    await promisify(execFile)(process.execPath, ["bench/main.ts", name, "--small", "--to", report], {
      timeout: 300_000,
      killSignal: "SIGKILL"
    })
    return JSON.parse(await readFile(report, "utf8")) as Report
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The first value of a row, and the value of a goal, by their names. */
export const figure = (report: Report, what: string) => report.rows.find((row) => row.what === what)?.values[0]
export const goal = (report: Report, name: string) => report.goals.find((goal) => goal.name === name)?.value
