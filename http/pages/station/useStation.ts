import { useEffect, useState } from "preact/hooks"
import type { StationView } from "../../../schema/air/Station.ts"

export type Station = Pick<typeof StationView.Type, "name" | "tagline" | "signIn" | "synthetic">

const againMs = 2_000

/** Name and tagline of the station, retried until available: at the start the stream comes up before the API. */
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
