import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { expect } from "vitest"
import { IdentityKeys } from "../../../../actors/agents/IdentityKeys.ts"
import { Keys } from "../../../../engine/runtime/Keys.ts"
import { SigningKeys } from "../../../../engine/store/agents/SigningKeys.ts"
import { TestConfig } from "../../../support/agents/OnboardingWorld.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

const dayMs = 86_400_000
const under = (given: Record<string, string> = {}) =>
  Layer.fresh(IdentityKeys.layer).pipe(Layer.provide(Layer.fresh(Keys.layer).pipe(Layer.provide(TestConfig(given)))))
/** The station's first start is at time zero; each test continues after the previous one. */
const kidAt = (days: number) =>
  Effect.flatMap(IdentityKeys, (keys) => Effect.map(keys.findSigning(days * dayMs), ({ kid }) => kid))
const published = Effect.flatMap(SigningKeys, ({ all }) => Effect.map(all, (keys) => keys.map(({ kid }) => kid)))

layer(under().pipe(Layer.provideMerge(SigningKeys.layer), Layer.provideMerge(TestPostgres)))(
  "the keys of identity tokens",
  (it) => {
    it.effect("sign for ninety days, and stay published during the next two", () =>
      Effect.gen(function* () {
        const [first] = yield* published
        expect([yield* kidAt(0), yield* kidAt(89.9)]).toEqual([first, first])
        const second = yield* kidAt(90)
        expect(second).not.toBe(first)
        expect([yield* kidAt(179), yield* published]).toEqual([second, [second, first]])
        // A listener's token that it signed on its last day is valid for another 180 days.
        const third = yield* kidAt(180)
        expect(yield* published).toEqual([third, second, first])
        const fourth = yield* kidAt(270)
        expect(yield* published).toEqual([fourth, third, second])
      })
    )

    it.effect("rotate once for simultaneous requests", () =>
      Effect.gen(function* () {
        const before = yield* published
        const kids = new Set(
          yield* Effect.forEach(Array.from({ length: 30 }), () => kidAt(360), { concurrency: "unbounded" })
        )
        expect(kids.size).toBe(1)
        expect(yield* published).toEqual([...kids, before[0], before[1]])
      })
    )

    it.effect("are stored sealed, and replaced if the sealing key is lost", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ privateSealed: string }>`SELECT private_sealed FROM signing_keys`
        expect(
          rows.filter(
            ({ privateSealed }) =>
              /PRIVATE|MC4CAQ/.test(privateSealed) ||
              /PRIVATE/.test(Buffer.from(privateSealed, "base64url").toString("latin1"))
          )
        ).toEqual([])
        const [before] = yield* published
        const after = yield* Effect.provide(kidAt(0), under({ MASTER_KEY: randomBytes(32).toString("base64") }))
        expect(after).not.toBe(before)
        expect((yield* published).slice(0, 2)).toEqual([after, before])
      })
    )
  }
)
