import type { SectionPlan, Style } from "./Style.ts"

/** Eight seconds let a presenter say where we are; six is the least. */
const introMinSec = 6.3

export interface Section extends SectionPlan {
  readonly fromBar: number
  readonly bars: number
}

export interface Form {
  readonly sections: ReadonlyArray<Section>
  readonly bars: number
  readonly barSec: number
}

/** Shares out bars by weight so that sections end where phrases do. */
const shareOut = (body: ReadonlyArray<SectionPlan>, bars: number, fromBar: number): ReadonlyArray<Section> => {
  const total = body.reduce((sum, { share }) => sum + share, 0)
  const unit = bars >= 7 * body.length ? 4 : bars >= 3 * body.length ? 2 : 1
  let weight = 0
  let at = 0
  return body.flatMap((plan, index) => {
    weight += plan.share
    const end = index === body.length - 1 ? bars : Math.min(bars, Math.round(((weight / total) * bars) / unit) * unit)
    const section = { ...plan, fromBar: fromBar + at, bars: end - at }
    at = Math.max(at, end)
    return section.bars > 0 ? [section] : []
  })
}

/** A song of a given length: as many bars as fit before the last chord, which takes what is left to ring in. */
export const songForm = (style: Style, bpm: number, durationSec: number): Form => {
  const barSec = (style.beatsPerBar * 60) / bpm
  const ringSec = durationSec < 60 ? 2.2 : 3
  const bars = Math.max(3, Math.floor((durationSec - ringSec) / barSec))
  const [intro, outro] = [style.form[0]!, style.form.at(-1)!]
  const turn = style.form.slice(1, -1)
  const turnBars = turn.reduce((sum, { share }) => sum + share, 0)
  const introLeast = Math.ceil(introMinSec / barSec)
  const scale = bars / (intro.share + turnBars + outro.share)
  const roundToEven = (count: number) => Math.round(count / 2) * 2
  const introBars = Math.max(introLeast, Math.min(intro.share * 2, roundToEven(intro.share * Math.min(1.5, scale))))
  const outroBars = Math.max(1, Math.min(outro.share, Math.floor(bars / 7)))
  const bodyBars = bars - introBars - outroBars
  const rounds = Math.max(1, Math.round(bodyBars / turnBars))
  const whole = Array.from({ length: rounds }, () => turn).flat()
  const body = whole.slice(0, Math.max(1, Math.min(whole.length, Math.floor(bodyBars / 2))))
  return {
    sections: [
      { ...intro, fromBar: 0, bars: introBars },
      ...shareOut(body, bodyBars, introBars),
      { ...outro, fromBar: bars - outroBars, bars: outroBars }
    ],
    bars,
    barSec
  }
}

/** A bed is one section that goes round; its tempo gives way so that whole bars fill the time asked for. */
export const bedForm = (style: Style, bpm: number, durationSec: number, exact: boolean): Form => {
  const bars = Math.max(2, Math.round((durationSec * bpm) / 60 / style.beatsPerBar))
  const barSec = exact ? (style.beatsPerBar * 60) / bpm : durationSec / bars
  return { sections: [{ name: "intro", share: 1, energy: 2, lead: "none", fromBar: 0, bars }], bars, barSec }
}

/** Energy moves within the edges of a piece: they build up and let go. */
export const energyAt = (section: Section, bar: number): number => {
  const half = (bar - section.fromBar) * 2 >= section.bars
  if (section.bars < 2 || section.energy < 3) return section.energy
  if (section.name === "intro") return half ? section.energy : section.energy - 1
  return section.name === "outro" && half ? section.energy - 1 : section.energy
}
