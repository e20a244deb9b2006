import { Clock, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Station } from "../../../actors/air/protocol.ts"
import { announcementMinutesPerWeek } from "../../../engine/rules/air/limits.ts"
import { Announcements } from "../../../engine/store/air/Announcements.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { AnnouncementKind, type AnnouncementSwitch } from "../../../schema/air/Announcement.ts"
import { NotFound } from "../../../schema/Problems.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { nextCursorOf, unknownCursor } from "../Commands.ts"

const isKind = Schema.is(AnnouncementKind)
const kinds = Effect.gen(function* () {
  const announcements = yield* Announcements
  const off = yield* announcements.off
  const spokenMs = yield* announcements.spokenMs(yield* Clock.currentTimeMillis)
  return AnnouncementKind.literals.map((kind): AnnouncementSwitch => ({
    kind,
    on: !off.has(kind),
    minutesThisWeek: Math.round((spokenMs[kind] ?? 0) / 6_000) / 10,
    minutesPerWeekMax: announcementMinutesPerWeek[kind]
  }))
})

export const AnnouncementsHandlers = HttpApiBuilder.group(
  OpsApi,
  "announcements",
  Effect.fnUntraced(function* (handlers) {
    const { slug } = yield* StationFacts
    const station = (yield* Station.client)(slug)
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const page = yield* (yield* Announcements).list({ limit: limitOf(query), cursor: query.cursor ?? null })
        return page === null
          ? yield* unknownCursor
          : { kinds: yield* kinds, announcements: page.records, ...nextCursorOf(page.next) }
      }),
      change: Effect.fnUntraced(function* ({ params, payload }) {
        if (!isKind(params.kind))
          return yield* new NotFound({
            detail: `There is no kind ${params.kind}. Kinds: ${AnnouncementKind.literals.join(", ")}.`
          })
        yield* send(
          station.SwitchAnnouncements({
            kind: params.kind,
            on: payload.on,
            actor: (yield* CurrentOperator).name,
            reason: payload.reason ?? null
          })
        )
        return { kinds: yield* kinds }
      })
    })
  })
)
