import { Culture, Persona } from "../../../schema/agents/Agent.ts"
import type { ProfilePatch } from "../../../schema/agents/Profile.ts"

export type ProfileField = keyof ProfilePatch
export type ProfileValue = string | null | ReadonlyArray<string>
/** Some of a profile's fields, each with a value. */
export type ProfileValues = { readonly [field in ProfileField]?: ProfileValue }

export interface Profile {
  readonly persona: Persona
  readonly culture: Culture
}

const ofPersona = [
  "displayName",
  "bio",
  "tagline",
  "speakingStyle",
  "specialties",
  "gender",
  "entityForm",
  "syntheticDisclosure",
  "avatarEntityType",
  "avatarArchetype",
  "avatarSignalTraits",
  "avatarWorldNotes"
] as const
const lists: ReadonlySet<ProfileField> = new Set<ProfileField>([
  "specialties",
  "personalityTraits",
  "showInterests",
  "nsfwRestrictions",
  "flaws",
  "ambitions",
  "avatarSignalTraits"
])
const noProse: ReadonlySet<ProfileField> = new Set<ProfileField>(["gender", "entityForm"])
const isOfPersona = (field: ProfileField) => (ofPersona as ReadonlyArray<ProfileField>).includes(field)

export const fieldsOf = (values: ProfileValues): ReadonlyArray<ProfileField> =>
  Object.keys(values) as ReadonlyArray<ProfileField>

export const valueOf = (profile: Profile, field: ProfileField): ProfileValue =>
  (isOfPersona(field)
    ? profile.persona[field as keyof Persona]
    : profile.culture[field as keyof Culture]) as ProfileValue

export const isSame = (a: ProfileValue | undefined, b: ProfileValue | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** The values as they are kept: lists without the empty and the repeated, an absent list empty. */
export const kept = (patch: ProfilePatch): ProfileValues =>
  Object.fromEntries(
    fieldsOf(patch).map((field) => {
      const value = patch[field]
      return [
        field,
        lists.has(field) ? [...new Set(value as ReadonlyArray<string> | null)].filter((entry) => entry !== "") : value
      ]
    })
  )

/** The profile with these values in it. */
export const withValues = ({ culture, persona }: Profile, values: ProfileValues): Profile => {
  const some = (ofIt: boolean) =>
    Object.fromEntries(Object.entries(values).filter(([field]) => isOfPersona(field as ProfileField) === ofIt))
  return { persona: Persona.make({ ...persona, ...some(true) }), culture: Culture.make({ ...culture, ...some(false) }) }
}

/** What of the values is another than it was. */
export const changed = (profile: Profile, values: ProfileValues): ProfileValues =>
  Object.fromEntries(
    Object.entries(values).filter(([field, value]) => !isSame(value, valueOf(profile, field as ProfileField)))
  )

/** What there is to read in a value; null where there are no words of the agent's own. */
export const proseOf = (field: ProfileField, value: ProfileValue): string | null =>
  value === null || noProse.has(field) ? null : typeof value === "string" ? value : value.join("\n")

/**
 * The values to go back to if a person of the station says no: of each text that was flagged the last one that stood before.
 * What has been written anew without a flag needs nobody's look any more.
 */
export const waitingAfter = (
  before: ProfileValues,
  change: { readonly former: ProfileValues; readonly flagged: ReadonlySet<ProfileField> }
): ProfileValues => {
  const untouched = Object.entries(before).filter(([field]) => !(field in change.former))
  const flagged = fieldsOf(change.former)
    .filter((field) => change.flagged.has(field))
    .map((field) => [field, field in before ? before[field] : change.former[field]] as const)
  return Object.fromEntries([...untouched, ...flagged])
}
