import { Effect } from "effect"
import {
  probeActsMax,
  probeActsWindowMs,
  probeEmergencyMs,
  probeLookMs,
  probeReportMs,
  probeVainMs
} from "../../engine/rules/air/limits.ts"
import type { Air } from "../../engine/ports/Air.ts"
import type { AirHost } from "./AirHost.ts"
import type { ListenerProbe } from "./ListenerProbe.ts"
import { systemTime } from "../clock/StationClock.ts"

/**
 * Notices that ordering the emergency programme is in vain: silence goes on under it, or the alarm has come back again and again. After
 * the latter the emergency programme stays on until an operator ends it, because going back and forth helps nobody.
 */
export class ProbeWatchdog {
  #actsMs: ReadonlyArray<number> = []
  #raisedAtMs: number | null = null

  noteAct(nowMs: number): void {
    this.#raisedAtMs = nowMs
    this.#actsMs = [...this.#actsMs.filter((atMs) => atMs > nowMs - probeActsWindowMs), nowMs]
  }

  /** The emergency programme went off; ended by an operator, everything is forgotten. */
  noteEnd(byOperator: boolean): void {
    this.#raisedAtMs = null
    if (byOperator) this.#actsMs = []
  }

  /** The alarm came back too often: stop. */
  get isSpent(): boolean {
    return this.#actsMs.length >= probeActsMax
  }

  gaveUp(nowMs: number, silent: boolean): boolean {
    return this.#raisedAtMs !== null && (this.isSpent || (silent && nowMs - this.#raisedAtMs >= probeVainMs))
  }
}

/**
 * Acts on the listener probe: silence or a stuck programme turns the emergency programme on, and after a while off, unless somebody else
 * has turned it on meanwhile.
 */
export const watchOutput = Effect.fnUntraced(function* (
  probe: ListenerProbe,
  host: AirHost,
  emergency: Air["Service"]["emergency"]
) {
  let reportAtMs = 0
  let wasSilent = false
  let gaveUp = false
  const watchdog = new ProbeWatchdog()
  let raised: { readonly reason: string; readonly atMs: number } | null = null
  while (true) {
    yield* Effect.sleep(probeLookMs)
    // A standby plays what the owner plays: only the owner changes that.
    if (host.isFollowing) continue
    const nowMs = systemTime.monoMs()
    const { alarm, loudnessLufs, silent } = probe.look(nowMs)
    const isVain = watchdog.gaveUp(nowMs, silent)
    if (isVain && !gaveUp)
      yield* Effect.logError("The emergency programme was ordered in vain; the listener probe stops acting.")
    if (nowMs >= reportAtMs || silent !== wasSilent || isVain !== gaveUp) {
      reportAtMs = nowMs + probeReportMs
      wasSilent = silent
      gaveUp = isVain
      const checkedAtMs = Math.round(host.clock.readMs())
      host.onProbed({ _tag: "Probed", silent, loudnessLufs, checkedAtMs, gaveUp })
    }
    if (alarm !== null && host.alarm === null) {
      raised = { reason: alarm, atMs: nowMs }
      probe.resetCount(nowMs)
      watchdog.noteAct(nowMs)
      yield* Effect.logError("The emergency programme goes on.", { reason: alarm })
      yield* emergency(true, alarm)
    } else if (raised !== null && host.alarm !== raised.reason) {
      raised = null
      watchdog.noteEnd(true)
    } else if (raised !== null && nowMs - raised.atMs > probeEmergencyMs && !silent && !watchdog.isSpent) {
      raised = null
      watchdog.noteEnd(false)
      yield* emergency(false, "the listener probe hears sound again")
    }
  }
})
