import { useEffect, useState } from "preact/hooks"
import { send } from "../desk/Act.tsx"
import { rundown, type RundownAnswer, station, tookRundown } from "../desk/AirState.ts"
import { hasRole } from "../desk/Session.ts"
import { toast } from "../../parts/Toast.tsx"

const armedMs = 5_000

/**
 * One button that starts the emergency programme, and ends it. Two presses start it, so that no slip does. It needs nothing but the station's
 * air: neither the rundown nor the database has to answer.
 */
export const Emergency = ({ big = false }: { readonly big?: boolean }) => {
  const [armed, setArmed] = useState(false)
  const [busy, setBusy] = useState(false)
  /** What this page was told last, until the station's state arrives. */
  const on = rundown.value?.emergency ?? station.value?.emergency ?? false
  useEffect(() => {
    if (!armed) return
    const timer = setTimeout(() => setArmed(false), armedMs)
    return () => clearTimeout(timer)
  }, [armed])
  if (!hasRole("producer")) return on ? <p class="emergency-on">Emergency programme on the air</p> : null
  const press = (): void => {
    if (!on && !armed) return setArmed(true)
    setArmed(false)
    setBusy(true)
    send<RundownAnswer>(
      { path: `/api/ops/playout/emergency${on ? "/clear" : ""}` },
      on ? "Ended with the console's emergency button." : "Started with the console's emergency button."
    )
      .then(
        (answer) => {
          tookRundown(answer)
          toast(on ? "The emergency programme has ended." : "The emergency programme is on the air.")
        },
        (fault: Error) => toast(fault.message)
      )
      .finally(() => setBusy(false))
  }
  const words = on
    ? "End the emergency"
    : armed
      ? big
        ? "Press again to start"
        : "Press again"
      : big
        ? "Start the emergency programme"
        : "Emergency"
  return (
    <button
      type="button"
      class={`emergency${big ? " emergency-big" : ""}${on || armed ? " emergency-hot" : ""}`}
      aria-busy={busy}
      disabled={busy}
      onClick={press}
    >
      {words}
    </button>
  )
}
