import { useEffect, useRef } from "preact/hooks"
import { stationNowMs } from "../desk/AirState.ts"
import { lengthOf } from "../desk/Words.ts"

const everyMs = 250

/** Time until an instant of the station, as it passes. Drawn without the component, so that nothing else is drawn again. */
export const Left = ({ endsAtMs }: { readonly endsAtMs: number }) => {
  const text = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const draw = (): void => {
      const words = lengthOf(endsAtMs - stationNowMs())
      if (text.current !== null && text.current.textContent !== words) text.current.textContent = words
    }
    draw()
    const timer = setInterval(draw, everyMs)
    return () => clearInterval(timer)
  }, [endsAtMs])
  return <span class="figures" ref={text} />
}

/** The passed share of an item. */
export const Passed = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) => {
  const bar = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const draw = (): void => {
      const share = Math.min(1, Math.max(0, (stationNowMs() - fromMs) / Math.max(1, toMs - fromMs)))
      bar.current?.style.setProperty("--share", String(share))
    }
    draw()
    const timer = setInterval(draw, everyMs)
    return () => clearInterval(timer)
  }, [fromMs, toMs])
  return <div class="passed" ref={bar} aria-hidden="true" />
}
