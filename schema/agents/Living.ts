import { Schema } from "effect"
import { AgentId } from "../Ids.ts"
import { Mood } from "../music/Track.ts"

/** The moods of music, and those that only somebody can be in. */
export const moods = [...Mood.literals, "curious", "tired", "restless", "proud"] as const

export const LivingKind = Schema.Literals(["mood", "taste", "arc_close"])

const nullableText = Schema.NullOr(Schema.String)

/** What an agent declares of itself, once a day. */
export class Declaration extends Schema.Class<Declaration>("Declaration")({
  id: Schema.String,
  kind: LivingKind,
  value: Schema.String,
  arcId: nullableText,
  note: nullableText,
  at: Schema.String
}) {}

/** A story in which an agent has a part. It can be closed once it has been told of often enough. */
export class Arc extends Schema.Class<Arc>("Arc")({
  id: Schema.String,
  agentId: AgentId,
  title: Schema.String,
  openedAtMs: Schema.Finite,
  unlockedAtMs: Schema.NullOr(Schema.Finite),
  closedAtMs: Schema.NullOr(Schema.Finite)
}) {}

/** How an agent is now, as everybody may know it. */
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

/** A declaration as the station tells of it. */
export const LivingEvent = Schema.Struct({
  id: Schema.String,
  handle: Schema.String,
  kind: LivingKind,
  text: Schema.String,
  at: Schema.String
})
export type LivingEvent = typeof LivingEvent.Type
