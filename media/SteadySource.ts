import { type AirEvent, ItemLabel } from "../schema/Air.ts"
import { channelsCount, sampleRateHz } from "../engine/Limits.ts"
import type { AirSource } from "./AirChain.ts"

/** A soft chord without end. */
export const steadySource = (startSample: number): AirSource => {
  let at = startSample
  let told = false
  let on = false
  return {
    get renderedTo() {
      return at
    },
    render: (out, frames) => {
      for (let i = 0; i < frames; i++) {
        const t = ((at + i) % (sampleRateHz * 10)) / sampleRateHz
        const value = 0.1 * (Math.sin(2 * Math.PI * 220 * t) + Math.sin(2 * Math.PI * 277.2 * t) + Math.sin(2 * Math.PI * 329.6 * t))
        for (let channel = 0; channel < channelsCount; channel++) out[i * channelsCount + channel] = value
      }
      const events: Array<AirEvent> = told ? [] : [{ _tag: "Started", itemId: null, label: new ItemLabel({ title: "Longwave", artist: null, kind: "filler" }), atSample: at, endSample: null }]
      told = true
      at += frames
      return events
    },
    plan: (plan) => ({ revision: plan.revision, shiftSamples: 0, renderedTo: at }),
    emergency: (value, reason) => {
      if (on === value) return
      on = value
      return [{ _tag: "EmergencyChanged", on, reason, atSample: at }]
    },
    emergencyLibrary: () => {}
  }
}
