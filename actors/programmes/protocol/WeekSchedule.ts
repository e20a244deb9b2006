import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import {
  InvalidField,
  PreconditionFailed,
  ScheduleBlockNotFound,
  ShowNotFound,
  SubjectConflict
} from "../../../schema/Problems.ts"
import { WeekChange, WeekChanged, WeekFit } from "../../../schema/programmes/WeekSchedule.ts"
import { act, seen } from "../../runtime/protocol.ts"

/** The weekly schedule, keyed by station: changes run one at a time. */
export const WeekSchedule = Entity.make("WeekSchedule", [
  /**
   * Applies a change from an instant on (null: now), and to weeks planned for later. Refused when it removes booked runs, unless
   * `cancelPlans` is set.
   */
  Rpc.make("ChangeWeek", {
    payload: {
      change: WeekChange,
      fit: WeekFit,
      validFromMs: Schema.NullOr(Schema.Finite),
      cancelPlans: Schema.Boolean,
      ...act,
      ...seen
    },
    success: WeekChanged,
    error: Schema.Union([InvalidField, PreconditionFailed, ScheduleBlockNotFound, ShowNotFound, SubjectConflict])
  })
])
