import type { SqlClient } from "effect/sql"

const shared = new WeakSet<SqlClient.SqlClient>()

/** Notes that other processes write to this database too: nothing that was read is true for longer than its statement. */
export const markShared = (sql: SqlClient.SqlClient): void => void shared.add(sql)

export const isShared = (sql: SqlClient.SqlClient): boolean => shared.has(sql)
