import { useEffect, useRef, useState } from "preact/hooks"
import type { MeterReading } from "../../../../schema/air/Meters.ts"
import { useEvents } from "../../station/useEvents.ts"
import { Curve } from "../parts/Curve.tsx"

type Reading = typeof MeterReading.Type

/** The lowest level that a bar shows. */
const floorDb = -60
/** The curve: one point each half second, for a minute. */
const pointEveryMs = 500,
  pointsMax = 120

const shareOf = (db: number | null): number => (db === null ? 0 : Math.max(0, Math.min(1, 1 - db / floorDb)))
const figure = (db: number | null): string => (db === null ? "–" : db.toFixed(1))

/** One bar from -60 dB to 0, with a mark at the true peak. */
const drawBar = (bar: HTMLElement | null, level: number | null, peak: number | null): void => {
  bar?.style.setProperty("--level", String(shareOf(level)))
  bar?.style.setProperty("--peak", String(shareOf(peak)))
}

/** Levels of the air, ten times a second. They are drawn past the component, so that the room isn't drawn again. */
export const Meters = () => {
  const [left, right] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  const [words, setWords] = useState<Reading | null>(null)
  const [curve, setCurve] = useState<ReadonlyArray<readonly [number, number]>>([])
  const [isOpen, setIsOpen] = useState(false)
  const lastMs = useRef(0)
  useEvents(
    "/api/ops/playout/meters",
    ["meters"],
    (_, data) => {
      const reading = data as Reading
      drawBar(left.current, reading.vuDb[0], reading.truePeakDbtp[0])
      drawBar(right.current, reading.vuDb[1], reading.truePeakDbtp[1])
      const nowMs = Date.now()
      if (nowMs - lastMs.current < pointEveryMs) return
      lastMs.current = nowMs
      setWords(reading)
      setCurve((was) => [...was, [nowMs, reading.momentaryLufs ?? floorDb] as const].slice(-pointsMax))
    },
    setIsOpen
  )
  useEffect(() => {
    if (isOpen) return
    drawBar(left.current, null, null)
    drawBar(right.current, null, null)
  }, [isOpen])
  return (
    <section class="part" aria-labelledby="meters">
      <h2 id="meters">Levels</h2>
      {isOpen ? null : <p class="note">The meters aren't connected.</p>}
      <div class="meters">
        <div aria-hidden="true">
          <div class="meter" ref={left} />
          <div class="meter" ref={right} />
        </div>
        <dl class="figures-row">
          {(
            [
              ["Momentary", words?.momentaryLufs, "LUFS"],
              ["Short-term", words?.shortTermLufs, "LUFS"],
              ["Integrated, this item", words?.integratedLufs, "LUFS"],
              ["Highest true peak", words?.maxTruePeakDbtp, "dBTP"]
            ] as const
          ).map(([name, value, unit]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {figure(value ?? null)} <span class="note">{unit}</span>
              </dd>
            </div>
          ))}
        </dl>
      </div>
      <Curve label="Momentary loudness" unit="LUFS" points={curve} min={floorDb} max={0} spanSec={60} />
    </section>
  )
}
