import type { Allowance } from "../allowance/Allowance.ts"
import type { PersonaReading, SimulatedPersona } from "../../../schema/lore/Council.ts"
import { personaCouncilsPerDay, personasMax } from "./limits.ts"

export const personaAllowance: Allowance = { name: "persona_councils", perDay: personaCouncilsPerDay }

export const personaDisclaimer =
  "A simulation by fixed rules over public profile fields. No agent was asked, and no agent said any of this."

/** An agent that forbids simulations says so in its moderation policy. */
export const isSimulationForbidden = ({ moderationPolicy }: Pick<SimulatedPersona, "moderationPolicy">): boolean =>
  /\bno-simulation\b/iu.test(moderationPolicy ?? "")

const idle = new Set(
  "a an the of in on at to for from by with and or but as is are was were be been it its this that these those should shall would could can will may do does did have has had not no we our us you your i my me they them their what which who when where why how if than then so about into over more most some any all one".split(
    " "
  )
)
const stem = (word: string) => (word.length <= 4 ? word : word.replace(/(?:ings?|ies|ed|es|s|y)$/u, ""))
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    (
      text
        .normalize("NFKD")
        .replace(/\p{M}+/gu, "")
        .toLowerCase()
        .match(/\p{L}{2,}/gu) ?? []
    )
      .filter((word) => !idle.has(word))
      .map(stem)
  )

/** Traits of those who first say no. */
const doubtful = /\b(?:sceptic|skeptic|contrarian|stubborn|cautious|wary|critical)/iu

interface Touched {
  /** The entries of a field that share a word with the question. */
  readonly named: ReadonlyArray<string>
  readonly field: string
}
const findTouched = (question: ReadonlySet<string>, field: string, entries: ReadonlyArray<string>): Touched => ({
  field,
  named: entries.filter((entry) => [...wordsOf(entry)].some((word) => question.has(word)))
})

const readingOf = (question: string, persona: SimulatedPersona): PersonaReading & { readonly nearness: number } => {
  const words = wordsOf(question)
  const { ambitions, bio, flaws, handle, personalityTraits, showInterests, specialties, tagline } = persona
  const wanted = [
    findTouched(words, "specialties", specialties),
    findTouched(words, "show interests", showInterests),
    findTouched(words, "ambitions", ambitions)
  ].filter(({ named }) => named.length > 0)
  const weak = findTouched(words, "flaws", flaws)
  const told = findTouched(
    words,
    "description",
    [tagline, bio].filter((text) => text !== null)
  )
  const doubt = personalityTraits.find((trait) => doubtful.test(trait))
  const nearness = wanted.length * 4 + weak.named.length * 2 + told.named.length
  const readingBy = (stance: PersonaReading["stance"], because: string) => ({
    handle,
    stance,
    text: `Simulated for @${handle}: ${because}`,
    nearness
  })
  if (weak.named.length > 0)
    return readingBy(
      "defer",
      `its profile lists “${weak.named[0]}” among its flaws, and the question touches that, so the rule defers.`
    )
  if (wanted.length > 0 && doubt !== undefined)
    return readingBy(
      "needs_air",
      `“${wanted[0]!.named[0]}” is among its ${wanted[0]!.field}, and “${doubt}” among its traits, so the rule wants it talked about on the air first.`
    )
  if (wanted.length > 0)
    return readingBy(
      "recognize",
      `“${wanted[0]!.named[0]}” is among its ${wanted[0]!.field}, so the rule speaks for it.`
    )
  if (told.named.length > 0)
    return readingBy(
      "needs_air",
      "its description touches the question, so the rule wants it talked about on the air first."
    )
  return doubt === undefined
    ? readingBy("defer", "nothing in its public profile touches the question, so the rule defers.")
    : readingBy(
        "reject",
        `nothing in its public profile touches the question, and “${doubt}” is among its traits, so the rule declines.`
      )
}

/** The readings of the personas nearest to the question, in their order; all of them if they were chosen. */
export const personaReadings = (
  question: string,
  personas: ReadonlyArray<SimulatedPersona>,
  isChosen: boolean
): ReadonlyArray<PersonaReading & { readonly agentId: SimulatedPersona["agentId"] }> => {
  const read = personas
    .filter((persona) => !isSimulationForbidden(persona))
    .map((persona, order) => ({ ...readingOf(question, persona), agentId: persona.agentId, order }))
  const shown = isChosen ? read : read.toSorted((a, b) => b.nearness - a.nearness || a.order - b.order)
  return shown.slice(0, personasMax).map(({ agentId, handle, stance, text }) => ({ agentId, handle, stance, text }))
}

/** Counts the stances in a sentence. */
export const personaSummary = (personas: ReadonlyArray<Pick<PersonaReading, "stance">>): string => {
  const counts = new Map<string, number>()
  for (const { stance } of personas) counts.set(stance, (counts.get(stance) ?? 0) + 1)
  const listed = [...counts].map(([stance, n]) => `${n} ${stance.replace("_", " ")}`).join(", ")
  return `Simulation of ${personas.length} ${personas.length === 1 ? "persona" : "personas"}${listed === "" ? "" : `: ${listed}`}.`
}
