import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { MailboxFull, makeMailbox } from "../../actors/Mailbox.ts"

describe("a mailbox", () => {
  it.effect("refuses what it has no room for, at once and so that the sender knows to come again, and serves the rest in order", () => Effect.gen(function*() {
    const box = yield* makeMailbox("test", 3)
    const gate = yield* Deferred.make<void>()
    const served: Array<number> = []
    const step = (n: number) => Effect.andThen(Deferred.await(gate), Effect.sync(() => served.push(n)))
    const asked = yield* Effect.forEach([1, 2, 3], (n) => Effect.forkChild(box.ask(step(n)), { startImmediately: true }))
    const refused = yield* Effect.exit(box.ask(step(4)))
    expect(Exit.isFailure(refused) && Cause.squash(refused.cause)).toBeInstanceOf(MailboxFull)
    expect(yield* box.tell(step(5))).toBe(false)
    const serving = yield* Effect.forkChild(box.serve)
    yield* Deferred.succeed(gate, undefined)
    yield* Effect.forEach(asked, Fiber.join)
    expect(served).toEqual([1, 2, 3])
    expect(yield* box.ask(Effect.succeed("served again"))).toBe("served again")
    yield* Fiber.interrupt(serving)
  }))
})
