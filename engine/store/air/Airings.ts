import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Airing, type AiringState } from "../../../schema/air/Airing.ts"
import { type AiringEvent, applyEvent } from "../../rules/air/Airing.ts"
import { fenced } from "../sql/fenced.ts"
import { at, msText } from "../sql/instants.ts"
import { rows, run } from "../sql/rows.ts"

/** An airing before and after an event. */
export interface Moved {
  readonly before: Airing
  readonly after: Airing
}
const many = rows(Airing)
const idRows = rows(Schema.Struct({ id: Schema.String }))
const columns = `id, subject, state, placement, complete, cut, displacements, reason,
  ${msText("expected_at")} AS expected_at_ms, ${msText("begun_at")} AS begun_at_ms, ${msText("ended_at")} AS ended_at_ms, ${msText("changed_at")} AS changed_at_ms`
/**
 * Airings and their states. Each event is checked by the rules on a locked row. An event that isn't allowed, or from a station that lost the fence,
 * changes nothing.
 */
export class AiringsWriter extends Context.Service<AiringsWriter>()("longwave/engine/store/AiringsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const read = (which: Statement.Fragment, fence: number) =>
      many(sql`SELECT ${sql.literal(columns)} FROM airings WHERE ${which} AND ${fenced(fence)} ORDER BY id FOR UPDATE`)

    const save = Effect.fnUntraced(function* (airing: Airing, atMs: number, fence: number) {
      yield* run(sql`
        UPDATE airings SET state = ${airing.state}, placement = ${airing.placement}, expected_at = ${at(airing.expectedAtMs)}, begun_at = ${at(airing.begunAtMs)},
          ended_at = ${at(airing.endedAtMs)}, complete = ${airing.complete}, cut = ${airing.cut}, displacements = ${airing.displacements}, reason = ${airing.reason},
          changed_at = ${at(airing.changedAtMs)}, updated_at = ${at(atMs)}, fence = ${BigInt(fence)}
        WHERE id = ${airing.id}`)
    })

    const apply = Effect.fnUntraced(function* (found: ReadonlyArray<Airing>, event: AiringEvent, fence: number) {
      const all = found.flatMap((before): ReadonlyArray<Moved> => {
        const after = applyEvent(before, event)
        return after === null ? [] : [{ before, after }]
      })
      for (const { after } of all) yield* save(after, event.atMs, fence)
      return all
    })

    return {
      /** Returns the airings that changed. */
      move: Effect.fnUntraced(
        function* (ids: ReadonlyArray<string>, event: AiringEvent, fence: number) {
          if (ids.length === 0) return []
          return yield* apply(yield* read(sql`id IN ${sql.in(ids)}`, fence), event, fence)
        },
        sql.withTransaction,
        Effect.orDie
      ),
      /** Requeues airings that the rules count as one of `from`, except those in `keep`. */
      reclaim: Effect.fnUntraced(
        function* (keep: ReadonlyArray<string>, from: ReadonlyArray<AiringState>, atMs: number, fence: number) {
          const others = keep.length === 0 ? sql`true` : sql`NOT ${sql.in("id", keep)}`
          const found = yield* read(sql`state IN ${sql.in(from)} AND ${others}`, fence)
          return yield* apply(found, { _tag: "Reclaim", atMs }, fence)
        },
        sql.withTransaction,
        Effect.orDie
      ),
      /** Those of `ids` that are neither waiting nor placed nor on the air. */
      listOver: (ids: ReadonlyArray<string>) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.map(
              idRows(
                sql`SELECT id FROM airings WHERE id IN ${sql.in(ids)} AND state IN ('waiting', 'placed', 'airing')`
              ),
              (found) => ids.filter((id) => !found.some((one) => one.id === id))
            )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Airings extends Context.Service<Airings, Pick<AiringsWriter["Service"], "listOver">>()(
  "longwave/engine/store/Airings"
) {
  static readonly layer = Layer.effect(this, AiringsWriter).pipe(Layer.provideMerge(AiringsWriter.layer))
}
