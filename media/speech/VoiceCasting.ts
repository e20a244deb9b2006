import type { Gender } from "../../schema/voices/Voice.ts"

/** A speaker of a model. `gender` and `british` are null if the model doesn't say; `pitchHz` is measured, 0 if it has none. */
export interface Speaker {
  readonly id: number
  readonly gender: "male" | "female" | null
  readonly british: boolean | null
  readonly pitchHz: number
}

/** What casting needs of a voice of the catalog. */
export interface CastVoice {
  readonly voiceId: string
  readonly gender: Gender
  readonly accent: string
  readonly pitchHz: number
}

/** Who speaks a voice, and how much higher than by itself: its sound is played that much faster, and spoken slower to match. */
export interface Casting {
  readonly speaker: number
  readonly pitchRatio: number
}

/** Beyond these a voice sounds like a machine that runs at the wrong speed. */
const [ratioMin, ratioMax] = [0.88, 1.14]
/** How many speakers of a model without names are listened to. */
export const auditionsMax = 16

const american = new Set(["American", "New York", "Caribbean"])
/** Above it a voice of unknown gender is taken for a woman's. */
const womanFromHz = 165

/** Speakers worth an audition, with what their names say: Kokoro writes language and gender first, Kitten writes gender last. */
export const candidatesOf = (names: ReadonlyArray<string>, count: number): ReadonlyArray<Omit<Speaker, "pitchHz">> => {
  const named = names.slice(0, count).flatMap((name, id) => {
    const kokoro = /^([ab])([fm])(_|$)/.exec(name)
    if (kokoro !== null)
      return [{ id, gender: kokoro[2] === "f" ? ("female" as const) : ("male" as const), british: kokoro[1] === "b" }]
    const kitten = /-([fm])$/.exec(name)
    return kitten === null
      ? []
      : [{ id, gender: kitten[1] === "f" ? ("female" as const) : ("male" as const), british: false }]
  })
  if (named.length > 0) return named
  const step = Math.max(1, count / auditionsMax)
  return Array.from({ length: Math.min(count, auditionsMax) }, (_, index) => ({
    id: Math.floor(index * step),
    gender: null,
    british: null
  }))
}

const genderOf = ({ gender, pitchHz }: Speaker) =>
  gender ?? (pitchHz === 0 ? null : pitchHz >= womanFromHz ? "female" : "male")

const misfitOf = (voice: CastVoice, speaker: Speaker): number => {
  const gender = genderOf(speaker)
  return (
    (speaker.pitchHz > 0 ? Math.abs(Math.log(voice.pitchHz / speaker.pitchHz)) : 0) +
    (voice.gender !== "nonbinary" && gender !== null && gender !== voice.gender ? 2 : 0) +
    (speaker.british !== null && speaker.british === american.has(voice.accent) ? 0.3 : 0)
  )
}
const ratioOf = (voice: CastVoice, { pitchHz }: Speaker): number =>
  pitchHz === 0 ? 1 : Math.max(ratioMin, Math.min(ratioMax, voice.pitchHz / pitchHz))

/** The speaker for a voice that isn't in the catalog, such as one that operators described. */
export const castOne = (voice: CastVoice, speakers: ReadonlyArray<Speaker>): Casting => {
  const best = speakers.toSorted((one, other) => misfitOf(voice, one) - misfitOf(voice, other) || one.id - other.id)[0]
  return best === undefined ? { speaker: 0, pitchRatio: 1 } : { speaker: best.id, pitchRatio: ratioOf(voice, best) }
}

/**
 * Who speaks each voice of the catalog. It depends on the catalog and the model alone: a claimed voice stays the same. Voices share the
 * speakers evenly, and those of one speaker are set apart in pitch in the order of the catalog's own pitches.
 */
export const castAll = (
  voices: ReadonlyArray<CastVoice>,
  speakers: ReadonlyArray<Speaker>
): ReadonlyMap<string, Casting> => {
  const parts = new Map<number, Array<CastVoice>>(speakers.map(({ id }) => [id, []]))
  for (const voice of voices) {
    const cost = (speaker: Speaker) => misfitOf(voice, speaker) + 0.2 * parts.get(speaker.id)!.length
    const best = speakers.toSorted((one, other) => cost(one) - cost(other) || one.id - other.id)[0]
    if (best !== undefined) parts.get(best.id)!.push(voice)
  }
  const cast = new Map<string, Casting>()
  for (const speaker of speakers) {
    const own = parts
      .get(speaker.id)!
      .toSorted((one, other) => one.pitchHz - other.pitchHz || (one.voiceId < other.voiceId ? -1 : 1))
    for (const [rank, voice] of own.entries())
      cast.set(voice.voiceId, {
        speaker: speaker.id,
        pitchRatio:
          own.length === 1 ? ratioOf(voice, speaker) : ratioMin + ((ratioMax - ratioMin) * (rank + 0.5)) / own.length
      })
  }
  return cast
}
