import {
  bedFadeMs,
  bedUnderSpeechDb,
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
import { programmeLufs } from "../sound/limits.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { draw } from "../air/Rotation.ts"

/** What is placed in time; lengths are of what sounds of it, without the silence at its edges. */
export interface PanelParts {
  readonly sting: { readonly samples: number } | null
  /** Null where there is no music to be had. */
  readonly bed: { readonly samples: number } | null
  readonly intro: { readonly samples: number; readonly lufs: number }
  readonly turns: ReadonlyArray<{
    readonly turnId: string
    readonly participantId: string
    readonly samples: number
    readonly lufs: number
  }>
}

/** From here on this much louder or softer, on a straight line between two of them; samples from the beginning of the part. */
export type GainPoint = readonly [atSample: number, gain: number]

/** A stretch of one of the parts and where it is heard. */
export interface PanelPart {
  readonly what: "sting" | "bed" | "intro" | "turn" | "outro"
  /** Which turn it is; null for the station's own parts. */
  readonly turnId: string | null
  readonly atSample: number
  /** Where in its own sound it begins, counted from the first sample that is heard of it. */
  readonly fromSample: number
  readonly samples: number
  readonly gains: ReadonlyArray<GainPoint>
}

export interface PanelTimeline {
  readonly parts: ReadonlyArray<PanelPart>
  readonly samples: number
}

const ofMs = (ms: number) => Math.round((ms * sampleRateHz) / 1_000)
const ofDb = (db: number) => 10 ** (db / 20)

/** The breath before a turn: always the same before the same turn, and short where a speaker goes on. */
export const pauseBefore = (turnId: string, goesOn: boolean): number =>
  goesOn ? sameSpeakerPauseMs : turnPauseMs[0] + (draw(0, 0, turnId) % (turnPauseMs[1] - turnPauseMs[0] + 1))

/** Brought to the programme's loudness by one factor: the level of a voice, never its dynamics. Its edges don't click. */
const spoken = (samples: number, lufs: number): ReadonlyArray<GainPoint> => {
  const gain = ofDb(programmeLufs - lufs)
  const edge = Math.min(ofMs(turnEdgeMs), Math.floor(samples / 2))
  return [
    [0, 0],
    [edge, gain],
    [samples - edge, gain],
    [samples, 0]
  ]
}

/** Points that would lie behind the next one are pulled before it: however short the music is, it fades. */
const ordered = (points: ReadonlyArray<GainPoint>, samples: number): ReadonlyArray<GainPoint> => {
  let latest = samples
  const kept: Array<GainPoint> = []
  for (const [at, gain] of points.toReversed()) {
    latest = Math.max(0, Math.min(at, latest))
    kept.unshift([latest, gain])
  }
  return kept
}

/**
 * A whole panel in time: a sting that opens it, the introduction over a bed, the turns in their order with a breath before each, and a bed that
 * goes on where it left off and fades. No two voices are ever heard at once, and the same parts always lie in the same places.
 */
export const panelTimeline = ({ bed, intro, sting, turns }: PanelParts): PanelTimeline => {
  const parts: Array<PanelPart> = []
  const fade = ofMs(panelFadeMs)
  const blend = ofMs(bedFadeMs)
  const stingSamples = sting === null ? 0 : Math.min(sting.samples, panelStingSec * sampleRateHz)
  if (sting !== null) {
    parts.push({
      what: "sting",
      turnId: null,
      atSample: 0,
      fromSample: 0,
      samples: stingSamples,
      gains: ordered(
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
  const voiceAt = bed === null ? stingSamples : bedAt + ofMs(panelVoiceLeadMs)
  if (bed !== null) {
    const [open, under] = [ofDb(panelBedOpenDb), ofDb(bedUnderSpeechDb)]
    const [from, to] = [voiceAt - bedAt, voiceAt + intro.samples - bedAt]
    parts.push({
      what: "bed",
      turnId: null,
      atSample: bedAt,
      fromSample: 0,
      samples: bedSamples,
      // While it is spoken over it keeps down; where the voice ends sooner it comes up once more.
      gains: ordered(
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
    gains: spoken(intro.samples, intro.lufs)
  })
  let end = voiceAt + intro.samples
  let before: string | null = null
  for (const { lufs, participantId, samples, turnId } of turns) {
    const spokenFrom = end + ofMs(pauseBefore(turnId, before === participantId))
    const atSample = before === null ? Math.max(spokenFrom, bedAt + bedSamples) : spokenFrom
    parts.push({ what: "turn", turnId, atSample, fromSample: 0, samples, gains: spoken(samples, lufs) })
    end = atSample + samples
    before = participantId
  }
  if (bed === null) return { parts, samples: end + ofMs(turnPauseMs[0]) }
  const outroAt = end + ofMs(turnPauseMs[0])
  // A bed too short to go on begins again.
  const outroFrom = bed.samples - bedSamples >= panelOutroBedSec * sampleRateHz ? bedSamples : 0
  const outroSamples = Math.min(bed.samples - outroFrom, panelOutroBedSec * sampleRateHz)
  parts.push({
    what: "outro",
    turnId: null,
    atSample: outroAt,
    fromSample: outroFrom,
    samples: outroSamples,
    gains: ordered(
      [
        [0, 0],
        [blend, ofDb(panelBedOpenDb)],
        [outroSamples - 2 * fade, ofDb(panelBedOpenDb)],
        [outroSamples, 0]
      ],
      outroSamples
    )
  })
  return { parts, samples: outroAt + outroSamples }
}

/** What the house says before a panel, from the most that can be said to the least: one of them fits. */
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
      // Ten words can be long ones.
      "A panel."
    ])
  ]
}
