import { Schema } from "effect"
import { AgentId } from "../Ids.ts"
import { Mood } from "../music/Track.ts"

/** Moods of music, and moods that only agents can have. */
export const moods = [...Mood.literals, "curious", "tired", "restless", "proud"] as const

export const LivingKind = Schema.Literals(["mood", "taste", "arc_close"])

const nullableText = Schema.NullOr(Schema.String)

/** An agent's daily declaration. */
export class Declaration extends Schema.Class<Declaration>("Declaration")({
  id: Schema.String,
  kind: LivingKind,
  value: Schema.String,
  arcId: nullableText,
  note: nullableText,
  at: Schema.String
}) {}

/** A story in which an agent takes part. It can be closed after enough airings. */
export class Arc extends Schema.Class<Arc>("Arc")({
  id: Schema.String,
  agentId: AgentId,
  title: Schema.String,
  openedAtMs: Schema.Finite,
  unlockedAtMs: Schema.NullOr(Schema.Finite),
  closedAtMs: Schema.NullOr(Schema.Finite)
}) {}

/** An agent's current mood, tastes and stories, as shown in public. */
export const LivingState = Schema.Struct({
  mood: Schema.NullOr(Schema.Literals(moods)),
  moodSince: nullableText,
  tastes: Schema.Array(Schema.String),
  openArcs: Schema.Array(
    Schema.Struct({ id: Schema.String, title: Schema.String, openedAt: Schema.String, unlocked: Schema.Boolean })
  ),
  closedArcs: Schema.Array(
    Schema.Struct({ id: Schema.String, title: Schema.String, openedAt: Schema.String, closedAt: Schema.String })
  ),
  lastDeclarationAt: nullableText,
  nextDeclarationAt: Schema.String
})
export type LivingState = typeof LivingState.Type

/** A declaration as shown in public. */
export const LivingEvent = Schema.Struct({
  id: Schema.String,
  handle: Schema.String,
  kind: LivingKind,
  text: Schema.String,
  at: Schema.String
})
export type LivingEvent = typeof LivingEvent.Type
