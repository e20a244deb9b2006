import { gridBlocksMax } from "../programmes/limits.ts"

// Bounds of requests, connections and answers. The unit is last in the name.

export const listMax = 100

export const requestsAtOnceMax = 256 // Two hundred clients are served. More wait for a slow store than for anything else: they are refused before they fill the memory
export const requestsPerAddressMax = 64 // A quarter of all: three more addresses are served while one floods

export const securityTextDays = 180 // RFC 9116 asks for less than a year

export const jsonBytesMax = 262_144
export const jsonDepthMax = 32
export const jsonItemsMax = gridBlocksMax
export const jsonKeysMax = 256 // Of any array and any object of a body; operations declare less for their own arrays
export const urlBytesMax = 8_192
export const formFieldsMax = 64
export const formFieldCharsMax = 8_192
export const problemErrorsMax = 20
export const problemDetailMaxBytes = 2_048
export const problemPartMaxBytes = 300
export const problemPointerMaxBytes = 200
export const ignoredFieldsMax = 20
export const ignoredFieldsMaxBytes = 1_024
export const preflightSec = 600
export const readinessEveryMs = 500
export const readinessPatienceMs = 400 // What probes are told is less than a second old
export const idempotencyKeyCharsMax = 255
export const idempotencyAnswerMaxBytes = 65_536
export const bodyTimeoutMs = 10_000 // For the whole JSON body, from when the station begins to read it
export const bodiesPendingMax = 256
export const bodiesPendingPerAddressMax = 32 // Bodies that are read and have not all arrived: up to 64 MB in all
export const agentReadsPerMinuteMax = 300
export const agentWritesPerMinuteMax = 60
export const addressReadsPerMinuteMax = 240
export const operatorRequestsPerMinuteMax = 300
export const addressWritesPerMinuteMax = 30
export const agentsPerAddressMax = 10 // As many busy agents as one machine is taken to be home to
export const rateKeysMax = 100_000
export const headersTimeoutMs = 15_000
export const keepAliveMs = 15_000
export const requestTimeoutMs = 120_000
export const listenBacklog = 4_096

export const socketIdleMs = 180_000 // Longer than the longest synthesis, during which nothing moves
export const connectionsPerAddressMax = 1_000
export const connectionsRefusedMax = 64 // How many more are told why, before they are only shut
export const refusedIdleMs = 2_000
export const drainStallMs = 90_000 // The kernel says that there is room again when a third of its 4 MB is free: a reader of 128 kbit/s needs 85 s for that
export const drainMinBytes = 98_304 // What a reader with more than this to take has to take in `drainStallMs`: an eighth of what the smaller rendition needs
export const heldMemoryShare = 1 / 8 // Of this machine's memory, for what all connections together sent ahead and haven't taken
export const filesReserved = 256 // Descriptors that connections never get: the journal, the staged sounds, the database and the encoders need theirs
export const addressesKnownMax = 20_000
export const addressCharsKnownMax = 200
export const laneHeadMaxBytes = 8_192
export const connectionsCheckMs = 2_000 // How late a header that doesn't come is noticed: node looks every 30 s by itself

export const sseTickSec = 3
export const sseHeartbeatSec = 15
export const sseLifeHours = 12
export const ssePerAddressMax = 50
export const sseBacklogMaxBytes = 262_144
export const sseSliceMax = 128 // Written to at one go: a millisecond of the loop
export const drainGraceMs = 5_000
export const parentCheckMs = 1_000
