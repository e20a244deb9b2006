import { Effect } from "effect"
import { escalates, precheck } from "../engine/rules/Precheck.ts"
import { fieldsOf, proseOf, type ProfileField, type ProfileValues } from "../engine/rules/Profile.ts"
import type { Flag } from "../schema/Precheck.ts"
import { ContentRejected } from "../schema/Problems.ts"
import { excerptHash } from "./Submission.ts"

export interface Flagged {
  readonly field: ProfileField
  readonly flags: ReadonlyArray<Flag>
}

/** The texts among these at which somebody has to look. */
export const flaggedIn = (values: ProfileValues): ReadonlyArray<Flagged> =>
  fieldsOf(values).map((field) => ({ field, flags: precheck(proseOf(field, values[field] ?? null) ?? "", excerptHash).flags })).filter(({ flags }) => flags.length > 0)

/** What can't stand in a profile is refused, whoever looks at it. `at` is where the profile stands in the body. */
export const refuseEscalating = (flagged: ReadonlyArray<Flagged>, at = "") => {
  const escalating = flagged.filter(({ flags }) => escalates(flags))
  return escalating.length === 0 ? Effect.void : Effect.fail(new ContentRejected({
    detail: "Nothing was changed: this can't stand in a profile.", flags: flagged.flatMap(({ flags }) => flags),
    errors: escalating.map(({ field, flags }) => ({ pointer: `${at}/${field}`, code: "CONTENT_REJECTED", detail: `is flagged: ${flags.map(({ code }) => code).join(", ")}` }))
  }))
}
