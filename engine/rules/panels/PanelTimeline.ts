import {
  bedFadeMs,
  panelBedOpenDb,
  panelFadeMs,
  panelIntroBedSec,
  panelOutroBedSec,
  panelStingSec,
  panelVoiceLeadMs,
  sameSpeakerPauseMs,
  turnEdgeMs,
  turnPauseMs
} from "./limits.ts"
import { bedGainDb, speechLufs } from "../sound/limits.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { draw } from "../air/Rotation.ts"

/** Input of the timeline. Lengths exclude silence at the edges. */
export interface PanelParts {
  readonly sting: { readonly samples: number } | null
  /** Null if no bed is available. */
  readonly bed: { readonly samples: number } | null
  readonly intro: { readonly samples: number; readonly lufs: number }
  readonly turns: ReadonlyArray<{
    readonly turnId: string
    readonly participantId: string
    readonly samples: number
    readonly lufs: number
  }>
}

/** Gain from this sample of the part on, with straight lines between points. */
export type GainPoint = readonly [atSample: number, gain: number]

/** A stretch of a part's sound and its position in the panel. */
export interface PanelPart {
  readonly what: "sting" | "bed" | "intro" | "turn" | "outro"
  /** Null for the station's own parts. */
  readonly turnId: string | null
  readonly atSample: number
  /** Offset into the sound, from its first audible sample. */
  readonly fromSample: number
  readonly samples: number
  readonly gains: ReadonlyArray<GainPoint>
}

export interface PanelTimeline {
  readonly parts: ReadonlyArray<PanelPart>
  readonly samples: number
}

const samplesOf = (ms: number) => Math.round((ms * sampleRateHz) / 1_000)
const gainOf = (db: number) => 10 ** (db / 20)

/** The pause before a turn, in samples: fixed for each turn, short if the same speaker continues. */
export const pauseBefore = (turnId: string, goesOn: boolean): number =>
  goesOn ? sameSpeakerPauseMs : turnPauseMs[0] + (draw(0, 0, turnId) % (turnPauseMs[1] - turnPauseMs[0] + 1))

/** Brings a voice to the loudness of speech with one gain, without changing its dynamics. Short fades prevent clicks. */
const voiceGain = (samples: number, lufs: number): ReadonlyArray<GainPoint> => {
  const gain = gainOf(speechLufs - lufs)
  const edge = Math.min(samplesOf(turnEdgeMs), Math.floor(samples / 2))
  return [
    [0, 0],
    [edge, gain],
    [samples - edge, gain],
    [samples, 0]
  ]
}

/** Moves points before the next one, so that short music still fades. */
const orderPoints = (points: ReadonlyArray<GainPoint>, samples: number): ReadonlyArray<GainPoint> => {
  let latest = samples
  const kept: Array<GainPoint> = []
  for (const [at, gain] of points.toReversed()) {
    latest = Math.max(0, Math.min(at, latest))
    kept.unshift([latest, gain])
  }
  return kept
}

/**
 * A whole panel in time: an opening sting, the introduction over a bed, the turns in order with a pause before each, and the rest of the bed, which
 * fades out. Voices never overlap. Deterministic.
 */
export const panelTimeline = ({ bed, intro, sting, turns }: PanelParts): PanelTimeline => {
  const parts: Array<PanelPart> = []
  const fade = samplesOf(panelFadeMs)
  const blend = samplesOf(bedFadeMs)
  const stingSamples = sting === null ? 0 : Math.min(sting.samples, panelStingSec * sampleRateHz)
  if (sting !== null) {
    parts.push({
      what: "sting",
      turnId: null,
      atSample: 0,
      fromSample: 0,
      samples: stingSamples,
      gains: orderPoints(
        [
          [0, 1],
          [stingSamples - blend, 1],
          [stingSamples, 0]
        ],
        stingSamples
      )
    })
  }
  const bedAt = Math.max(0, stingSamples - blend)
  const bedSamples = bed === null ? 0 : Math.min(bed.samples, panelIntroBedSec * sampleRateHz)
  const voiceAt = bed === null ? stingSamples : bedAt + samplesOf(panelVoiceLeadMs)
  if (bed !== null) {
    const [open, under] = [gainOf(panelBedOpenDb), gainOf(bedGainDb)]
    const [from, to] = [voiceAt - bedAt, voiceAt + intro.samples - bedAt]
    parts.push({
      what: "bed",
      turnId: null,
      atSample: bedAt,
      fromSample: 0,
      samples: bedSamples,
      // The bed is low under the voice and rises once more if the voice ends first.
      gains: orderPoints(
        [
          [0, 0],
          [blend, open],
          [from - blend, open],
          [from, under],
          [to, under],
          ...(to + blend < bedSamples - fade
            ? [[to + blend, open] as const, [bedSamples - fade, open] as const]
            : [[Math.max(to, bedSamples - fade), under] as const]),
          [bedSamples, 0]
        ],
        bedSamples
      )
    })
  }
  parts.push({
    what: "intro",
    turnId: null,
    atSample: voiceAt,
    fromSample: 0,
    samples: intro.samples,
    gains: voiceGain(intro.samples, intro.lufs)
  })
  let end = voiceAt + intro.samples
  let before: string | null = null
  for (const { lufs, participantId, samples, turnId } of turns) {
    const spokenFrom = end + samplesOf(pauseBefore(turnId, before === participantId))
    const atSample = before === null ? Math.max(spokenFrom, bedAt + bedSamples) : spokenFrom
    parts.push({ what: "turn", turnId, atSample, fromSample: 0, samples, gains: voiceGain(samples, lufs) })
    end = atSample + samples
    before = participantId
  }
  if (bed === null) return { parts, samples: end + samplesOf(turnPauseMs[0]) }
  const outroAt = end + samplesOf(turnPauseMs[0])
  // A bed too short for the outro starts over.
  const outroFrom = bed.samples - bedSamples >= panelOutroBedSec * sampleRateHz ? bedSamples : 0
  const outroSamples = Math.min(bed.samples - outroFrom, panelOutroBedSec * sampleRateHz)
  parts.push({
    what: "outro",
    turnId: null,
    atSample: outroAt,
    fromSample: outroFrom,
    samples: outroSamples,
    gains: orderPoints(
      [
        [0, 0],
        [blend, gainOf(panelBedOpenDb)],
        [outroSamples - 2 * fade, gainOf(panelBedOpenDb)],
        [outroSamples, 0]
      ],
      outroSamples
    )
  })
  return { parts, samples: outroAt + outroSamples }
}

/** Introductions by the house voice, from the longest to the shortest: the longest that fits is used. */
export const introductions = (title: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const plain = title.replace(/[\s.!?…]+$/u, "")
  const [first, ...others] = names
  const listed =
    others.length === 0 ? (first ?? "") : `${[first, ...others.slice(0, -1)].join(", ")} and ${others.at(-1)}`
  const words = plain.split(/\s+/u)
  const short = words.length > 10 ? words.slice(0, 10).join(" ") : plain
  return [
    ...new Set([
      `${plain}. With ${listed}.`,
      ...(others.length > 1
        ? [
            `${plain}. With ${first} and ${others.length} guests.`,
            `${short}. With ${first} and ${others.length} guests.`
          ]
        : [`${short}. With ${listed}.`]),
      `${short}.`,
      // Even a title of few words can be long.
      "A panel."
    ])
  ]
}
