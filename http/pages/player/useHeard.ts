import { useEffect, useState } from "preact/hooks"
import { findHeard } from "./Programme.ts"
import type { Heard } from "./Programme.ts"
import type { Stream } from "../stream/Stream.ts"
import type { Programme } from "./useProgramme.ts"

const lookMs = 50

/** The item being heard: changes with the sound, not with the announcement. */
export const useHeard = (stream: Stream, { known, skewMs }: Programme): Heard | null => {
  const [heard, setHeard] = useState<Heard | null>(null)
  useEffect(() => {
    const look = (): void => setHeard(findHeard(known, stream.findHeardMs(skewMs) ?? Date.now() + skewMs))
    look()
    const timer = setInterval(look, lookMs)
    return () => clearInterval(timer)
  }, [stream, known, skewMs])
  return heard
}
