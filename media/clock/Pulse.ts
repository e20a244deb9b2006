import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { getPriority, setPriority } from "node:os"

/** Scheduler state of a process or thread: CPU time received, and whether it is runnable now. */
export interface Pulse {
  readonly cpuMs: number
  readonly wantsCpu: boolean
}

/** The kernel counts in hundredths of a second on every platform of Node. */
const tickMs = 10

const pulse = (stat: string): Pulse => {
  // The name is in brackets and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  // R is on a core or queued for one; D waits for a disk. T is stopped, S sleeps.
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs, wantsCpu: fields[0] === "R" || fields[0] === "D" }
}

const read = (paths: () => ReadonlyArray<string>): Pulse | null => {
  try {
    return paths()
      .map((path) => pulse(readFileSync(path, "utf8")))
      .reduce((all, one) => ({ cpuMs: all.cpuMs + one.cpuMs, wantsCpu: all.wantsCpu || one.wantsCpu }))
  } catch {
    return null
  }
}

/** Of all threads of another process; null if the system doesn't tell. */
export const pulseOfProcess = (pid: number): Pulse | null =>
  read(() => readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/stat`))

/** Of one thread of this process, by its system id. */
export const pulseOfThread = (thread: number): Pulse | null => read(() => [`/proc/self/task/${thread}/stat`])

/** System id of the calling thread; 0 if the system doesn't tell. */
export const readOwnThread = (): number => {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1))
  } catch {
    return 0
  }
}

/**
 * Runs `start` with another priority, which its threads and processes inherit. On Linux a priority belongs to a thread; elsewhere it would
 * be that of the whole station. Without the permission to raise it, runs at the current priority.
 */
export const startWithNiceness = <A>(niceness: number, start: () => A): A => {
  if (process.platform !== "linux") return start()
  const before = getPriority(0)
  try {
    setPriority(0, niceness)
  } catch {
    return start()
  }
  try {
    return start()
  } finally {
    setPriority(0, before)
  }
}

/**
 * Tells a hung worker from a starved one: a worker that waits for a core and got little CPU while silent is not replaced. Its successor
 * would wait as well, and have to start besides.
 */
export class Starvation {
  #since: (Pulse & { readonly atMs: number }) | null = null

  /** It sent a heartbeat. */
  noteHeartbeat(): void {
    this.#since = null
  }

  /** Call it from the beginning of the silence. A worker that had a core half of the time and is silent runs in a loop. */
  isStarving(now: Pulse | null, nowMs: number): boolean {
    if (now === null) return false
    this.#since ??= { ...now, atMs: nowMs }
    return now.wantsCpu && now.cpuMs - this.#since.cpuMs <= (nowMs - this.#since.atMs) / 2
  }
}
