// Bounds of the store, the workers and what leaves the machine. The unit is last in the name.

export const databaseConnectionsMax = 12
export const sharedConnections = 3 // For reads that need no connection of their own
export const readsTogether = 12 // Of one turn of the event loop, on the same connection
export const readsPerConnectionMax = 32 // More wait until one of them is answered
export const sharedReadMs = 250 // A slower read holds up the others behind it, and is asked again alone
export const slowReadAloneMs = 600_000
export const statementsKnownMax = 2_000 // Texts of statements that were looked into; the station has some 600
export const readKeptMs = 60_000 // Of a read that is kept until its tables change: this bounds the rest, such as a change by hand in the database
export const joinedPartsMax = 10_000 // Of cached joined statements: about a thousand of them, with ten parts each
export const databaseConnectTimeoutMs = 3_000
export const statementTimeoutMs = 4_000 // A longer query answers 503, to free its connection for other callers
export const transactionIdleMs = 3_000 // Of one of several processes that was frozen or cut off in the middle of it: its rows are free before a statement that waits for them is given up
export const databaseSilenceMs = 5_000 // Longer than a statement may take: a database silent for this long is frozen
export const storeCheckMs = 1_000 // Operators are alerted after twice this without an answer
export const databaseRetryMaxMs = 2_000
export const postgresPagesMinMb = 32
export const postgresPagesMaxMb = 512
export const postgresStopTimeoutMs = 8_000
export const postgresLeftBehindMs = 5_000 // A database process left over from an earlier run, for example a frozen one, is killed after this
export const postgresRestartWaitMs = 250 // Between two attempts to restart a database that exited
export const changesToldMs = 50 // How long changed tables are gathered before other processes learn of them
export const busEventsMax = 1_000
export const busEventsMaxAgeSec = 3_600
export const mailboxCapacity = 256
export const entityIdleSec = 5 // At most 10,000 actors are awake; messages to others are refused. An actor takes 25 KB, and 0.3 ms to wake
export const restartsInWindowMax = 10
export const restartWindowSec = 60
export const restartBackoffMinMs = 50
export const restartBackoffMaxMs = 5_000

export const jobLeaseMs = 12_000 // Work of a killed process resumes after this, at most one tick later
export const jobHeartbeatMs = 4_000
export const jobTickMs = 4_000 // Maximum sleep of a worker: only its own process wakes it
export const jobErrorCharsMax = 500
export const purgeRows = 1_000 // Rows that a purge deletes in one statement: a few ms, far below the statement timeout
export const outboxKeptDays = 30 // For readers that are added, and for people who look into an event
export const metersKnownMs = 2_000
export const metersKnownMax = 2_000
export const metersKeptDays = 2
export const jobsEndedKeptDays = 30 // Failed and cancelled jobs are kept for operators

export const idempotencyHours = 24
export const idempotencyRunningMaxSec = 120

export const outboxBatchMax = 100
export const outboxNumberedMax = 500
export const outboxTickSec = 5
export const outboxTriesMax = 5
export const outboundPorts: ReadonlyArray<number> = [443, 8_443]
export const dnsTimeoutMs = 3_000
export const outboundAtOnceMax = 512
export const redirectsMax = 3 // Of a file that the station fetches; each is checked like the first address
export const retryAfterMaxSec = 3_600 // Of a provider: a longer pause is asked again after an hour
export const soleStationWaitSec = 10 // A killed station stays connected for a moment; so does one that is being replaced
export const soleStationLookSec = 10

// Several processes of one station. A killed one's actors answer elsewhere when its lease has ended, and at most a look and a request for the leases later:
// 3.4 s after the kill, below the 5 s of the goal by what a slow machine needs.
export const shardLeaseMs = 3_000 // Whole seconds: the cluster rounds up. A lease that was not renewed counts for half of this: with 2 s, one slow answer of the store would end every actor
export const shardLeaseRenewMs = 700 // Also how long the cluster waits for an answer about leases. It renews at least three times in a lease
export const shardAskMs = 100 // Between two requests for leases that another process still holds
export const shardsLookMs = 250 // Between two looks at who runs
export const actorStopMs = 1_000 // For the message that an actor is handling when its process stops, or has lost its lease: until then, no other process runs the actor
export const shardsMax = 60 // Each moves alone when a process joins. All processes must agree on the number
export const peerHealthMs = 250 // A process that refuses six connections in 2.5 s is gone: its actors are placed anew before its lease ends
export const peerHandshakeMs = 3_000
export const peerConnectTimeoutMs = 1_000
export const peerConnectionsMax = 128 // Three for each other process
export const peerNotesMax = 5_000 // Notes that a process keeps for others whose connection was lost, for a minute
export const peerNotesMaxAgeMs = 60_000
export const peerBeatMs = 1_000
export const peerSilenceMs = 3_000
export const peerRetryMs = 200
export const peerLineBytesMax = 4_194_304
export const peerUnsentBytesMax = 16_777_216
