import { execFileSync } from "node:child_process"

/** A file whose reading never ends, as on a hanging disk: a pipe without a writer. */
export const makeHangingFile = (path: string): void => {
  execFileSync("mkfifo", [path])
}
/**
 * Ends all pending reads, without which the process can't end. The file is removed before the pipe is closed, so later readers
 * find no file instead of hanging.
 */
export const endHangingFile = (path: string): void => {
  execFileSync("sh", ["-c", 'exec 3<>"$0"; rm "$0"', path])
}
