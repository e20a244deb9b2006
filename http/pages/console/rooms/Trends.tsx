import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { StreamHealth } from "../../../../schema/air/Station.ts"
import { station } from "../desk/AirState.ts"
import { Curve } from "../parts/Curve.tsx"

type Points = ReadonlyArray<readonly [number, number]>

/** Half an hour of samples, kept while the page is open. */
const keptMax = 360

const listeners = signal<Points>([])
const loudness = signal<Points>([])

const add = (of: typeof listeners, at: string, value: number): void => {
  const atMs = Date.parse(at)
  if (of.value.at(-1)?.[0] === atMs) return
  of.value = [...of.value, [atMs, value] as const].slice(-keptMax)
}

/** Listeners and loudness since the page was opened. */
export const Trends = ({ health }: { readonly health: typeof StreamHealth.Type | null }) => {
  const now = station.value
  useEffect(() => {
    if (now !== null) add(listeners, now.clock.now, now.listeners.total)
  }, [now])
  useEffect(() => {
    const level = health?.probe.loudnessLufs
    if (health !== null && level != null) add(loudness, health.updatedAt, level)
  }, [health])
  return (
    <div class="curves">
      <Curve label="Listeners" unit="" points={listeners.value} />
      <Curve label="Loudness" unit="LUFS" points={loudness.value} min={-40} max={0} />
    </div>
  )
}
