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

/** Ends when the process that started this one is gone: npm's shell does not hand on the signal that ended it. */
export const orphaned = Effect.suspend(() => {
  const parent = process.ppid
  return Effect.sync(() => process.ppid === parent && isAlive(parent)).pipe(
    Effect.repeat({ schedule: Schedule.spaced(parentCheckMs), while: (stays) => stays }),
    Effect.asVoid
  )
})
