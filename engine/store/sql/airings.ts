import { Statement } from "effect/sql"
import type { AiringState, AiringSubject } from "../../../schema/air/Airing.ts"
import { airingStep, airingStepFrom } from "../../rules/air/Airing.ts"
import { segmentStatus } from "../../rules/segments/Segment.ts"
import { at } from "./instants.ts"

const text = Statement.literal
const list = (values: ReadonlyArray<string>): string => values.map((value) => `'${value}'`).join(", ")

/** SQL text that maps a state by a table of the rules. */
export const caseOf = (column: string, names: { readonly [State in AiringState]?: string }): string =>
  `CASE ${column} ${Object.entries(names)
    .map(([state, name]) => `WHEN '${state}' THEN '${name}'`)
    .join(" ")} END`

/** SQL text of the condition that a state maps to one of these names. */
export const stateIn = (
  column: string,
  names: { readonly [State in AiringState]?: string },
  wanted: ReadonlyArray<string>
): string => {
  const states = Object.entries(names).flatMap(([state, name]) => (wanted.includes(name) ? [state] : []))
  return states.length === 0 ? "false" : `${column} IN (${list(states)})`
}

/** SQL text of the current status of a segment `s` with its airing `air`. */
export const segmentStatusNow = `CASE s.status WHEN 'queued' THEN coalesce(${caseOf("air.state", segmentStatus)}, 'queued') ELSE s.status END`
/** SQL text: segments `s` joined to their airings `air`. A segment never cleared for airing has none. */
export const segmentsAndAirings = "segments s LEFT JOIN airings air ON air.id = s.id"

/**
 * Queues the airing of everything named `made (id, subject_id)`; withdrawn ones are queued again. Part of the statement that clears the subject, so
 * that both change together.
 */
export const offer = (
  subject: AiringSubject,
  from: string,
  atMs: number,
  reason: string | null = null
): Statement.Fragment =>
  Statement.fragment([
    text(
      `INSERT INTO airings (id, subject, subject_id, state, reason, changed_at, updated_at) SELECT id, '${subject}', subject_id, 'waiting', `
    ),
    Statement.parameter(reason),
    text("::text, "),
    ...at(atMs).segments,
    text(", "),
    ...at(atMs).segments,
    text(` FROM ${from} ON CONFLICT (id) DO UPDATE SET state = 'waiting', placement = NULL, expected_at = NULL, begun_at = NULL, reason = excluded.reason,
      changed_at = excluded.changed_at, updated_at = excluded.updated_at
      WHERE airings.state IN (${list(airingStepFrom(subject, "Offer"))}) RETURNING airings.id`)
  ])

/** Hides an airing that has begun. Once hidden, it isn't repeated after a cut. Ends in RETURNING the id. */
export const hideAiring = (id: string, isHidden: boolean, atMs: number): Statement.Fragment =>
  Statement.fragment([
    text(`UPDATE airings SET cut = cut OR ${isHidden}, updated_at = `),
    ...at(atMs).segments,
    text(" WHERE id = "),
    Statement.parameter(id),
    text(" AND state IN ('airing', 'aired') RETURNING airings.id")
  ])

/** Ends airings like another one, such as the turns of a panel. */
export const shareAiring = (
  from: string,
  {
    airedAtMs,
    atMs,
    complete,
    reason,
    state
  }: {
    readonly state: AiringState
    readonly airedAtMs: number | null
    readonly complete: boolean | null
    readonly reason: string | null
    readonly atMs: number
  }
): Statement.Fragment =>
  Statement.fragment([
    text(`UPDATE airings SET state = '${state}', complete = ${complete}, reason = `),
    Statement.parameter(reason),
    text(", begun_at = "),
    ...at(airedAtMs).segments,
    text(", changed_at = "),
    ...at(atMs).segments,
    text(", updated_at = "),
    ...at(atMs).segments,
    text(` WHERE id IN (SELECT id FROM ${from})`)
  ])

/** Withdraws an airing from the queue or the rundown after a decision on its subject; the rules decide from which states. Ends in RETURNING the id. */
export const endAiring = (
  subject: AiringSubject,
  step: "Withdraw" | "Expire",
  which: Statement.Fragment,
  reason: string | null,
  atMs: number
): Statement.Fragment => {
  const from = airingStepFrom(subject, step)
  const to = airingStep(subject, from[0]!, step)!
  return Statement.fragment([
    text(`UPDATE airings SET state = '${to}', placement = NULL, expected_at = NULL, begun_at = NULL, reason = `),
    ...(reason === null ? [text(step === "Expire" ? "reason" : "NULL")] : [Statement.parameter(reason)]),
    text(", changed_at = "),
    ...at(atMs).segments,
    text(", updated_at = "),
    ...at(atMs).segments,
    text(` WHERE subject = '${subject}' AND state IN (${list(from)}) AND `),
    ...which.segments,
    text(" RETURNING airings.id")
  ])
}

/** Deletes the airings that a query names, with their subjects in one statement. */
export const removeAirings = (subject: AiringSubject, ids: Statement.Fragment): Statement.Fragment =>
  Statement.fragment([text(`DELETE FROM airings WHERE subject = '${subject}' AND id IN (`), ...ids.segments, text(")")])
