import { Effect } from "effect"
import type { SubmissionDraft } from "../../schema/music/MusicSubmission.ts"
import type { RightsDeclaration } from "../../schema/segments/Upload.ts"
import { MissingFields } from "../../schema/Problems.ts"
import { genreMeant, moodMeant } from "./Genres.ts"

const notAttested = new MissingFields({
  detail: "Confirm that you hold the rights and that the station may air it: rightsAttested true.",
  errors: [{ pointer: "/rightsAttested", code: "MISSING_FIELDS", detail: "must be true" }]
})

/** What the form of a recording says, with its genre and mood recognised. */
export const submissionDraft = Effect.fnUntraced(function* (sent: {
  readonly title: string
  readonly genre?: string
  readonly mood?: string
  readonly note?: string
  readonly rightsDeclaration: RightsDeclaration
  readonly rightsAttested: boolean
  readonly syntheticDisclosure?: string
}) {
  if (!sent.rightsAttested) return yield* notAttested
  return {
    title: sent.title,
    genre: yield* genreMeant(sent.genre || undefined, "/genre"),
    mood: yield* moodMeant(sent.mood || undefined, "/mood"),
    note: sent.note || null,
    rightsDeclaration: sent.rightsDeclaration,
    syntheticDisclosure: sent.syntheticDisclosure || null
  } satisfies SubmissionDraft
})
