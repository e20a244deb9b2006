import { Context, Deferred, Effect, Exit } from "effect"
import { type SqlClient, type SqlConnection, type SqlError, Statement } from "effect/sql"
import { joinedPartsMax } from "../../rules/runtime/limits.ts"
import { transactionOf } from "./afterCommit.ts"
import { Changes, type Facts, factsOf } from "./Changes.ts"
import { renameColumns } from "./columnNames.ts"

interface Asked {
  readonly statement: Statement.Statement<unknown>
  readonly facts: Facts
  readonly answer: Deferred.Deferred<ReadonlyArray<unknown>, SqlError.SqlError>
}
interface Gathering {
  readonly sql: SqlClient.SqlClient
  /** Statements of a transaction only go together with others of the same one; undefined outside of any. */
  readonly transaction: unknown
  pending: Array<Asked> | null
}
const CurrentGathering = Context.Reference<Gathering | null>("longwave/engine/store/CurrentGathering", {
  defaultValue: () => null
})

/**
 * Sends the statements that the work asks for at the same time, with `concurrency: "unbounded"`, to the database as one: its reads, and in a
 * transaction also its writes. One wait and one plan instead of ten take a fraction of the CPU. Statements that go together don't see each
 * other's changes, and two of them must not change the same row.
 */
export const gatherStatements =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) =>
      Effect.provideService(work, CurrentGathering, {
        sql,
        transaction: transactionOf(sql, fiber.context),
        pending: null
      })
    )

/** Joins several statements to one. */
const join = (sql: SqlClient.SqlClient, asked: ReadonlyArray<Asked>): Statement.Statement<SqlConnection.Row> => {
  const writes = asked.flatMap(({ facts, statement }, index) =>
    facts.kind === "read" ? [] : [sql`${sql.literal(`w${index}`)} AS (${statement})`]
  )
  // Its answer has no columns: a transaction goes on without waiting for it.
  if (asked.every(({ facts }) => facts.kind === "write" && !facts.answersRows))
    return sql`WITH ${sql.csv(writes)} SELECT`
  const parts = asked.map(({ facts, statement }, index) => {
    const rows =
      facts.kind === "read"
        ? sql`(SELECT coalesce(json_agg(r), '[]') FROM (${statement}) r)`
        : sql.literal(facts.answersRows ? `(SELECT coalesce(json_agg(r), '[]') FROM w${index} r)` : "'[]'::json")
    return sql`${rows} AS ${sql.literal(`q${index}`)}`
  })
  return writes.length === 0 ? sql`SELECT ${sql.csv(parts)}` : sql`WITH ${sql.csv(writes)} SELECT ${sql.csv(parts)}`
}

/** A cache of joined texts, by the facts of each statement and the lengths of its lists. Joining them anew takes a tenth of a private read. */
interface Joined {
  readonly next: Map<Facts | number, Joined>
  text: string | null
}
const joined: Joined = { next: new Map(), text: null }
let joinedCount = 0

/** The statement of `join`, with its text from the cache. The parameters are in the order of that text: first those of the writes. */
const joinCached = (sql: SqlClient.SqlClient, asked: ReadonlyArray<Asked>): Statement.Statement<SqlConnection.Row> => {
  if (joinedCount > joinedPartsMax) {
    joined.next.clear()
    joinedCount = 0
  }
  let at = joined
  const follow = (key: Facts | number) => {
    let next = at.next.get(key)
    if (next === undefined) {
      at.next.set(key, (next = { next: new Map(), text: null }))
      joinedCount++
    }
    at = next
  }
  const [reads, writes]: [Array<unknown>, Array<unknown>] = [[], []]
  for (const { facts, statement } of asked) {
    follow(facts)
    const parameters = facts.kind === "read" ? reads : writes
    for (const segment of statement.segments)
      switch (segment._tag) {
        case "Identifier":
          break
        case "Parameter":
          parameters.push(segment.value)
          break
        case "ArrayHelper":
          follow(segment.value.length)
          parameters.push(...segment.value)
          break
        default:
          if (segment._tag !== "Literal" || segment.params !== undefined) return join(sql, asked)
      }
  }
  return sql.unsafe((at.text ??= join(sql, asked).compile()[0]), [...writes, ...reads])
}

/** Rows come as JSON: a statement that selects times or bytes must give them as numbers or text, as all of ours do. */
const askTogether = (
  { sql }: Gathering,
  asked: ReadonlyArray<Asked>
): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError> =>
  asked.length === 1
    ? Effect.map(asked[0]!.statement, (rows) => [rows])
    : Effect.map(joinCached(sql, asked), ([all]) =>
        asked.map((_, index) => renameColumns((all?.[`q${index}`] ?? []) as ReadonlyArray<Record<string, unknown>>))
      )

/** The rows of a statement: alone, or gathered with those that are asked for at the same time. */
export const ask = <E>(
  statement: Effect.Effect<ReadonlyArray<unknown>, E>
): Effect.Effect<ReadonlyArray<unknown>, E | SqlError.SqlError> =>
  Effect.withFiber<ReadonlyArray<unknown>, E | SqlError.SqlError>((fiber) => {
    if (!Statement.isFragment(statement)) return statement
    const facts = factsOf(statement)
    const { changes, kind } = facts
    const gathering = fiber.getRef(CurrentGathering)
    const transaction = gathering === null ? undefined : transactionOf(gathering.sql, fiber.context)
    if (changes !== null && transaction === undefined) {
      const log = fiber.getRef(Changes)
      return Effect.tap(statement as Effect.Effect<ReadonlyArray<unknown>, E>, () =>
        Effect.sync(() => log.note(changes))
      )
    }
    if (gathering === null || kind === null || gathering.transaction !== transaction) return statement
    const mine: Asked = {
      statement: statement as unknown as Statement.Statement<unknown>,
      facts,
      answer: Deferred.makeUnsafe()
    }
    if (gathering.pending !== null) {
      gathering.pending.push(mine)
      return Deferred.await(mine.answer)
    }
    const pending = (gathering.pending = [mine])
    // The first to ask waits one turn for the others, and asks for all.
    return Effect.andThen(
      Effect.yieldNow,
      Effect.suspend(() => {
        gathering.pending = null
        return askTogether(gathering, pending)
      })
    ).pipe(
      Effect.onExit((exit) => {
        if (gathering.pending === pending) gathering.pending = null
        for (const [index, { answer }] of pending.entries())
          Deferred.doneUnsafe(
            answer,
            Exit.map(exit, (all) => all[index]!)
          )
        return Effect.void
      }),
      Effect.map(([rows]) => rows!)
    )
  })
