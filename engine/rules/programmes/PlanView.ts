import { Plan, type PlanRecord } from "../../../schema/programmes/Plan.ts"
import { iso } from "../../../schema/time/Instant.ts"

/** A plan as its agent sees it. */
export const planView = (record: PlanRecord, leadMin: number): Plan => {
  const {
    airedAtMs: _,
    airedItems: __,
    createdAtMs,
    endMs,
    musicToComeSec: ___,
    startMs,
    submissions: ____,
    updatedAtMs,
    ...rest
  } = record
  return new Plan({
    ...rest,
    occurrenceStart: iso(startMs),
    occurrenceEnd: iso(endMs),
    editableUntil: iso(startMs - leadMin * 60_000),
    createdAt: iso(createdAtMs),
    updatedAt: iso(updatedAtMs)
  })
}
