import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Rehearsal, RehearsalFailed } from "../engine/ports/Rehearsal.ts"
import { simulationReportCharsMax } from "../engine/rules/operations/limits.ts"

const noticesMaxChars = 4_000

/** Runs the command `rehearse` in a process of its own: a simulated week takes a core for minutes. */
export const RehearsalProcess = Layer.succeed(
  Rehearsal,
  Rehearsal.of({
    run: ({ days, demand, faults }, progress) =>
      Effect.callback<{ readonly isKept: boolean; readonly report: string }, RehearsalFailed>((resume) => {
        const main = fileURLToPath(new URL("main.ts", import.meta.url))
        const child = spawn(
          process.execPath,
          [
            ...process.execArgv,
            main,
            "rehearse",
            "--days",
            String(days),
            ...(faults ? ["--faults"] : []),
            ...(demand ? ["--demand"] : []),
            "--progress"
          ],
          { stdio: ["ignore", "pipe", "pipe"] }
        )
        let report = ""
        let notices = ""
        child.stdout.on("data", (piece: Buffer) => {
          report = `${report}${piece.toString("utf8")}`.slice(0, simulationReportCharsMax)
        })
        child.stderr.on("data", (piece: Buffer) => {
          notices = `${notices}${piece.toString("utf8")}`.slice(-noticesMaxChars)
          const percent = [...notices.matchAll(/^ {2}(\d{1,3}) %$/gm)].at(-1)?.[1]
          if (percent !== undefined) progress(Number(percent))
        })
        const fail = (detail: string) => resume(Effect.fail(new RehearsalFailed({ detail })))
        child.on("error", (error) => fail(error.message))
        child.on("close", (code) =>
          // 1: it ran to its end, and not every promise was kept.
          code === 0 || code === 1
            ? resume(Effect.succeed({ isKept: code === 0, report: report.trimEnd() }))
            : fail(notices.trim().split("\n").at(-1) ?? `It ended with ${code}.`)
        )
        return Effect.sync(() => void child.kill("SIGTERM"))
      })
  })
)
