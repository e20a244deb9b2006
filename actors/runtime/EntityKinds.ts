import { entityIdleSec, mailboxCapacity } from "../../engine/rules/runtime/limits.ts"

/**
 * How an actor lives. A defect answers its one message and is counted; without `disableFatalDefects` the same message
 * would be tried for ever and its sender would hang.
 */
const careful = { disableFatalDefects: true, mailboxCapacity } as const

/** Kept alive, or woken again and again: its memory is a copy of what is saved. */
export const permanent = { ...careful, maxIdleTime: "365 days" } as const

/** Comes when it is spoken to and goes when nobody has for a while. */
export const transient = { ...careful, maxIdleTime: `${entityIdleSec} seconds` } as const
