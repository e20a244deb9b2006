import type { Block, GridRevision } from "../../../schema/programmes/Block.ts"
import type { Difference } from "../../../schema/Problem.ts"

const byId = (blocks: ReadonlyArray<Block>) => new Map(blocks.map((block) => [block.id as string, block]))

/** Blocks that are new, changed or gone between two states of the week. Each is named once. */
export const weekDifferences = (
  before: ReadonlyArray<GridRevision>,
  after: ReadonlyArray<GridRevision>
): ReadonlyArray<Difference> => {
  const found = new Map<string, Difference>()
  const note = (id: string, change: string, detail: string) => {
    if (!found.has(id)) found.set(id, { id, change, detail })
  }
  const instants = [...new Set([...before, ...after].map(({ validFromMs }) => validFromMs))].sort((a, b) => a - b)
  const inForce = (weeks: ReadonlyArray<GridRevision>, atMs: number) =>
    weeks.findLast(({ validFromMs }) => validFromMs <= atMs)?.blocks ?? weeks[0]?.blocks ?? []
  for (const atMs of instants) {
    const [was, is] = [byId(inForce(before, atMs)), byId(inForce(after, atMs))]
    for (const [id, block] of is) {
      const old = was.get(id)
      if (old === undefined) note(id, "added", `${block.title} is new.`)
      else if (JSON.stringify(old) !== JSON.stringify(block)) note(id, "changed", `${block.title} was changed.`)
    }
    for (const [id, block] of was) if (!is.has(id)) note(id, "removed", `${block.title} was removed.`)
  }
  return [...found.values()]
}
