import { jobLeaseMs } from "../../../engine/rules/runtime/limits.ts"
import { inDatabaseOf } from "../sql/OwnDatabase.ts"

/** Ends the leases of the jobs of a killed station, so that a test needn't wait for them. */
export const endLeases = (dataDir: string) =>
  inDatabaseOf(
    dataDir,
    (sql) => sql`UPDATE jobs SET run_at = run_at - make_interval(secs => ${jobLeaseMs / 1_000}) WHERE state = 'running'`
  )
