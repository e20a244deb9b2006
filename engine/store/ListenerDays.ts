import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Voter } from "./TrackVotes.ts"

/** What somebody did on a day, or ever. */
export interface Deeds {
  readonly minutes: number
  readonly votes: number
  readonly requests: number
  readonly writeIns: number
  readonly callIns: number
  readonly reactions: number
  readonly others: number
}

const dayMs = 86_400_000
const columns: { readonly [Deed in keyof Deeds]: string } = {
  minutes: "minutes", votes: "votes", requests: "requests", writeIns: "write_ins", callIns: "call_ins", reactions: "reactions", others: "others"
}

/** What listeners do, by UTC day. It belongs to the account, where there is one. */
export class ListenerDays extends Context.Service<ListenerDays, {
  /** Counts one more, in the transaction in which it is done. */
  readonly count: (who: Voter, deed: keyof Deeds, atMs: number) => Effect.Effect<void>
  readonly of: (who: string, day: number) => Effect.Effect<Deeds | null>
  /** The days with so many minutes, as numbers. */
  readonly listened: (who: string, minutesMin: number) => Effect.Effect<ReadonlyArray<number>>
  readonly totals: (who: string) => Effect.Effect<Deeds>
  /** Newest first. */
  readonly history: (who: string, fromDay: number) => Effect.Effect<ReadonlyArray<Deeds & { readonly day: number }>>
  /** The days of a listener become those of an account; a day has no more minutes for it. */
  readonly merge: (who: Voter) => Effect.Effect<void>
}>()("longwave/engine/store/ListenerDays") {
  static readonly layer = Layer.effect(ListenerDays, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const names = Object.values(columns)
    const figures = sql.literal(names.join(", "))
    const date = (day: number) => sql`(to_timestamp(${day * dayMs}::float8 / 1000) AT TIME ZONE 'UTC')::date`
    const dayOf = sql.literal("(day - date '1970-01-01') AS day")
    return ListenerDays.of({
      count: ({ humanId, listenerId }, deed, atMs) => {
        const column = sql.literal(columns[deed])
        return Effect.orDie(Effect.asVoid(sql`
          INSERT INTO listener_days (listener_id, human_id, day, ${column}) VALUES (${humanId === null ? listenerId : null}, ${humanId}, ${date(Math.floor(atMs / dayMs))}, 1)
          ON CONFLICT (who, day) DO UPDATE SET ${column} = listener_days.${column} + 1`))
      },
      of: (who, day) => Effect.orDie(Effect.map(sql<Deeds>`SELECT ${figures} FROM listener_days WHERE who = ${who} AND day = ${date(day)}`, (rows) => rows[0] ?? null)),
      listened: (who, minutesMin) => Effect.orDie(Effect.map(sql<{ day: number }>`
        SELECT ${dayOf} FROM listener_days WHERE who = ${who} AND minutes >= ${minutesMin}`, (rows) => rows.map(({ day }) => day))),
      totals: (who) => Effect.orDie(Effect.map(sql<Deeds>`
        SELECT ${sql.literal(names.map((name) => `coalesce(sum(${name}), 0)::int AS ${name}`).join(", "))} FROM listener_days WHERE who = ${who}`, ([row]) => row!)),
      history: (who, fromDay) => Effect.orDie(sql<Deeds & { readonly day: number }>`
        SELECT ${dayOf}, ${figures} FROM listener_days d WHERE who = ${who} AND d.day >= ${date(fromDay)} ORDER BY d.day DESC`),
      merge: ({ humanId, listenerId }) => Effect.orDie(Effect.gen(function*() {
        const sums = sql.literal(names.map((name) => name === "minutes" ? "minutes = least(1440, listener_days.minutes + excluded.minutes)" : `${name} = listener_days.${name} + excluded.${name}`).join(", "))
        yield* sql`
          INSERT INTO listener_days (human_id, day, ${figures}) SELECT ${humanId}, day, ${figures} FROM listener_days WHERE who = ${listenerId}
          ON CONFLICT (who, day) DO UPDATE SET ${sums}`
        yield* sql`DELETE FROM listener_days WHERE who = ${listenerId}`
      }))
    })
  }))
}
