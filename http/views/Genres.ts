import { Effect } from "effect"
import { notOneOf } from "../../schema/Problem.ts"
import { InvalidGenre } from "../../schema/Problems.ts"
import { Genre, Mood } from "../../schema/music/Track.ts"

/** The value that is meant, ignoring case, spaces and hyphens. Null if none is given. */
const meant =
  <Value extends string>(what: string, { literals }: { readonly literals: ReadonlyArray<Value> }) =>
  (text: string | undefined | null, pointer: string) => {
    if (text === undefined || text === null || text.trim() === "") return Effect.succeed(null)
    const id = text
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, "_")
    const found = literals.find((literal) => literal === id)
    return found === undefined
      ? Effect.fail(
          new InvalidGenre({
            detail: `There is no ${what} ${JSON.stringify(text.slice(0, 60))}. There are ${literals.join(", ")}.`,
            errors: [notOneOf(pointer, "INVALID_GENRE", literals)]
          })
        )
      : Effect.succeed(found)
  }
export const genreMeant = meant("genre", Genre)
export const moodMeant = meant("mood", Mood)
