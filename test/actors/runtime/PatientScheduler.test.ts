import { Effect, Scheduler } from "effect"
import { expect, it } from "vitest"
import { PatientScheduler } from "../../../actors/runtime/PatientScheduler.ts"
import { backgroundSliceMs } from "../../../engine/rules/runtime/limits.ts"

const work = () => {
  for (const untilMs = performance.now() + 2 * backgroundSliceMs; performance.now() < untilMs;);
}

it("lets others have their turn between pieces of background work, and does all of it in order", async () => {
  const done: Array<string> = []
  const background = Effect.forEach(
    ["first", "second", "third"],
    (name) =>
      Effect.forkChild(
        Effect.sync(() => {
          work()
          done.push(name)
          // A request that arrives meanwhile.
          if (name === "first") setImmediate(() => done.push("a request"))
        })
      ),
    { discard: true }
  ).pipe(
    Effect.andThen(Effect.yieldNow),
    Effect.andThen(Effect.sync(() => done.push("the end"))),
    Effect.provideService(Scheduler.Scheduler, new PatientScheduler())
  )
  await Effect.runPromise(background)
  expect(done).toEqual(["first", "a request", "second", "third", "the end"])
})

it("runs all of it at once where an effect is run synchronously", () => {
  const scheduler = new PatientScheduler()
  const done: Array<number> = []
  scheduler.scheduleTask(() => {
    done.push(1)
    scheduler.scheduleTask(() => done.push(2))
  })
  scheduler.flush()
  expect(done).toEqual([1, 2])
})
