import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { InvalidField, ScheduleBlockNotFound, ShowNotFound, SubjectConflict } from "../../../schema/Problems.ts"
import { WeekChange, WeekChanged, WeekFit } from "../../../schema/programmes/WeekSchedule.ts"
import { act } from "../../runtime/protocol.ts"

/** The week as operators make it. Keyed by the station: of two who change it at once, the second sees what the first did. */
export const Timetable = Entity.make("Timetable", [
  /**
   * Every change is another whole week from an instant on, null for now; weeks that were planned for later are changed likewise.
   * Plans whose runs would be no more stand in the way, unless they are to be cancelled.
   */
  Rpc.make("ChangeWeek", {
    payload: {
      change: WeekChange,
      fit: WeekFit,
      validFromMs: Schema.NullOr(Schema.Finite),
      cancelPlans: Schema.Boolean,
      ...act
    },
    success: WeekChanged,
    error: Schema.Union([InvalidField, ScheduleBlockNotFound, ShowNotFound, SubjectConflict])
  })
])
