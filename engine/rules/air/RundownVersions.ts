import type { Difference } from "../../../schema/Problem.ts"
import type { RundownLine } from "../../../schema/air/Rundown.ts"
import { rundownVersionsKept, startShiftSeenSamples } from "./limits.ts"

/** The rundown as operators see it. */
export interface RundownShown {
  readonly revision: number
  readonly held: boolean
  readonly emergency: boolean
  readonly onAir: RundownLine | null
  readonly items: ReadonlyArray<RundownLine>
}

/** Ids of the longest part that kept its order: everything else was moved. */
const findInOrder = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlySet<string> => {
  const place = new Map(before.map((id, at) => [id, at]))
  const known = after.filter((id) => place.has(id))
  const length = known.map(() => 1)
  const previous = known.map(() => -1)
  for (let i = 0; i < known.length; i++)
    for (let j = 0; j < i; j++)
      if (place.get(known[j]!)! < place.get(known[i]!)! && length[j]! >= length[i]!) {
        length[i] = length[j]! + 1
        previous[i] = j
      }
  const kept = new Set<string>()
  for (let at = length.indexOf(Math.max(0, ...length)); at >= 0; at = previous[at]!) kept.add(known[at]!)
  return kept
}

/** What an operator would see differently. An item whose start moves by less than half a second is the same. */
export const rundownDifferences = (before: RundownShown, after: RundownShown): ReadonlyArray<Difference> => {
  const was = new Map(before.items.map((line) => [line.id as string, line]))
  const is = new Map(after.items.map((line) => [line.id as string, line]))
  const found: Array<Difference> = []
  const note = (id: string | null, change: string, detail: string) => found.push({ id, change, detail })
  if (before.emergency !== after.emergency)
    note(null, "emergency", after.emergency ? "The emergency programme is on." : "The emergency programme has ended.")
  if (before.held !== after.held)
    note(null, "held", after.held ? "Contributions are held." : "Contributions air again.")
  if (before.onAir?.id !== after.onAir?.id)
    note(
      after.onAir?.id ?? null,
      "on_air",
      after.onAir === null ? "Nothing planned is on the air." : `${after.onAir.title} is on the air.`
    )
  for (const [id, { title }] of was)
    if (!is.has(id) && id !== after.onAir?.id) note(id, "removed", `${title} has left the rundown.`)
  const kept = findInOrder([...was.keys()], [...is.keys()])
  for (const [id, line] of is) {
    const old = was.get(id)
    if (old === undefined) note(id, "added", `${line.title} is new.`)
    else if (!kept.has(id)) note(id, "moved", `${line.title} has another place.`)
    else if (Math.abs(old.startSample - line.startSample) >= startShiftSeenSamples && !line.held)
      note(id, "retimed", `${line.title} begins at another time.`)
    if (old !== undefined && old.held !== line.held)
      note(id, line.held ? "held" : "released", `${line.title} is ${line.held ? "held" : "released"}.`)
    if (old !== undefined && old.locked !== line.locked)
      note(id, line.locked ? "locked" : "unlocked", `${line.title} is ${line.locked ? "locked" : "unlocked"}.`)
  }
  return found
}

/** The rundowns that operators may have seen, as far back as `rundownVersionsKept`. */
export class RundownVersions {
  readonly #shown = new Map<number, RundownShown>()
  #commanded = 0

  show(rundown: RundownShown): void {
    this.#shown.delete(rundown.revision)
    this.#shown.set(rundown.revision, rundown)
    if (this.#shown.size > rundownVersionsKept) this.#shown.delete(this.#shown.keys().next().value!)
  }

  /** Notes that a command of an operator made this revision. */
  noteCommand(revision: number): void {
    this.#commanded = Math.max(this.#commanded, revision)
  }

  /**
   * What changed since the revision that an operator saw; null when nothing did. An unknown revision has changed in an unknown way. After
   * another operator's command a revision is outdated in any case, so that of two concurrent commands one wins.
   */
  differencesSince(revision: number, now: RundownShown): ReadonlyArray<Difference> | null {
    if (revision === now.revision) return null
    const seen = this.#shown.get(revision)
    if (seen === undefined) return []
    const found = rundownDifferences(seen, now)
    return found.length > 0 || this.#commanded > revision ? found : null
  }
}
