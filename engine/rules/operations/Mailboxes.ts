import type { Metric } from "effect"
import type { MailboxFigures } from "../../../schema/ActorTree.ts"

/** Figures of the actors' mailboxes, from the metrics that the actors keep. */
export const mailboxesOf = (metrics: ReadonlyArray<Metric.Metric.Snapshot>): ReadonlyArray<MailboxFigures> => {
  const found = new Map<
    string,
    { waiting: number; oldestSec: number; handled: number; died: number; sum: number; count: number }
  >()
  const of = (actor: string) => {
    const known = found.get(actor) ?? { waiting: 0, oldestSec: 0, handled: 0, died: 0, sum: 0, count: 0 }
    found.set(actor, known)
    return known
  }
  for (const { attributes, id, state } of metrics) {
    const actor = attributes?.["actor"]
    if (typeof actor !== "string") continue
    if (id === "actor_mailbox_depth" && "value" in state) of(actor).waiting = Number(state.value)
    if (id === "actor_mailbox_oldest_seconds" && "value" in state) of(actor).oldestSec = Number(state.value)
    if (id === "actor_messages_total" && "count" in state)
      of(actor)[attributes?.["outcome"] === "died" ? "died" : "handled"] += Number(state.count)
    if (id === "actor_handling_seconds" && "sum" in state) {
      of(actor).sum += state.sum
      of(actor).count += Number(state.count)
    }
  }
  return [...found]
    .map(([actor, { count, sum, ...figures }]) => ({
      actor,
      ...figures,
      meanMs: count === 0 ? null : Math.round((sum / count) * 1_000_000) / 1_000
    }))
    .sort((a, b) => (a.actor < b.actor ? -1 : 1))
}
