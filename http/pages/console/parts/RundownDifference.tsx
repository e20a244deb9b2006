import type { Line, Rundown } from "../desk/AirState.ts"
import { lengthOf, timeOf } from "../desk/Words.ts"

/** One line of what would be, beside what is. */
interface Change {
  readonly line: Line
  readonly mark: "added" | "removed" | "moved" | "retimed" | "same"
  readonly wasAtMs: number | null
}

const shownMax = 12
/** An operator sees no smaller shift. */
const shiftMinMs = 500

/** What a rundown would be, line by line, with what left it. `moved` names the item that the operator moves. */
export const changesOf = (before: Rundown, after: Rundown, moved: string | null): ReadonlyArray<Change> => {
  const was = new Map(before.items.map((line) => [line.id as string, line]))
  const is = new Set(after.items.map(({ id }) => id as string))
  return [
    ...before.items
      .filter(({ id }) => !is.has(id) && id !== after.onAir?.id)
      .map((line) => ({ line, mark: "removed" as const, wasAtMs: line.expectedAtMs })),
    ...after.items.map((line) => {
      const old = was.get(line.id)
      const mark =
        old === undefined
          ? ("added" as const)
          : line.id === moved
            ? ("moved" as const)
            : Math.abs(old.expectedAtMs - line.expectedAtMs) >= shiftMinMs
              ? ("retimed" as const)
              : ("same" as const)
      return { line, mark, wasAtMs: old?.expectedAtMs ?? null }
    })
  ].toSorted((one, other) => one.line.expectedAtMs - other.line.expectedAtMs)
}

const words = { added: "new", removed: "leaves", moved: "moves", retimed: "", same: "" } as const

/** The rundown as it would be, with what changes. */
export const RundownDifference = ({
  after,
  before,
  moved = null
}: {
  readonly before: Rundown
  readonly after: Rundown
  readonly moved?: string | null
}) => {
  const changes = changesOf(before, after, moved)
  /** What changes, with its neighbours. */
  const near = changes.filter((_, at) => [at - 1, at, at + 1].some((one) => (changes[one]?.mark ?? "same") !== "same"))
  const later = changes.filter(({ mark }) => mark === "retimed").length
  return (
    <>
      <ol class="difference">
        {near.slice(0, shownMax).map(({ line, mark, wasAtMs }) => (
          <li key={`${line.id} ${mark}`} class={`difference-${mark}`}>
            <span class="figures">{mark === "removed" ? "–" : timeOf(line.expectedAtMs)}</span>
            <span class="clip">{line.title}</span>
            <span class="note">
              {mark === "retimed"
                ? `${line.expectedAtMs < wasAtMs! ? "−" : "+"}${lengthOf(Math.abs(line.expectedAtMs - wasAtMs!))}`
                : words[mark]}
            </span>
          </li>
        ))}
      </ol>
      <p class="note">
        {near.length === 0
          ? "Nothing would change."
          : later === 0
            ? "Nothing else changes."
            : `${later} ${later === 1 ? "item begins" : "items begin"} at another time.`}
      </p>
    </>
  )
}
