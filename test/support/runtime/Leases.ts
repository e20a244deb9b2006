import { jobLeaseMs } from "../../../engine/rules/runtime/limits.ts"
import { inDatabaseOf } from "../sql/OwnDatabase.ts"

/**
 * Ends the leases of the jobs of a killed station, and the pauses of those that failed before: a job that a test made wait longer than a
 * statement may take has failed, and on a slow machine often enough to pause for minutes.
 */
export const endLeases = (dataDir: string) =>
  inDatabaseOf(
    dataDir,
    (sql) =>
      sql`UPDATE jobs SET run_at = CASE state WHEN 'running' THEN run_at - make_interval(secs => ${jobLeaseMs / 1_000}) ELSE now() END WHERE state = 'running' OR state = 'waiting' AND tries > 0`
  )
