import { Context, Effect, Exit, Fiber, Latch, Layer, Option } from "effect"
import { CurrentAirOwnership, LeasedAir } from "../../engine/ports/AirOwnership.ts"
import {
  airBeatMs,
  airLeaseLookMs,
  airLeaseMs,
  airLeasePatienceMs,
  airLeaseRenewMs,
  stationEndMs
} from "../../engine/rules/air/limits.ts"
import type { ClusterSettings } from "../../engine/runtime/Config.ts"
import { type AirHolder, AirLease } from "../../engine/store/air/AirLease.ts"
import type { AirHandover } from "./AirHandover.ts"

/**
 * Holds the lease of the air for one of several processes, or waits for it. An owner that is cut off from the store keeps what it has: it can't tell a
 * dead store from its own cut. An owner that wakes from a freeze holds nothing until it has looked.
 */
export class AirHolding extends Context.Service<
  AirHolding,
  {
    readonly ownership: LeasedAir
    /** Who held the air at the last look. */
    readonly holder: () => AirHolder | null
    /** Where the station actor runs, or will run: with the holder of the air, and nowhere while this process gives the air back. */
    readonly stationOwner: () => string | null
    /** Notes that the station actor runs in this process, or has ended here. */
    readonly noteStation: (isHere: boolean) => void
    readonly handOver: AirHandover["Service"]["handOver"]
  }
>()("longwave/actors/AirHolding") {
  static readonly layer = (cluster: ClusterSettings) =>
    Layer.effect(
      AirHolding,
      Effect.gen(function* () {
        const lease = yield* AirLease
        const current = yield* CurrentAirOwnership
        const ownership = current instanceof LeasedAir ? current : new LeasedAir(airLeaseMs, () => performance.now())
        let holder: AirHolder | null = null
        const stationEnded = Latch.makeUnsafe(true)
        /** The station actor ends here, for good. */
        let isLeaving = false
        /** The air is given back, for good. */
        let hasLeft = false
        /** The session of the last look, and since when it has been the same. */
        let session = { pid: 0, sinceMs: Number.POSITIVE_INFINITY }
        const hold = Effect.gen(function* () {
          const pid = yield* lease.session
          const sentMs = ownership.nowMs()
          if (pid !== session.pid) session = { pid, sinceMs: sentMs }
          // Messages to the station actor go to its next owner.
          const isLast = hasLeft
          const found = isLast
            ? { ...(yield* lease.find)!, formerSilentMs: null }
            : yield* lease.hold(cluster.name, { isSettled: sentMs - session.sinceMs > airLeaseMs })
          return { found, sentMs, isOutdated: () => hasLeft && !isLast }
        })
        const accept = Effect.fnUntraced(function* ({ found, sentMs }: Effect.Success<typeof hold>) {
          const before = holder?.owner
          const isMine = found.owner === cluster.name
          holder = found
          ownership.note(isMine, found.fence, { formerSilentMs: found.formerSilentMs, sentMs })
          if (before === found.owner) return
          if (before === cluster.name) yield* lease.unlock
          yield* Effect.logInfo(
            isMine ? `This process has the air. ${found.reason ?? ""}` : `${found.owner} has the air.`
          )
        })
        /** A look that is under way. A statement to a store that is silent neither ends nor can be interrupted for seconds, so nothing waits for its end. */
        let asked: Fiber.Fiber<Effect.Success<typeof hold>> | null = null
        const look = Effect.gen(function* () {
          const sinceMs = ownership.nowMs()
          asked ??= yield* Effect.forkDetach(hold)
          const answer = yield* Effect.timeoutOption(Fiber.await(asked), airLeasePatienceMs)
          if (Option.isNone(answer)) return ownership.noteSilence(sinceMs)
          asked = null
          if (Exit.isFailure(answer.value)) return ownership.noteSilence(sinceMs)
          // Asked before the air was given back.
          if (answer.value.value.isOutdated()) return
          yield* accept(answer.value.value)
        })
        /** Whether the store took it back in time. */
        const release = Effect.gen(function* () {
          // A look that is under way would take it again.
          const before = asked
          const freeing = yield* Effect.forkDetach(
            Effect.andThen(before === null ? Effect.void : Fiber.await(before), lease.release(cluster.name))
          )
          const freed = yield* Effect.timeoutOption(Fiber.await(freeing), airLeasePatienceMs)
          return Option.isSome(freed) && Exit.isSuccess(freed.value)
        })
        const handOver = Effect.gen(function* () {
          isLeaving = true
          const ended = yield* Effect.timeoutOption(stationEnded.await, stationEndMs)
          hasLeft = Option.isSome(ended)
          if (!hasLeft || !(yield* release)) {
            isLeaving = false
            hasLeft = false
            return
          }
          // Whole parts only are sent: the next owner begins with the one after the last.
          if (holder?.owner === cluster.name) holder = null
          ownership.note(false)
          yield* Effect.logInfo("This process has given the air back.")
        })
        yield* Effect.acquireRelease(look, () => release)
        yield* Effect.forkScoped(
          Effect.forever(
            Effect.andThen(
              Effect.suspend(() => Effect.sleep(ownership.holds() ? airLeaseRenewMs : airLeaseLookMs)),
              Effect.ignoreCause(look, { log: "Warn" })
            )
          )
        )
        yield* Effect.forkScoped(
          Effect.forever(
            Effect.andThen(
              Effect.sync(() => ownership.beat()),
              Effect.sleep(airBeatMs)
            )
          )
        )
        return AirHolding.of({
          ownership,
          holder: () => holder,
          stationOwner: () => (isLeaving && holder?.owner === cluster.name ? null : (holder?.owner ?? null)),
          noteStation: (isHere) => void (isHere ? stationEnded.closeUnsafe() : stationEnded.openUnsafe()),
          handOver
        })
      })
    )
}
