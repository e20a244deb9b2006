import type { Voice } from "../../../schema/voices/Voice.ts"
import { catalog } from "../VoiceCatalog.ts"

interface Offered {
  readonly id: string
  readonly gender: Voice["gender"] | null
}

/** A stable number of a voice that isn't in the catalog's own list. */
const hash = (text: string): number => {
  let sum = 0
  for (const sign of text) sum = (sum * 31 + sign.codePointAt(0)!) >>> 0
  return sum
}

/**
 * A provider's voice for each voice of the catalog. `setting` lists the provider's: `f:id` and `m:id` are dealt out, in the order of the catalog,
 * to voices of that gender, plain ids to all; `voice_ember=id` belongs to one voice alone. A provider has fewer voices than the catalog, so
 * several agents share one.
 */
export const voicePool = (setting: string): ((voice: Voice) => string | null) => {
  const own = new Map<string, string>()
  const offered: Array<Offered> = []
  for (const entry of setting.split(",").map((each) => each.trim())) {
    const given = /^(voice_[a-z]+)=(.+)$/.exec(entry)
    const gendered = /^([fmn]):(.+)$/.exec(entry)
    if (given !== null) own.set(given[1]!, given[2]!)
    else if (gendered !== null)
      offered.push({
        id: gendered[2]!,
        gender: gendered[1] === "f" ? "female" : gendered[1] === "m" ? "male" : "nonbinary"
      })
    else if (entry !== "") offered.push({ id: entry, gender: null })
  }
  const poolOf = (gender: Voice["gender"]) => {
    const alike = offered.filter((each) => each.gender === gender)
    const fit = alike.length > 0 ? alike : offered.filter((each) => each.gender === null)
    return fit.length > 0 ? fit : offered
  }
  return ({ gender, voiceId }) => {
    const given = own.get(voiceId)
    if (given !== undefined) return given
    const choice = poolOf(gender)
    if (choice.length === 0) return null
    const alike = catalog.filter(({ voice }) => voice.gender === gender && !own.has(voice.voiceId))
    const place = alike.findIndex(({ voice }) => voice.voiceId === voiceId)
    return choice[(place < 0 ? hash(voiceId) : place) % choice.length]!.id
  }
}
