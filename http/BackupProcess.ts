import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { BackupFailed, Backups } from "../engine/ports/Backups.ts"

const outputMaxChars = 4_000

/** Runs the command `backup` in a process of its own: compressing and encrypting gigabytes must not slow the station's event loop. */
export const BackupProcess = Layer.succeed(
  Backups,
  Backups.of({
    make: (path, progress) =>
      Effect.callback<void, BackupFailed>((resume) => {
        const main = fileURLToPath(new URL("main.ts", import.meta.url))
        const child = spawn(process.execPath, [...process.execArgv, main, "backup", path], {
          stdio: ["ignore", "pipe", "pipe"]
        })
        let said = ""
        const hear = (piece: Buffer) => {
          said = `${said}${piece.toString("utf8")}`.slice(-outputMaxChars)
          const percent = [...said.matchAll(/^ {2}(\d{1,3}) %/gm)].at(-1)?.[1]
          if (percent !== undefined) progress(Number(percent))
        }
        child.stdout.on("data", hear)
        child.stderr.on("data", hear)
        child.on("error", (error) => resume(Effect.fail(new BackupFailed({ detail: error.message }))))
        child.on("close", (code) =>
          resume(
            code === 0
              ? Effect.void
              : Effect.fail(new BackupFailed({ detail: said.trim().split("\n").at(-1) ?? `It ended with ${code}.` }))
          )
        )
        return Effect.sync(() => void child.kill("SIGTERM"))
      })
  })
)
