import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RundownLine } from "../../../../schema/air/Rundown.ts"
import type { StationView } from "../../../../schema/air/Station.ts"
import { ask } from "../../station/Ask.ts"
import { touch, useChanges } from "./Live.ts"

export type Line = typeof RundownLine.Type

export interface Rundown {
  readonly revision: number
  readonly held: boolean
  readonly emergency: boolean
  readonly onAir: Line | null
  readonly items: ReadonlyArray<Line>
}

export interface RundownAnswer {
  readonly rundown: Rundown
}

/** The rundown as the station last told it; null before the first answer. */
export const rundown = signal<Rundown | null>(null)
export const rundownFault = signal<string | null>(null)
export const station = signal<typeof StationView.Type | null>(null)
/** How far the station's clock is ahead of this machine's. */
export const skewMs = signal(0)

export const stationNowMs = (): number => Date.now() + skewMs.value

/** The version that a command on the rundown carries. */
export const seenOf = ({ revision }: Rundown): string => `"${revision}"`

export const tookRundown = ({ rundown: told }: RundownAnswer): void => {
  rundown.value = told
  rundownFault.value = null
}

/** The rundown as it is now, for a difference to the one that was seen. */
export const readRundown = async (): Promise<Rundown> => {
  const answer = await ask<RundownAnswer>("/api/ops/rundown")
  tookRundown(answer)
  return answer.rundown
}

const stationEveryMs = 5_000

/** Keeps the rundown and the station's state current, once for the whole page. */
export const useAirState = (): void => {
  const changes = useChanges("rundown", "air")
  useEffect(() => {
    readRundown().catch((fault: Error) => {
      rundownFault.value = fault.message
    })
  }, [changes])
  useEffect(() => {
    const look = (): void => {
      const sentMs = Date.now()
      void ask<typeof StationView.Type>("/api/station").then(
        (view) => {
          station.value = view
          skewMs.value = Math.round(Date.parse(view.clock.now) - (sentMs + Date.now()) / 2)
          touch("listeners")
        },
        () => undefined
      )
    }
    look()
    const every = setInterval(look, stationEveryMs)
    return () => clearInterval(every)
  }, [])
}
