import { Effect, Schedule } from "effect"
import { parentCheckMs } from "../../engine/rules/http/limits.ts"

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Exits when the parent process is gone, because npm's shell doesn't forward the signal that ended it. */
export const orphaned = Effect.suspend(() => {
  const parent = process.ppid
  return Effect.sync(() => process.ppid === parent && isAlive(parent)).pipe(
    Effect.repeat({ schedule: Schedule.spaced(parentCheckMs), while: (stays) => stays }),
    Effect.asVoid
  )
})
