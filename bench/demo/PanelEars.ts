import { sampleRateHz } from "../../schema/time/Samples.ts"
import { apartness, distanceOf, measureVoice, type VoiceMeasure } from "../instruments/ears/VoiceMeasure.ts"
import { say } from "../instruments/Patience.ts"
import { cutSeconds, isSpokenAt } from "../instruments/ears/SpokenAt.ts"

/** A turn at its position in the recording, as the station reports it. */
export interface HeardTurn {
  readonly handle: string
  readonly startSec: number
  readonly durationSec: number
  /** The turn's own sound before the mix. */
  readonly own: Float32Array
}

/** Distance of voices in pitch and timbre. Above 1, nobody confuses two voices. */
const apartnessOf = (a: VoiceMeasure, b: VoiceMeasure) => apartness({ ...distanceOf(a, b), tempoPct: 0 })

/** Checks that every turn is at its position, in order, and that the voices of the speakers differ. */
export const hearPanel = (heard: Float32Array, panelStartSec: number, turns: ReadonlyArray<HeardTurn>): void => {
  const voices = new Map<string, Array<VoiceMeasure>>()
  let before = Number.NEGATIVE_INFINITY
  for (const [at, { durationSec, handle, own, startSec }] of turns.entries()) {
    const from = panelStartSec + startSec
    const place = isSpokenAt(heard, own, from)
    const voice = measureVoice({ sampleRateHz, channels: [cutSeconds(heard, from, from + durationSec)], words: [] })
    voices.set(handle, [...(voices.get(handle) ?? []), voice])
    say(
      `turn ${at}: @${handle} from ${startSec.toFixed(2)} s for ${durationSec.toFixed(2)} s, ${place.said}, ${voice.pitchHz.toFixed(0)} Hz`
    )
    if (!place.isThere) throw new Error(`turn ${at} is not at its position`)
    if (startSec <= before) throw new Error(`turn ${at} overlaps the previous one`)
    before = startSec + durationSec - 0.001
  }
  const speakers = [...voices]
  const pairs = speakers.flatMap(([one, [a]], i) =>
    speakers.slice(i + 1).map(([other, [b]]) => ({ one, other, by: apartnessOf(a!, b!) }))
  )
  const nearest = pairs.toSorted((a, b) => a.by - b.by)[0]!
  say(
    `${speakers.length} voices: the most similar are @${nearest.one} and @${nearest.other}, ${nearest.by.toFixed(1)} × the threshold of distinct voices`
  )
  if (nearest.by < 1) throw new Error("two of the voices are too similar")
}
