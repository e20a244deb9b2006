import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { scheduleKeptSec } from "../../../engine/rules/programmes/limits.ts"
import { horizonOf, scheduleOf } from "../../../engine/rules/programmes/ScheduleView.ts"
import { Episodes } from "../../../engine/store/programmes/Plans.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Api } from "../../api/Api.ts"
import { calendarOf } from "./ScheduleCalendar.ts"
import { checkStation } from "../../views/StationViews.ts"
import { showsIn, weekSince } from "./Weeks.ts"

export const ScheduleHandlers = HttpApiBuilder.group(
  Api,
  "schedule",
  Effect.fnUntraced(function* (handlers) {
    const episodes = yield* Episodes
    const facts = yield* StationFacts
    const listPlanned = (nowMs: number) => episodes.listUpcoming(nowMs, horizonOf(nowMs))
    // Writing a calendar takes long enough to delay HLS parts, so it is cached for as long as clients may.
    const calendar = yield* Effect.cachedWithTTL(
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.zipWith(weekSince(nowMs), listPlanned(nowMs), (week, ahead) => calendarOf(facts, week, ahead, nowMs))
      ),
      `${scheduleKeptSec} seconds`
    )
    return handlers.handleAll({
      schedule: Effect.fnUntraced(function* ({ query }) {
        yield* checkStation(query)
        const nowMs = yield* Clock.currentTimeMillis
        if (query.format !== "ics") {
          const [week, planned] = yield* Effect.all([weekSince(nowMs), listPlanned(nowMs)], {
            concurrency: "unbounded"
          })
          return scheduleOf(week, yield* showsIn(week), facts.timeZone, planned, nowMs)
        }
        return HttpServerResponse.text(yield* calendar, {
          contentType: "text/calendar; charset=utf-8",
          headers: { "content-disposition": `inline; filename="${facts.slug}.ics"` }
        })
      })
    })
  })
)
