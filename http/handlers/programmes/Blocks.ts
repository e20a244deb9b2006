import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { WeekSchedule } from "../../../actors/programmes/protocol/WeekSchedule.ts"
import { weekBlock } from "../../../engine/rules/programmes/ScheduleView.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { Block } from "../../../schema/programmes/Block.ts"
import type { ShowId } from "../../../schema/Ids.ts"
import { MissingFields } from "../../../schema/Problems.ts"
import type { BlockDraft, WeekChanged, WeekFit } from "../../../schema/programmes/WeekSchedule.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import type { BlockFields, BlockPatch } from "../../api/programmes/Blocks.ts"
import { msOf } from "../../api/Instants.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { send } from "../../Send.ts"
import { WeekSchedules } from "../../../engine/store/programmes/WeekSchedules.ts"
import { readSeenVersion, withVersion } from "../IfMatch.ts"
import { showsIn, weekSince } from "./Weeks.ts"
import { iso } from "../../../schema/time/Instant.ts"

const minuteOf = (startLocal: string): number => Number(startLocal.slice(0, 2)) * 60 + Number(startLocal.slice(3))
/** Defaults: agents' blocks begin and end on time, the station's own are looser. */
const draftOf = ({
  audience = null,
  clock = null,
  description = "",
  format = null,
  genres = [],
  showId = null,
  startLocal,
  ...block
}: typeof BlockFields.Type): BlockDraft => {
  const planned = block.kind === "show" || block.kind === "collaboration"
  return {
    overrunPolicy: planned ? "trim" : "allow",
    placement: planned ? "hard" : "soft",
    bookable: planned,
    ...block,
    audience,
    clock,
    description,
    format,
    genres,
    showId: showId as ShowId | null,
    startMinute: minuteOf(startLocal)
  }
}
const patchOf = ({ showId, startLocal, ...patch }: typeof BlockPatch.Type): Partial<BlockDraft> => ({
  ...patch,
  ...(showId === undefined ? {} : { showId: showId as ShowId | null }),
  ...(startLocal === undefined ? {} : { startMinute: minuteOf(startLocal) })
})
const nothing = new MissingFields({
  detail: "Send at least one field of the block to change.",
  errors: [{ pointer: "", code: "MISSING_FIELDS", detail: "has no change" }]
})
const viewing = Effect.gen(function* () {
  const { timeZone: timezone } = yield* StationFacts
  const week = yield* weekSince(yield* Clock.currentTimeMillis)
  const shows = yield* showsIn(week)
  return (blocks: ReadonlyArray<Block>) => ({ timezone, blocks: blocks.map(weekBlock(timezone, shows)) })
})
const answer = Effect.fnUntraced(function* ({
  blocks,
  cancelledPlanIds,
  changed,
  laterMs,
  validFromMs,
  version
}: WeekChanged) {
  const view = yield* viewing
  const answer = {
    blocks: view(changed).blocks,
    cancelledPlanIds,
    week: {
      at: iso(validFromMs),
      validFrom: validFromMs === 0 ? null : iso(validFromMs),
      later: laterMs.map(iso),
      ...view(blocks)
    }
  }
  return version === undefined ? answer : yield* withVersion(answer, version)
})
const changeOptionsOf = Effect.fnUntraced(function* (
  headers: { readonly "if-match"?: string },
  asked: {
    readonly fit?: WeekFit
    readonly validFrom?: string
    readonly cancelPlans?: boolean
    readonly reason?: string | null
  }
) {
  const { cancelPlans = false, fit = "exact", reason = null, validFrom } = asked
  return {
    fit,
    cancelPlans,
    validFromMs: validFrom === undefined ? null : msOf(validFrom),
    actor: (yield* CurrentOperator).name,
    reason,
    seen: yield* readSeenVersion(headers)
  }
})
export const BlocksHandlers = HttpApiBuilder.group(
  OpsApi,
  "blocks",
  Effect.fnUntraced(function* (handlers) {
    const weekSchedule = (yield* WeekSchedule.client)((yield* StationFacts).slug)
    return handlers.handleAll({
      week: Effect.fnUntraced(function* ({ query }) {
        const atMs = query.at === undefined ? yield* Clock.currentTimeMillis : msOf(query.at)
        // Read first: a change in between makes the version too old, never too new.
        const version = yield* (yield* WeekSchedules).version
        const [inForce, ...later] = yield* weekSince(atMs)
        const { blocks, validFromMs } = inForce!
        return yield* withVersion(
          {
            week: {
              at: iso(atMs),
              validFrom: validFromMs === 0 ? null : iso(validFromMs),
              later: later.map((each) => iso(each.validFromMs)),
              ...(yield* viewing)(blocks)
            }
          },
          version
        )
      }),
      put: Effect.fnUntraced(function* ({ headers, payload }) {
        const change = { _tag: "Put" as const, blocks: payload.blocks.map(draftOf), replaces: payload.replaces ?? [] }
        return yield* answer(
          yield* send(weekSchedule.ChangeWeek({ change, ...(yield* changeOptionsOf(headers, payload)) }))
        )
      }),
      change: Effect.fnUntraced(function* ({
        headers,
        params,
        payload: { cancelPlans, fit, reason, validFrom, ...patch }
      }) {
        if (Object.keys(patch).length === 0) return yield* nothing
        const asked = {
          ...(cancelPlans === undefined ? {} : { cancelPlans }),
          ...(fit === undefined ? {} : { fit }),
          ...(reason === undefined ? {} : { reason }),
          ...(validFrom === undefined ? {} : { validFrom })
        }
        return yield* answer(
          yield* send(
            weekSchedule.ChangeWeek({
              change: { _tag: "Change", id: params.id, to: patchOf(patch) },
              ...(yield* changeOptionsOf(headers, asked))
            })
          )
        )
      }),
      remove: Effect.fnUntraced(function* ({ headers, params, query: { cancelPlans, ...query } }) {
        return yield* answer(
          yield* send(
            weekSchedule.ChangeWeek({
              change: { _tag: "Remove", id: params.id },
              ...(yield* changeOptionsOf(headers, { ...query, cancelPlans: cancelPlans === "true" }))
            })
          )
        )
      })
    })
  })
)
