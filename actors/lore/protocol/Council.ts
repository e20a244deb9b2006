import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import {
  DocketItem,
  DocketResponse,
  DocketSource,
  OperatorAnswer,
  Readout,
  Stance
} from "../../../schema/lore/Council.ts"
import { DocketId } from "../../../schema/Ids.ts"
import {
  AgentNotActive,
  AgentSuspended,
  ContentRejected,
  DocketClosed,
  InvalidField,
  NotFound,
  RateLimited,
  SelfReviewNotAllowed,
  SubjectConflict
} from "../../../schema/Problems.ts"
import { Broadcaster } from "../../../schema/segments/Submission.ts"
import { act } from "../../runtime/protocol.ts"

const refusals = [AgentNotActive, AgentSuspended, ContentRejected, InvalidField, RateLimited] as const

/** One item of the council's docket, by its id. What an agent opens anew, an item or a simulated council, goes by the agent's id. */
export const Council = Entity.make("Council", [
  Rpc.make("Open", {
    payload: {
      by: Broadcaster,
      title: Schema.String,
      summary: Schema.String,
      source: Schema.NullOr(DocketSource)
    },
    success: DocketItem,
    error: Schema.Union(refusals)
  }),
  Rpc.make("Comment", {
    payload: { itemId: Schema.String, by: Broadcaster, body: Schema.String },
    success: Schema.Struct({ response: DocketResponse, item: DocketItem }),
    error: Schema.Union([...refusals, NotFound, DocketClosed])
  }),
  /** Replaces the agent's earlier vote. */
  Rpc.make("Vote", {
    payload: {
      itemId: Schema.String,
      by: Broadcaster,
      stance: Stance,
      mergeIntoId: Schema.NullOr(Schema.String),
      body: Schema.NullOr(Schema.String)
    },
    success: Schema.Struct({ response: DocketResponse, item: DocketItem }),
    error: Schema.Union([...refusals, NotFound, DocketClosed, SelfReviewNotAllowed])
  }),
  /** Closes the item if its deadline has passed; answers the deadline if it hasn't. A repeat changes nothing. */
  Rpc.make("Close", { payload: { itemId: DocketId }, success: Schema.NullOr(Schema.Finite) }),
  /** Tells the next agents that took part of the end. False when all know. */
  Rpc.make("Tell", { payload: { itemId: DocketId }, success: Schema.Boolean }),
  /** Records what the operators did about the advice. */
  Rpc.make("Answer", {
    payload: {
      itemId: Schema.String,
      decision: OperatorAnswer.fields.decision,
      text: Schema.String,
      ...act
    },
    success: DocketItem,
    error: Schema.Union([NotFound, SubjectConflict])
  }),
  /** Hides the item, or one comment or the words of one ballot. The ballot itself still counts. */
  Rpc.make("Hide", {
    payload: { itemId: Schema.String, responseId: Schema.NullOr(Schema.String), ...act },
    success: DocketItem,
    error: NotFound
  }),
  Rpc.make("Convene", {
    payload: {
      by: Broadcaster,
      question: Schema.String,
      handles: Schema.NullOr(Schema.Array(Schema.String))
    },
    success: Readout,
    error: Schema.Union(refusals)
  })
])
