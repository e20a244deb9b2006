import { useCallback, useEffect, useState } from "preact/hooks"
import { toast } from "../parts/Toast.tsx"
import type { Radio } from "./Radio.ts"
import { Stream } from "../stream/Stream.ts"
import { useHeard } from "./useHeard.ts"
import { useProgramme } from "./useProgramme.ts"
import { useReach } from "../station/useReach.ts"
import { useStation } from "../station/useStation.ts"

const stream = new Stream()

/** The page's single player. */
export const useRadio = (): Radio => {
  const station = useStation()
  const programme = useProgramme(stream)
  const heard = useHeard(stream, programme)
  const isReached = useReach(programme.isTold)
  const [state, setState] = useState(stream.current)
  useEffect(() => stream.listen(() => setState(stream.current)), [])
  const start = useCallback(() => stream.start(), [])
  const stop = useCallback(() => stream.stop(), [])
  const { skewMs } = programme
  const from = useCallback(
    (atMs: number | null) => {
      stream.from(atMs, skewMs).catch((fault: Error) => toast(fault.message))
    },
    [skewMs]
  )
  return { station, programme, heard, state, isReached, stream, start, stop, from }
}
