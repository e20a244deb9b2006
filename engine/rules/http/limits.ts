import { gridBlocksMax } from "../programmes/limits.ts"

// Bounds of requests, connections and answers. The unit is last in the name.

export const listMax = 100

export const requestServicesMax = 32 // Services that a request adds to those of the station before all of them are copied
export const startsTogether = 12 // Requests that start in one turn of the event loop, however long it takes: their reads go to the database in one write
export const startTurnMs = 8 // More of them start while the turn is shorter
export const startWaitMaxMs = 10_000 // A client waits no longer for its request to start; by then it has often left
export const connectionsFirstMaxMs = 250 // Long enough to accept hundreds of connections before requests start
export const requestsAtOnceMax = 256 // For two hundred clients. Excess requests only wait for a slow store; they are refused before they fill the memory
export const requestsPerAddressMax = 64 // A quarter of the total: three more addresses are served while one floods

export const securityTextDays = 180 // RFC 9116 recommends less than a year

export const jsonBytesMax = 262_144
export const jsonDepthMax = 32
export const jsonItemsMax = gridBlocksMax
export const jsonKeysMax = 256 // Of any array and any object of a body; operations declare lower limits for their own arrays
export const urlBytesMax = 8_192
export const formFieldsMax = 64
export const formFieldCharsMax = 8_192
export const problemErrorsMax = 20
/** Longest list of values that a refusal names one by one. */
export const allowedValuesMax = 40
export const problemDetailMaxBytes = 2_048
export const problemPartMaxBytes = 300
export const problemPointerMaxBytes = 200
export const ignoredFieldsMax = 20
export const ignoredFieldsMaxBytes = 1_024
export const preflightSec = 600
export const readinessEveryMs = 500
export const readinessPatienceMs = 400 // Probes get answers less than a second old
export const idempotencyKeyCharsMax = 255
export const idempotencyAnswerMaxBytes = 65_536
export const bodyTimeoutMs = 10_000 // For the whole JSON body, from the first read
export const bodiesPendingMax = 256
export const bodiesPendingPerAddressMax = 32 // Bodies that have not arrived completely: up to 64 MB in total
export const mcpListsPerMinuteMax = 60 // Without a proven key, and address: clients keep the list for a whole visit
export const agentReadsPerMinuteMax = 300
export const agentWritesPerMinuteMax = 60
export const addressReadsPerMinuteMax = 240
export const operatorRequestsPerMinuteMax = 300
export const addressWritesPerMinuteMax = 30
export const agentsPerAddressMax = 10 // The most busy agents assumed behind one address
export const rateKeysMax = 100_000
export const rateToldMs = 250 // A caller gets what it sends in this time beyond its allowance, in each further process
export const rateKeysToldMax = 4_000 // Callers in one message between processes: 250 KB, four times a second
export const headersTimeoutMs = 15_000
export const keepAliveMs = 15_000
export const bodyRateMinBytesPerSec = 16_384 // 200 MiB in less than four hours; a telephone line would take longer
export const bodyRateWindowMs = 30_000
export const listenBacklog = 4_096

export const socketIdleMs = 180_000 // Longer than the longest synthesis, during which the socket is idle
export const connectionsPerAddressMax = 1_000
export const connectionsRefusedMax = 64 // How many further connections get an error before they are closed without one
export const refusedIdleMs = 2_000
export const drainStallMs = 90_000 // The kernel reports room again when a third of its 4 MB is free: a reader of 128 kbit/s takes 85 s for that
export const drainMinBytes = 98_304 // A reader with more than this pending has to take at least this in `drainStallMs`: an eighth of what the smaller rendition needs
export const heldMemoryShare = 1 / 8 // Of this machine's memory, for data sent ahead on all connections together and not yet taken
export const filesReserved = 256 // Descriptors that connections never get: reserved for the journal, the staged sounds, the database and the encoders
export const textsKnownMax = 20_000 // Addresses, and paths of requests
export const textCharsKnownMax = 200
export const laneHeadMaxBytes = 8_192
export const heapShareMax = 0.9 // Above this the API refuses work: Node ends a process whose heap is full
export const releaseLookMs = 5_000
export const releaseQuietLooks = 4 // In a row: otherwise the next burst begins with a small heap
export const releaseLooks = 3 // Of one release: V8 looks every eight seconds whether there is something to collect
export const releaseAboveBytes = 48 * 1_048_576 // A station gathers so much in a minute or more of common use
export const releaseLoadMin = 0.25 // A station that is busy for less of the time is quiet
export const releaseLoadOverUsual = 1.25 // A slow machine is busier on a usual day: it is quiet up to so many times its usual load
export const releaseLoadMax = 0.75 // A flood that lasts is never quiet
export const releaseUsualLooks = 120 // Ten minutes: longer than most floods, or they would count as usual
export const heapCheckMs = 10
export const connectionsCheckMs = 2_000 // How late a missing header is noticed: Node's default interval is 30 s

export const sseTickSec = 3
export const sseHeartbeatSec = 15
export const sseLifeHours = 12
export const ssePerAddressMax = 50
export const sseBacklogMaxBytes = 262_144
export const sseSliceMax = 128 // Clients written to in one turn: a millisecond of the event loop
export const drainGraceMs = 8_000 // For accepted work: speech takes up to 6 s on a busy machine. What deploy/ starts is killed after 20 s
export const parentCheckMs = 1_000

export const publicAnswerBytesMax = 2 * 1_048_576
export const publicAnswersBytesMax = 32 * 1_048_576
export const publicAnswersCountMax = 2_000
export const publicAnswerRenewMs = 500 // Changes that no command of this process made show after this
export const zippedFromBytes = 1_024

export const sitemapEntriesMax = 1_000 // Of each kind, the newest
export const sitemapReplaysMax = 200 // A recording is read with its whole transcript
export const sitemapKeptSec = 600
