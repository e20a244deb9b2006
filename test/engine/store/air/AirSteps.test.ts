import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { airStepsKept } from "../../../../engine/rules/air/limits.ts"
import { AirStepsWriter } from "../../../../engine/store/air/AirSteps.ts"
import { ScriptLine, ScriptState } from "../../../../schema/air/AirScript.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

const state = new ScriptState({
  plan: null,
  library: [],
  emergency: null,
  live: null,
  current: null,
  discontinuities: { aac128: 0, aac64: 0 }
})
const line = (number: number) =>
  new ScriptLine({ owner: "a", number, step: { _tag: "Taken", atSample: number * 48_000 }, state })

layer(AirStepsWriter.layer.pipe(Layer.provideMerge(TestPostgres)))("the steps of the air", (it) => {
  it.effect("end with the newest, however many there were: a process that follows begins with it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const steps = yield* AirStepsWriter
      yield* sql`INSERT INTO stations (id, slug, fence, air_owner) VALUES ('s', 's', 1, 'a')`
      for (let number = 1; number <= airStepsKept + 5; number++) {
        expect(yield* steps.add(line(number))).toBe(true)
        expect((yield* steps.listAfter(0)).at(-1)!.line.number).toBe(number)
      }
      const kept = yield* steps.listAfter(0)
      expect(kept.map((each) => each.line.number)).toEqual(Array.from({ length: airStepsKept }, (_, n) => n + 6))
      expect(yield* steps.listAfter(kept.at(-1)!.seq)).toEqual([])
    })
  )
})
