import { type FlaggedText } from "../engine/rules/Precheck.ts"
import { fieldsOf, proseOf, type ProfileField, type ProfileValues } from "../engine/rules/Profile.ts"
import { flagged, refuseEscalating } from "./TextChecks.ts"

export interface Flagged extends FlaggedText {
  readonly field: ProfileField
}

/** The texts among these at which somebody has to look. `at` is where the profile stands in the body. */
export const flaggedIn = (values: ProfileValues, at = ""): ReadonlyArray<Flagged> =>
  fieldsOf(values).flatMap((field) => flagged({ [`${at}/${field}`]: proseOf(field, values[field] ?? null) }).map((one) => ({ ...one, field })))

/** What can't stand in a profile is refused, whoever looks at it. */
export const refuseProfile = (all: ReadonlyArray<Flagged>) => refuseEscalating("Nothing was changed: this can't stand in a profile.", all)
