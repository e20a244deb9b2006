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
import { act } from "../../runtime/protocol.ts"

/** What operators do about shows; agents come to theirs by what they produce. */
export const showrunnerShows = [
  Rpc.make("MakeShow", {
    payload: { draft: ShowDraft, ...act },
    success: Show,
    error: Schema.Union([AgentNotFound, Forbidden])
  }),
  /** Also gives it to another host. */
  Rpc.make("ChangeShow", {
    payload: { showId: ShowId, patch: ShowPatch, ...act },
    success: Show,
    error: Schema.Union([ShowNotFound, AgentNotFound, Forbidden])
  })
] as const

const onProduction = { productionId: Schema.String }
const words = [InvalidField, ScriptTooLong, ContentRejected] as const
/** Shows in the making. */
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
  /** The agent writes what is missing, or writes it anew, until it is handed in. */
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
  /** Leaves out the next run of one that comes back. */
  Rpc.make("SkipProduction", {
    payload: onProduction,
    success: Production,
    error: Schema.Union([NotFound, ProductionStateConflict, Busy])
  }),
  /** Goes on with it as far as it gets by itself. `tired`: it was taken up again and again, and nothing came of it. */
  Rpc.make("WorkProduction", { payload: { productionId: JobId, tired: Schema.Boolean } })
] as const
/** The shows of one agent and what is being made for them. Keyed by the agent that hosts: no two of its shows begin at once. */
export const Showrunner = Entity.make("Showrunner", [...showrunnerShows, ...showrunnerProductions])
