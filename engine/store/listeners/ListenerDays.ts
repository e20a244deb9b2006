import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Voter } from "../music/TrackVotes.ts"
import { at } from "../sql/instants.ts"
import { row, rows, run } from "../sql/rows.ts"

/** A listener's activity on one day, or in total. */
const Deeds = Schema.Struct({
  minutes: Schema.Int,
  votes: Schema.Int,
  requests: Schema.Int,
  writeIns: Schema.Int,
  callIns: Schema.Int,
  reactions: Schema.Int,
  others: Schema.Int
})
export type Deeds = typeof Deeds.Type

const deeds = row(Deeds)
const days = rows(Schema.Struct({ day: Schema.Int }))
const deedsByDay = rows(Schema.Struct({ ...Deeds.fields, day: Schema.Int }))

const dayMs = 86_400_000
const columns: { readonly [Deed in keyof Deeds]: string } = {
  minutes: "minutes",
  votes: "votes",
  requests: "requests",
  writeIns: "write_ins",
  callIns: "call_ins",
  reactions: "reactions",
  others: "others"
}

/** Activity of listeners by UTC day. It belongs to the account if there is one. */
export class ListenerDaysWriter extends Context.Service<ListenerDaysWriter>()(
  "longwave/engine/store/ListenerDaysWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const names = Object.values(columns)
      const figures = sql.literal(names.join(", "))
      const date = (day: number) => sql`(${at(day * dayMs)} AT TIME ZONE 'UTC')::date`
      const dayOf = sql.literal("(day - date '1970-01-01') AS day")
      return {
        /** Adds one to a counter, in the transaction of the counted action. */
        count: ({ humanId, listenerId }: Voter, deed: keyof Deeds, atMs: number) => {
          const column = sql.literal(columns[deed])
          return run(sql`
          INSERT INTO listener_days (listener_id, human_id, day, ${column}) VALUES (${humanId === null ? listenerId : null}, ${humanId}, ${date(Math.floor(atMs / dayMs))}, 1)
          ON CONFLICT (who, day) DO UPDATE SET ${column} = listener_days.${column} + 1`)
        },
        find: (who: string, day: number) =>
          deeds(sql`SELECT ${figures} FROM listener_days WHERE who = ${who} AND day = ${date(day)}`),
        /** The days with at least so many minutes, as day numbers. */
        listDaysListened: (who: string, minutesMin: number) =>
          Effect.map(
            days(sql`
        SELECT ${dayOf} FROM listener_days WHERE who = ${who} AND minutes >= ${minutesMin}`),
            (found) => found.map(({ day }) => day)
          ),
        totals: (who: string) =>
          Effect.map(
            deeds(sql`
        SELECT ${sql.literal(names.map((name) => `coalesce(sum(${name}), 0)::int AS ${name}`).join(", "))} FROM listener_days WHERE who = ${who}`),
            (sums) => sums!
          ),
        /** Newest first. */
        history: (who: string, fromDay: number) =>
          deedsByDay(sql`
        SELECT ${dayOf}, ${figures} FROM listener_days d WHERE who = ${who} AND d.day >= ${date(fromDay)} ORDER BY d.day DESC`),
        /** Moves a listener's days to an account. A day's minutes don't exceed its length. */
        merge: Effect.fnUntraced(function* ({ humanId, listenerId }: Voter) {
          const sums = sql.literal(
            names
              .map((name) =>
                name === "minutes"
                  ? "minutes = least(1440, listener_days.minutes + excluded.minutes)"
                  : `${name} = listener_days.${name} + excluded.${name}`
              )
              .join(", ")
          )
          yield* run(sql`
          INSERT INTO listener_days (human_id, day, ${figures}) SELECT ${humanId}, day, ${figures} FROM listener_days WHERE who = ${listenerId}
          ON CONFLICT (who, day) DO UPDATE SET ${sums}`)
          yield* run(sql`DELETE FROM listener_days WHERE who = ${listenerId}`)
        })
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class ListenerDays extends Context.Service<
  ListenerDays,
  Pick<ListenerDaysWriter["Service"], "find" | "listDaysListened" | "totals" | "history">
>()("longwave/engine/store/ListenerDays") {
  static readonly layer = Layer.effect(this, ListenerDaysWriter).pipe(Layer.provideMerge(ListenerDaysWriter.layer))
}
