import { Culture, Persona } from "../../../schema/agents/Agent.ts"
import type { ProfilePatch } from "../../../schema/agents/Profile.ts"

export type ProfileField = keyof ProfilePatch
export type ProfileValue = string | null | ReadonlyArray<string>
/** Some fields of a profile with their values. */
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

/** Values in stored form: lists without empty or repeated entries, a missing list as an empty one. */
export const normalizeValues = (patch: ProfilePatch): ProfileValues =>
  Object.fromEntries(
    fieldsOf(patch).map((field) => {
      const value = patch[field]
      return [
        field,
        lists.has(field) ? [...new Set(value as ReadonlyArray<string> | null)].filter((entry) => entry !== "") : value
      ]
    })
  )

/** The profile with these values replaced. */
export const withValues = ({ culture, persona }: Profile, values: ProfileValues): Profile => {
  const pickValues = (ofIt: boolean) =>
    Object.fromEntries(Object.entries(values).filter(([field]) => isOfPersona(field as ProfileField) === ofIt))
  return {
    persona: Persona.make({ ...persona, ...pickValues(true) }),
    culture: Culture.make({ ...culture, ...pickValues(false) })
  }
}

/** The values that differ from the profile's. */
export const pickChanged = (profile: Profile, values: ProfileValues): ProfileValues =>
  Object.fromEntries(
    Object.entries(values).filter(([field, value]) => !isSame(value, valueOf(profile, field as ProfileField)))
  )

/** The free text in a value; null if there is none. */
export const proseOf = (field: ProfileField, value: ProfileValue): string | null =>
  value === null || noProse.has(field) ? null : typeof value === "string" ? value : value.join("\n")

/**
 * The values to restore if a reviewer rejects: for each flagged text, the last one before it. A field rewritten without a flag no longer needs a
 * review.
 */
export const findWaiting = (
  before: ProfileValues,
  change: { readonly former: ProfileValues; readonly flagged: ReadonlySet<ProfileField> }
): ProfileValues => {
  const untouched = Object.entries(before).filter(([field]) => !(field in change.former))
  const flagged = fieldsOf(change.former)
    .filter((field) => change.flagged.has(field))
    .map((field) => [field, field in before ? before[field] : change.former[field]] as const)
  return Object.fromEntries([...untouched, ...flagged])
}
