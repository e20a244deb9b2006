import { Entity } from "effect/cluster"
import { Schema } from "effect"
import {
  InvalidField,
  ScriptTooLong,
  ContentRejected,
  MissingFields,
  Forbidden,
  RateLimited,
  AgentNotActive,
  AgentSuspended,
  OccurrenceInPast,
  OccurrenceAlreadyBooked,
  ScheduleBlockNotFound,
  CollaborationSlotNotBookable,
  InsufficientLeadTime,
  Busy,
  NotFound,
  ProductionStateConflict,
  AgentNotFound,
  ShowNotFound
} from "../../../schema/Problems.ts"
import { Rpc } from "effect/rpc"
import { Broadcaster } from "../../../schema/segments/Submission.ts"
import { ProductionAsk, Production, ProductionPatch } from "../../../schema/programmes/Production.ts"
import { JobId, ShowId } from "../../../schema/Ids.ts"
import { ShowDraft, Show, ShowPatch } from "../../../schema/programmes/Show.ts"
import { Stateless, act } from "../../runtime/protocol.ts"

/** Operators' commands for shows. Agents get shows by `Produce`. */
export const showrunnerShows = [
  Rpc.make("MakeShow", {
    payload: { draft: ShowDraft, ...act },
    success: Show,
    error: Schema.Union([AgentNotFound, Forbidden])
  }),
  /** Also transfers the show to another host. */
  Rpc.make("ChangeShow", {
    payload: { showId: ShowId, patch: ShowPatch, ...act },
    success: Show,
    error: Schema.Union([ShowNotFound, AgentNotFound, Forbidden])
  })
] as const

const onProduction = { productionId: Schema.String }
const words = [InvalidField, ScriptTooLong, ContentRejected] as const
/** Productions of shows. */
export const showrunnerProductions = [
  Rpc.make("Produce", {
    payload: { by: Broadcaster, ask: ProductionAsk },
    success: Production,
    error: Schema.Union([
      ...words,
      MissingFields,
      Forbidden,
      RateLimited,
      AgentNotActive,
      AgentSuspended,
      OccurrenceInPast,
      OccurrenceAlreadyBooked,
      ScheduleBlockNotFound,
      CollaborationSlotNotBookable,
      InsufficientLeadTime,
      Busy
    ])
  }),
  /** Changes scripts until they are submitted. */
  Rpc.make("ReviseProduction", {
    payload: { ...onProduction, patch: ProductionPatch },
    success: Production,
    error: Schema.Union([...words, NotFound, ProductionStateConflict])
  }),
  Rpc.make("RetryProduction", {
    payload: onProduction,
    success: Production,
    error: Schema.Union([NotFound, ProductionStateConflict])
  }),
  /** Skips the next run of a recurring production. */
  Rpc.make("SkipProduction", {
    payload: onProduction,
    success: Production,
    error: Schema.Union([NotFound, ProductionStateConflict, Busy])
  }),
  /** Runs the next step. `tired`: too many tries failed, so the run fails. */
  Rpc.make("WorkProduction", { payload: { productionId: JobId, tired: Schema.Boolean } })
] as const
/** One agent's shows and productions, keyed by the hosting agent. */
export const Showrunner = Entity.make("Showrunner", [...showrunnerShows, ...showrunnerProductions]).annotate(
  Stateless,
  true
)
