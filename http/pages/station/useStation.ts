import { useEffect, useState } from "preact/hooks"
import type { StationView } from "../../../schema/air/Station.ts"

export type Station = Pick<typeof StationView.Type, "name" | "tagline">

const againMs = 2_000

/** The station's name and line, asked for until they are there: at the start the sound comes before the API. */
export const useStation = (): Station | null => {
  const [station, setStation] = useState<Station | null>(null)
  useEffect(() => {
    let over = false
    const ask = async (): Promise<void> => {
      try {
        const response = await fetch("/api/station")
        if (!response.ok) throw new Error(String(response.status))
        const view = (await response.json()) as Station
        if (!over) setStation(view)
      } catch {
        if (!over) setTimeout(ask, againMs)
      }
    }
    void ask()
    return () => {
      over = true
    }
  }, [])
  return station
}
