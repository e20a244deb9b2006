import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { getPriority, setPriority } from "node:os"

/** What the system knows of a process or a thread: CPU it was given, and whether it wants more right now. */
export interface Pulse {
  readonly cpuMs: number
  readonly wantsCpu: boolean
}

/** The kernel counts in hundredths of a second wherever Node runs. */
const tickMs = 10

const pulse = (stat: string): Pulse => {
  // The name comes in brackets and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  // R is on a core or in the queue for one; D waits for a disk. T was stopped, S waits for somebody else.
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

/** Of all threads of another process; null where the system doesn't tell. */
export const pulseOfProcess = (pid: number): Pulse | null =>
  read(() => readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/stat`))

/** Of one thread of this process, by the number the system knows it by. */
export const pulseOfThread = (thread: number): Pulse | null => read(() => [`/proc/self/task/${thread}/stat`])

/** The number of the thread that calls; 0 where the system doesn't tell. */
export const ownThread = (): number => {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1))
  } catch {
    return 0
  }
}

/**
 * Runs `start` with another priority: the threads and processes it starts inherit it. On Linux a priority is a thread's own; elsewhere it
 * would be that of the whole station. Who may not raise it goes on without.
 */
export const started = <A>(niceness: number, start: () => A): A => {
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
 * Tells one that hangs from one that starves: whoever stands in the queue for a core, and had little of it while silent, is not
 * replaced. Its successor would stand there too, with its own start to make up for besides.
 */
export class Starvation {
  #since: (Pulse & { readonly atMs: number }) | null = null

  /** It gave a sign of life. */
  alive(): void {
    this.#since = null
  }

  /** To be asked from the beginning of the silence on. Who had a core half of the time and says nothing runs in a circle. */
  starves(now: Pulse | null, nowMs: number): boolean {
    if (now === null) return false
    this.#since ??= { ...now, atMs: nowMs }
    return now.wantsCpu && now.cpuMs - this.#since.cpuMs <= (nowMs - this.#since.atMs) / 2
  }
}
