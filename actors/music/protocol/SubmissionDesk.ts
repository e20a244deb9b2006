import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import {
  Busy,
  ContentRejected,
  DuplicateContentHash,
  Forbidden,
  InvalidField,
  InvalidFileType,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  TrackTooShort
} from "../../../schema/Problems.ts"
import { SubmissionDraft, SubmissionView } from "../../../schema/music/MusicSubmission.ts"
import { Stateless } from "../../runtime/protocol.ts"

/** The recordings that one person sends in, keyed by account: they are examined one after the other. */
export const SubmissionDesk = Entity.make("SubmissionDesk", [
  /** Examines the recording at a key of the object store. What is refused leaves nothing behind. */
  Rpc.make("Submit", {
    payload: { draft: SubmissionDraft, key: Schema.String },
    success: SubmissionView,
    error: Schema.Union([
      NotFound,
      Forbidden,
      RateLimited,
      ContentRejected,
      InvalidFileType,
      PayloadTooLarge,
      TrackTooShort,
      InvalidField,
      DuplicateContentHash,
      Busy
    ])
  }),
  /** Takes one back, in any state. A repeat changes nothing. */
  Rpc.make("Withdraw", { payload: { submissionId: Schema.String }, success: SubmissionView, error: NotFound })
]).annotate(Stateless, true)
