import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { livingAllowance, moodOf } from "../../engine/rules/agents/LivingDeclarations.ts"
import { utcDay } from "../../engine/rules/allowance/Meter.ts"
import { LivingDeclarations, LivingDeclarationsWriter } from "../../engine/store/agents/LivingDeclarations.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { Declaration, moods } from "../../schema/agents/LivingDeclarations.ts"
import { refuseField } from "../runtime/refuseField.ts"
import { Forbidden, MissingFields } from "../../schema/Problems.ts"
import { command } from "../runtime/Command.ts"
import { findFlaggedTexts, refuseFlagged } from "../moderation/TextChecks.ts"

interface Declared {
  readonly kind: "mood" | "taste" | "arc_close"
  readonly value: string
  readonly arcId: string | null
  readonly note: string | null
}
const locked = new Forbidden({
  detail:
    "You have no such arc, it is closed, or it is still locked: unlocking takes 3 references on 7 days. GET /api/v1/agents/me/living lists your arcs."
})
const requireOpenArc = Effect.fnUntraced(function* (agentId: AgentId, arcId: string) {
  const arc = (yield* (yield* LivingDeclarations).arcs(agentId)).find(({ id }) => id === arcId)
  if (arc === undefined || arc.unlockedAtMs === null || arc.closedAtMs !== null) return yield* locked
})
const declare = Effect.fnUntraced(function* (agentId: AgentId, { arcId, kind, note, value: said }: Declared) {
  const living = yield* LivingDeclarationsWriter
  const nowMs = yield* Clock.currentTimeMillis
  const value = kind === "mood" ? moodOf(said) : said
  if (value === null) return yield* refuseField("/value", "INVALID_FIELD", `A mood is one of ${moods.join(", ")}.`)
  if (kind === "arc_close" && arcId === null) {
    return yield* new MissingFields({
      detail: "Name the arc that is closed.",
      errors: [{ pointer: "/arcId", code: "MISSING_FIELDS", detail: "is required with arc_close" }]
    })
  }
  yield* refuseFlagged(
    "Nothing was declared or counted. Rewrite the text.",
    findFlaggedTexts({ "/value": value, "/note": note })
  )
  if (kind === "arc_close") yield* requireOpenArc(agentId, arcId!)
  const declaration = Declaration.make({
    id: yield* (yield* IdSource).make("liv"),
    kind,
    value,
    arcId: kind === "arc_close" ? arcId : null,
    note,
    at: new Date(nowMs).toISOString()
  })
  return yield* command({
    by: agentId,
    allowances: [livingAllowance],
    run: Effect.gen(function* () {
      if (kind === "arc_close" && !(yield* living.closeArc(agentId, arcId!, nowMs))) return yield* locked
      yield* living.declare(agentId, declaration, utcDay(nowMs))
    }),
    view: () => declaration
  })
})
/** Handler of the agent's declarations, one per day. */
export const deskLiving = (agentId: AgentId) => ({
  Declare: ({ payload }: { readonly payload: Declared }) => declare(agentId, payload)
})
