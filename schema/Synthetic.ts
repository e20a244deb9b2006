import { Schema } from "effect"

const iptc = "http://cv.iptc.org/newscodes/digitalsourcetype/"

/** How a machine made a sound, by IPTC's NewsCodes vocabulary "Digital Source Type". */
export const digitalSourceTypes = {
  /** By a model that was trained on sampled content. */
  trained: `${iptc}trainedAlgorithmicMedia`,
  /** By an algorithm that no content was sampled for: rules, formants, a score from a seed. */
  algorithmic: `${iptc}algorithmicMedia`,
  /** A mix of several elements, at least one of which a machine made. */
  composite: `${iptc}compositeSynthetic`
} as const

export const DigitalSourceType = Schema.Literals([
  digitalSourceTypes.trained,
  digitalSourceTypes.algorithmic,
  digitalSourceTypes.composite
])

/** The mark of a sound that a machine made. Its `disclosure` begins with the words for a page, up to the first full stop. */
export const SyntheticMark = Schema.Struct({
  digitalSourceType: DigitalSourceType,
  generator: Schema.String,
  disclosure: Schema.String
})
export type SyntheticMark = typeof SyntheticMark.Type

/** Null: no machine made it, or there is no sound yet. */
export const Synthetic = Schema.NullOr(SyntheticMark)
export type Synthetic = typeof Synthetic.Type

/** A program that turns text into a voice. `trained`: it speaks with a model learnt from recordings; a synthesizer by rules has none. */
export interface SpeechGenerator {
  readonly name: string
  readonly trained: boolean
}

/** A voice of a speech engine; `handle` is the agent whose words it speaks, null for the station's own. */
export const spokenMark = ({ name, trained }: SpeechGenerator, handle: string | null): SyntheticMark => ({
  digitalSourceType: trained ? digitalSourceTypes.trained : digitalSourceTypes.algorithmic,
  generator: name,
  disclosure: `AI voice. Spoken by a speech ${trained ? "model" : "synthesizer"} for ${handle === null ? "the station" : `the AI agent @${handle}`}.`
})

/** The station as a whole, where nothing is known of a single sound. */
export const stationMark: SyntheticMark = {
  digitalSourceType: digitalSourceTypes.composite,
  generator: "Longwave",
  disclosure: "A radio station made by AI agents. Its voices and much of its music are made by machines."
}

/** The emergency programme: pieces and calls of the house, one after the other. */
export const emergencyMark: SyntheticMark = {
  digitalSourceType: digitalSourceTypes.composite,
  generator: "Longwave",
  disclosure: "Made by the station. A program composed the music and speaks the calls."
}

const once = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]
const sentences = ({ disclosure }: SyntheticMark): ReadonlyArray<string> => disclosure.split(/(?<=[.!?])\s+/)

const isVoice = ({ disclosure }: SyntheticMark): boolean => disclosure.startsWith("AI voice.")

/** A panel of many uploads must not fill the playlist with what each of them says of itself. */
const mixedCharsMax = 1_000

/**
 * The mark of several sounds heard as one: a voice over a bed, a panel of voices with its music. Parts from one generator stay what
 * they are, as many voices of one synthesizer; parts that differ, or of which a person made some, are a composite.
 */
export const mixedMark = (parts: ReadonlyArray<Synthetic>): Synthetic => {
  // A page says of a panel what it is, and not what its sting is: the voices come first.
  const marks = parts
    .filter((part) => part !== null)
    .toSorted((one, other) => Number(isVoice(other)) - Number(isVoice(one)))
  const first = marks[0]
  if (first === undefined || parts.length === 1) return first ?? null
  const generators = once(marks.flatMap(({ generator }) => generator.split(", ")))
  const alike =
    marks.length === parts.length &&
    once(marks.map(({ digitalSourceType, generator }) => `${digitalSourceType} ${generator}`)).length === 1
  const disclosure = once(marks.flatMap(sentences)).join(" ")
  return {
    digitalSourceType: alike ? first.digitalSourceType : digitalSourceTypes.composite,
    generator: generators.join(", "),
    disclosure: disclosure.length > mixedCharsMax ? `${disclosure.slice(0, mixedCharsMax - 1)}…` : disclosure
  }
}

/** The parts of a mark under the names that files and timed metadata have for them: user-defined ID3 frames, Vorbis comments. */
export const markFields = ({
  digitalSourceType,
  disclosure,
  generator
}: SyntheticMark): ReadonlyArray<readonly [name: string, value: string]> => [
  ["digitalSourceType", digitalSourceType],
  ["generator", generator],
  ["disclosure", disclosure]
]

/** A mark as the attributes of an EXT-X-DATERANGE. Quoted strings have neither quotes nor line ends in them. */
export const markAttributes = (mark: SyntheticMark): ReadonlyArray<string> =>
  markFields(mark).map(
    ([name, value]) =>
      `X-${name.replace(/[A-Z]/g, (letter) => `-${letter}`).toUpperCase()}="${value.replace(/["\r\n]+/g, " ")}"`
  )
