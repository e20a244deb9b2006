import { Effect } from "effect"
import { probeEmergencyMs, probeLookMs, probeReportMs } from "../../engine/rules/air/limits.ts"
import type { Air } from "../../engine/ports/Air.ts"
import type { AirHost } from "./AirHost.ts"
import type { ListenerProbe } from "./ListenerProbe.ts"
import { systemTime } from "../clock/StationClock.ts"

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
  let raised: { readonly reason: string; readonly atMs: number } | null = null
  while (true) {
    yield* Effect.sleep(probeLookMs)
    const nowMs = systemTime.monoMs()
    const { alarm, loudnessLufs, silent } = probe.look(nowMs)
    if (nowMs >= reportAtMs || silent !== wasSilent) {
      reportAtMs = nowMs + probeReportMs
      wasSilent = silent
      host.probed({ _tag: "Probed", silent, loudnessLufs, checkedAtMs: Math.round(host.clock.nowMs()) })
    }
    if (alarm !== null && host.alarm === null) {
      raised = { reason: alarm, atMs: nowMs }
      probe.acted(nowMs)
      yield* Effect.logError("The emergency programme goes on.", { reason: alarm })
      yield* emergency(true, alarm)
    } else if (raised !== null && host.alarm !== raised.reason) {
      raised = null
    } else if (raised !== null && nowMs - raised.atMs > probeEmergencyMs && !silent) {
      raised = null
      yield* emergency(false, "the listener probe hears sound again")
    }
  }
})
