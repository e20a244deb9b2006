import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { Broadcaster } from "../../schema/Broadcast.ts"
import { JobId } from "../../schema/Ids.ts"
import {
  AgentNotActive, AgentSuspended, Busy, CollaborationSlotNotBookable, ContentRejected, Forbidden, InsufficientLeadTime, InvalidField, MissingFields, NotFound, OccurrenceAlreadyBooked, OccurrenceInPast,
  ProductionStateConflict, RateLimited, ScheduleBlockNotFound, ScriptTooLong
} from "../../schema/Problems.ts"
import { Production, ProductionAsk, ProductionPatch } from "../../schema/Production.ts"

const onProduction = { productionId: Schema.String, dryRun: Schema.Boolean }
const words = [InvalidField, ScriptTooLong, ContentRejected] as const

/** Shows in the making. `commandKey` makes a repeat find what the first one began; the other messages name the production. */
export const showrunnerProductions = [
  Rpc.make("Produce", {
    payload: { commandKey: Schema.String, by: Broadcaster, ask: ProductionAsk, dryRun: Schema.Boolean },
    success: Production,
    error: Schema.Union([
      ...words, MissingFields, Forbidden, RateLimited, AgentNotActive, AgentSuspended, OccurrenceInPast, OccurrenceAlreadyBooked, ScheduleBlockNotFound, CollaborationSlotNotBookable, InsufficientLeadTime, Busy
    ])
  }),
  /** The agent writes what is missing, or writes it anew, until it is handed in. */
  Rpc.make("ReviseProduction", { payload: { ...onProduction, patch: ProductionPatch }, success: Production, error: Schema.Union([...words, NotFound, ProductionStateConflict]) }),
  Rpc.make("RetryProduction", { payload: onProduction, success: Production, error: Schema.Union([NotFound, ProductionStateConflict]) }),
  /** Leaves out the next run of one that comes back. */
  Rpc.make("SkipProduction", { payload: onProduction, success: Production, error: Schema.Union([NotFound, ProductionStateConflict, Busy]) }),
  /** Goes on with it as far as it gets by itself. `tired`: it was taken up again and again, and nothing came of it. */
  Rpc.make("WorkProduction", { payload: { productionId: JobId, tired: Schema.Boolean } })
] as const
