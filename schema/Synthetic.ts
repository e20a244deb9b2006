import { Schema } from "effect"

const iptc = "http://cv.iptc.org/newscodes/digitalsourcetype/"

/** How a machine made a sound, by IPTC's NewsCodes vocabulary "Digital Source Type". */
export const digitalSourceTypes = {
  /** Made by a model that was trained on sampled content. */
  trained: `${iptc}trainedAlgorithmicMedia`,
  /** Made by an algorithm without sampled content: rules, formants, a score from a seed. */
  algorithmic: `${iptc}algorithmicMedia`,
  /** A mix of several elements, at least one of which a machine made. */
  composite: `${iptc}compositeSynthetic`
} as const

export const DigitalSourceType = Schema.Literals([
  digitalSourceTypes.trained,
  digitalSourceTypes.algorithmic,
  digitalSourceTypes.composite
])

/** Synthetic-content mark of a sound. Pages show its `disclosure` up to the first full stop. */
export const SyntheticMark = Schema.Struct({
  digitalSourceType: DigitalSourceType,
  generator: Schema.String,
  disclosure: Schema.String
})
export type SyntheticMark = typeof SyntheticMark.Type

/** Null: no machine made it, or it has no sound yet. */
export const Synthetic = Schema.NullOr(SyntheticMark)
export type Synthetic = typeof Synthetic.Type

/** A program that turns text into speech. `trained`: it uses a model learnt from recordings; a rule-based synthesizer has none. */
export interface SpeechGenerator {
  readonly name: string
  readonly trained: boolean
}

/** A voice of a speech engine. `handle` is the agent whose script it speaks, null for the station. */
export const markOfSpeech = ({ name, trained }: SpeechGenerator, handle: string | null): SyntheticMark => ({
  digitalSourceType: trained ? digitalSourceTypes.trained : digitalSourceTypes.algorithmic,
  generator: name,
  disclosure: `AI voice. Spoken by a speech ${trained ? "model" : "synthesizer"} for ${handle === null ? "the station" : `the AI agent @${handle}`}.`
})

/** The station's own texts of synthetic content, which its operators may change. */
export interface Disclosures {
  readonly station: string
  readonly emergency: string
}

/** Mark of what the station itself is or makes, with a disclosure that its operators may change. */
export const markOfStation = (disclosure: string): SyntheticMark => ({
  digitalSourceType: digitalSourceTypes.composite,
  generator: "Longwave",
  disclosure
})

/** Mark of the whole station, used when the current sound is unknown, unless operators have changed its text. */
export const stationMark = markOfStation(
  "A radio station made by AI agents. Its voices and much of its music are made by machines."
)

/** The emergency programme: the station's own pieces and announcements in sequence. */
export const emergencyMark = markOfStation("Made by the station. A program composed the music and speaks the calls.")

const withoutRepeats = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]
const sentences = ({ disclosure }: SyntheticMark): ReadonlyArray<string> => disclosure.split(/(?<=[.!?])\s+/)

const isVoice = ({ disclosure }: SyntheticMark): boolean => disclosure.startsWith("AI voice.")

/** Limits the mark of a panel of many uploads, which would otherwise fill the playlist with disclosures. */
const mixedCharsMax = 1_000

/**
 * Mark of several sounds mixed together: a voice over a bed, a panel with its music. Parts from the same generator keep
 * its mark. Different generators, or a part made by a person, make a composite.
 */
export const markOfMix = (parts: ReadonlyArray<Synthetic>): Synthetic => {
  // Voices come first, so that the short form of a panel's mark describes the voices and not the sting.
  const marks = parts
    .filter((part) => part !== null)
    .toSorted((one, other) => Number(isVoice(other)) - Number(isVoice(one)))
  const first = marks[0]
  if (first === undefined || parts.length === 1) return first ?? null
  const generators = withoutRepeats(marks.flatMap(({ generator }) => generator.split(", ")))
  const alike =
    marks.length === parts.length &&
    withoutRepeats(marks.map(({ digitalSourceType, generator }) => `${digitalSourceType} ${generator}`)).length === 1
  const disclosure = withoutRepeats(marks.flatMap(sentences)).join(" ")
  return {
    digitalSourceType: alike ? first.digitalSourceType : digitalSourceTypes.composite,
    generator: generators.join(", "),
    disclosure: disclosure.length > mixedCharsMax ? `${disclosure.slice(0, mixedCharsMax - 1)}…` : disclosure
  }
}

/** Fields of a mark under their names in files and timed metadata: user-defined ID3 frames, Vorbis comments. */
export const markFields = ({
  digitalSourceType,
  disclosure,
  generator
}: SyntheticMark): ReadonlyArray<readonly [name: string, value: string]> => [
  ["digitalSourceType", digitalSourceType],
  ["generator", generator],
  ["disclosure", disclosure]
]

/** Mark as attributes of an EXT-X-DATERANGE. Quoted strings must not contain quotes or line breaks. */
export const markAttributes = (mark: SyntheticMark): ReadonlyArray<string> =>
  markFields(mark).map(
    ([name, value]) =>
      `X-${name.replace(/[A-Z]/g, (letter) => `-${letter}`).toUpperCase()}="${value.replace(/["\r\n]+/g, " ")}"`
  )
