import type { ActorNode } from "../../../schema/ActorTree.ts"

/** The actors of the process that answers, and those that only another process of the station runs, by name. */
export const mergeActors = (
  here: ReadonlyArray<ActorNode>,
  elsewhere: ReadonlyArray<ActorNode>
): ReadonlyArray<ActorNode> => {
  const merged = new Map(here.map((node) => [node.name, node]))
  for (const node of elsewhere)
    if (node.state !== "stopped" && (merged.get(node.name)?.state ?? "stopped") === "stopped")
      merged.set(node.name, node)
  return [...merged.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
