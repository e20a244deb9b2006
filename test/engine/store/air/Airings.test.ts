import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import type { AiringEvent } from "../../../../engine/rules/air/Airing.ts"
import { Airings, AiringsWriter } from "../../../../engine/store/air/Airings.ts"
import { AiringSubject } from "../../../../schema/air/Airing.ts"
import { testId } from "../../../support/air/Airables.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

const t = 1_790_000_000_000
const events: ReadonlyArray<readonly [string, AiringEvent]> = [
  ["placed", { _tag: "Place", placement: testId("itm", 1), expectedAtMs: t, atMs: t }],
  ["waiting", { _tag: "Displace", reason: "DISPLACED", atMs: t }],
  ["placed", { _tag: "Place", placement: testId("itm", 2), expectedAtMs: t, atMs: t }],
  ["airing", { _tag: "Begin", atMs: t }],
  [
    "aired",
    {
      _tag: "End",
      atMs: t,
      heard: { sinceMs: t, endedAtMs: t + 9_000, heardMs: 9_000, lengthMs: 9_000, complete: true }
    }
  ]
]

layer(Airings.layer.pipe(Layer.provideMerge(TestPostgres)), { excludeTestServices: true })("airings", (it) => {
  for (const [by, rowFence] of [
    ["has written the row", 31],
    ["has touched nothing yet", 30]
  ] as const)
    it.effect(`are moved by nobody who lost the air, whatever they are of, where the next owner ${by}`, () =>
      Effect.gen(function* () {
        const airings = yield* AiringsWriter
        const sql = yield* SqlClient.SqlClient
        if (rowFence === 30) yield* sql`INSERT INTO stations (id, slug, fence) VALUES ('s', 's', 31)`
        for (const subject of AiringSubject.literals.filter((one) => one !== "segment")) {
          const id = `${subject}_${rowFence}`
          yield* sql`INSERT INTO airings (id, subject, subject_id, state, changed_at, updated_at, fence) VALUES (${id}, ${subject}, ${id}, 'waiting', now(), now(), ${BigInt(rowFence)})`
          const state = Effect.map(
            sql<{ state: string }>`SELECT state FROM airings WHERE id = ${id}`,
            (rows) => rows[0]!.state
          )
          for (const [next, event] of events) {
            const before = yield* state
            expect([yield* airings.move([id], event, 30), yield* state], `${subject} ${event._tag}`).toEqual([
              [],
              before
            ])
            if (before === "placed") {
              yield* airings.reclaim([], ["placed"], t, 30)
              expect(yield* state).toBe("placed")
            }
            expect(yield* airings.move([id], event, 31)).toHaveLength(1)
            expect(yield* state).toBe(next)
          }
        }
        yield* sql`DELETE FROM stations`
      })
    )
})
