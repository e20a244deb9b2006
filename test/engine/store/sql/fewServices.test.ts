import { expect, it } from "@effect/vitest"
import { Clock, Context, Effect } from "effect"
import { withFewServices } from "../../../../engine/store/sql/fewServices.ts"

class Ours extends Context.Service<Ours, string>()("test/Ours") {}
class Added extends Context.Service<Added, string>()("test/Added") {}

it.effect("work keeps the services of its caller and gets what is added, while few are seen around it", () =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const seen: Array<string | undefined> = []
    const done = yield* withFewServices(
      Effect.all([Ours, Effect.map(Effect.context<never>(), (all) => Context.getOrUndefined(all, Added as never))]),
      (work) =>
        Effect.gen(function* () {
          const around = (yield* Effect.context<never>()) as Context.Context<unknown>
          seen.push(Context.getOrUndefined(around, Ours as never))
          expect(yield* Clock.Clock).toBe(clock)
          return yield* Effect.provideService(work, Added, "added")
        })
    )
    expect(done).toEqual(["ours", "added"])
    expect(seen).toEqual([undefined])
    // Nothing of it stays behind.
    expect(yield* Ours).toBe("ours")
    expect(Context.getOrUndefined(yield* Effect.context<never>(), Added as never)).toBeUndefined()
  }).pipe(Effect.provideService(Ours, "ours"))
)
