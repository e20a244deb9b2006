import { entityIdleSec, mailboxCapacity } from "../../engine/rules/runtime/limits.ts"

/**
 * Settings of every actor. A defect answers its one message and is counted. Without `disableFatalDefects` the message would be retried
 * forever and its sender would hang.
 */
const careful = { disableFatalDefects: true, mailboxCapacity } as const

/** Kept alive or reactivated. Its memory is a copy of stored state. */
export const permanent = { ...careful, maxIdleTime: "365 days" } as const

/** Activated on demand, removed after `entityIdleSec` seconds without a message. */
export const transient = { ...careful, maxIdleTime: `${entityIdleSec} seconds` } as const

/** Of a stateless actor among several processes: messages that don't wait for their turn run at once. */
export const statelessKind = { ...transient, concurrency: "unbounded" } as const
