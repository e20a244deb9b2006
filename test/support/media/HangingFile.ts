import { execFileSync } from "node:child_process"

/** A file whose reading never ends, as on a disk that hangs: a pipe that nobody writes to. */
export const makeHangingFile = (path: string): void => {
  execFileSync("mkfifo", [path])
}
/**
 * Lets everybody who reads it go, without which the process can't end. The file is gone before the pipe is closed, so whoever comes later
 * finds nothing instead of waiting for ever.
 */
export const endHangingFile = (path: string): void => {
  execFileSync("sh", ["-c", 'exec 3<>"$0"; rm "$0"', path])
}
