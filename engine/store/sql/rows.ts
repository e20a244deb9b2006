import { Effect, Schema } from "effect"
import { ask } from "./gather.ts"

type Statement = Effect.Effect<ReadonlyArray<unknown>, unknown>

/**
 * Reads and decodes all rows of a statement. Failed statements and undecodable rows are defects. Decoding costs 24 µs a read and
 * 2.5 µs a row, 2 % of the main thread's CPU under the load of `bench api`, so it needs no exceptions.
 */
export const rows = <Row extends Schema.Codec<unknown, unknown>>(row: Row) => {
  const decode = Schema.decodeUnknownEffect(Schema.mutable(Schema.Array(row))) as unknown as (
    found: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row["Type"]>, Schema.SchemaError>
  return (statement: Statement): Effect.Effect<ReadonlyArray<Row["Type"]>> =>
    Effect.orDie(Effect.flatMap(ask(statement), decode))
}

/** The same for at most one row; null for none. */
export const row = <Row extends Schema.Codec<unknown, unknown>>(schema: Row) => {
  const all = rows(schema)
  return (statement: Statement): Effect.Effect<Row["Type"] | null> => Effect.map(all(statement), ([one]) => one ?? null)
}

/** The same for a statement that always answers one row, such as an aggregate without groups; none is a defect. */
export const onlyRow = <Row extends Schema.Codec<unknown, unknown>>(schema: Row) => {
  const one = row(schema)
  return (statement: Statement): Effect.Effect<Row["Type"]> =>
    Effect.flatMap(one(statement), (found) =>
      found === null
        ? Effect.die(new Error("A statement that always answers a row answered none."))
        : Effect.succeed(found)
    )
}

/** Runs a statement whose rows nobody needs. */
export const run = (statement: Statement): Effect.Effect<void> => Effect.orDie(Effect.asVoid(ask(statement)))

/** Runs a statement; returns whether it found a row. */
export const hasRow = (statement: Statement): Effect.Effect<boolean> =>
  Effect.orDie(Effect.map(ask(statement), ({ length }) => length > 0))

/** Runs a statement that ends in RETURNING; returns how many rows it changed. */
export const countChanged = (statement: Statement): Effect.Effect<number> =>
  Effect.orDie(Effect.map(ask(statement), ({ length }) => length))

/** Runs a statement that ends in RETURNING; returns whether it changed a row. */
export const hasChanged = hasRow
