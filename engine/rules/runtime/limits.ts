// Bounds of the store, the workers and what leaves the machine. The unit is last in the name.

export const databaseConnectionsMax = 12
export const databaseConnectTimeoutMs = 3_000
export const statementTimeoutMs = 4_000 // A query that takes longer answers 503: the caller's patience and the pool are worth more
export const databaseSilenceMs = 5_000 // Longer than a statement may take: whoever says nothing by then is frozen
export const storeCheckMs = 1_000 // After twice this without an answer operators are told
export const databaseRetryMaxMs = 2_000
export const postgresStopTimeoutMs = 8_000
export const postgresLeftBehindMs = 5_000 // What is still up of an earlier run, frozen for example, is killed after this
export const postgresRestartWaitMs = 250 // Between two tries to start a database that ended by itself
export const busEventsMax = 1_000
export const busEventsMaxAgeSec = 3_600
export const mailboxCapacity = 256
export const entityIdleSec = 600
export const restartsInWindowMax = 10
export const restartWindowSec = 60
export const restartBackoffMinMs = 50
export const restartBackoffMaxMs = 5_000

export const jobLeaseMs = 12_000 // The work of a process that was killed is taken up this long after, and at most one tick later
export const jobHeartbeatMs = 4_000
export const jobTickMs = 4_000 // How long a worker sleeps at most: it is woken by its own process only
export const jobErrorCharsMax = 500
export const jobsEndedKeptDays = 30 // What was given up or cancelled, for operators

export const idempotencyHours = 24
export const idempotencyRunningMaxSec = 120

export const outboxBatchMax = 100
export const outboxNumberedMax = 500
export const outboxTickSec = 5
export const outboxTriesMax = 5
export const outboundPorts: ReadonlyArray<number> = [443, 8_443]
export const dnsTimeoutMs = 3_000
export const outboundAtOnceMax = 512
