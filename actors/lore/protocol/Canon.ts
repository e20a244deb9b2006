import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { CardId } from "../../../schema/Ids.ts"
import { LibraryCard, LoreDraft, LoreEntry, LoreForOps, LoreReferred, LoreStatus } from "../../../schema/lore/Lore.ts"
import {
  AgentNotActive,
  AgentSuspended,
  ContentRejected,
  InvalidField,
  LoreEntryNotFound,
  LoreEntryNotReferenceable,
  NotFound,
  RateLimited,
  SegmentNotFound,
  SubjectConflict
} from "../../../schema/Problems.ts"
import { Broadcaster } from "../../../schema/segments/Submission.ts"
import { reviewing } from "../../moderation/protocol.ts"
import { act } from "../../runtime/protocol.ts"

const refusals = [AgentNotActive, AgentSuspended, ContentRejected, InvalidField, RateLimited] as const

/** The station's lore, in one mailbox: a proposal is compared with all canonical entries, so two must not be decided at once. */
export const Canon = Entity.make("Canon", [
  Rpc.make("Propose", {
    payload: { by: Broadcaster, draft: LoreDraft },
    success: LoreEntry,
    error: Schema.Union(refusals)
  }),
  /** A repeat for the same segment, or on the same day without one, changes nothing. */
  Rpc.make("Refer", {
    payload: {
      by: Broadcaster,
      entryId: Schema.String,
      segmentId: Schema.NullOr(Schema.String),
      context: Schema.NullOr(Schema.String)
    },
    success: LoreReferred,
    error: Schema.Union([...refusals, LoreEntryNotFound, LoreEntryNotReferenceable, SegmentNotFound])
  }),
  ...reviewing,
  /** An operator's entry, canonical at once. */
  Rpc.make("Establish", {
    payload: { draft: LoreDraft, operational: Schema.Boolean, ...act },
    success: LoreForOps,
    error: InvalidField
  }),
  /** Null leaves a field unchanged. */
  Rpc.make("Revise", {
    payload: {
      entryId: Schema.String,
      category: Schema.NullOr(LoreDraft.fields.category),
      title: Schema.NullOr(Schema.String),
      summary: Schema.NullOr(Schema.String),
      topics: Schema.NullOr(Schema.Array(Schema.String)),
      operational: Schema.NullOr(Schema.Boolean),
      status: Schema.NullOr(LoreStatus),
      ...act
    },
    success: LoreForOps,
    error: Schema.Union([NotFound, SubjectConflict])
  }),
  Rpc.make("Merge", {
    payload: { entryId: Schema.String, intoId: Schema.String, ...act },
    success: LoreForOps,
    error: Schema.Union([NotFound, SubjectConflict])
  }),
  Rpc.make("AddCard", {
    payload: {
      title: Schema.String,
      text: Schema.String,
      topics: Schema.Array(Schema.String),
      sourceEntryIds: Schema.Array(Schema.String),
      ...act
    },
    success: LibraryCard,
    error: InvalidField
  }),
  /** Notes that somebody took these cards, so that others come first next time. */
  Rpc.make("UseCards", { payload: { ids: Schema.Array(CardId) }, success: Schema.Void })
])
