import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { OperatorRole, OperatorScope, OperatorTokenView, OperatorView } from "../../../schema/operations/Operator.ts"
import {
  NotFound,
  OperatorConflict,
  OperatorRequired,
  InvalidField,
  SubjectConflict
} from "../../../schema/Problems.ts"
import { Job } from "../../../schema/operations/Job.ts"
import { act } from "../../runtime/protocol.ts"
import { gatekeeperVoices } from "../../voices/protocol/VoiceCatalog.ts"
import { AppKeyView } from "../../../schema/operations/IdentityApp.ts"

const Shown = Schema.Struct({ appKey: AppKeyView, secret: Schema.String })

/** Keys of external apps that may verify identity tokens. */
export const gatekeeperAppKeys = [
  Rpc.make("MakeAppKey", {
    payload: { name: Schema.String, audiences: Schema.Array(Schema.String), ...act },
    success: Shown,
    error: Schema.Union([InvalidField, OperatorConflict])
  }),
  /** Revokes the former secret at once. */
  Rpc.make("RotateAppKey", {
    payload: { id: Schema.String, ...act },
    success: Shown,
    error: NotFound
  }),
  /** A repeat changes nothing. */
  Rpc.make("RevokeAppKey", {
    payload: { id: Schema.String, ...act },
    success: AppKeyView,
    error: NotFound
  })
] as const

/** Operators' control of jobs. */
const jobControl = [
  Rpc.make("RetryJob", {
    payload: { id: Schema.String, ...act },
    success: Job,
    error: Schema.Union([NotFound, SubjectConflict])
  }),
  Rpc.make("CancelJob", {
    payload: { id: Schema.String, ...act },
    success: Job,
    error: Schema.Union([NotFound, SubjectConflict])
  })
] as const

const SignInLink = Schema.Struct({ operator: OperatorView, signInToken: Schema.String, expiresAt: Schema.String })
/** Operators and their keys. One mailbox for all, so that two admins can't remove each other concurrently. */
export const OperatorDesk = Entity.make("OperatorDesk", [
  ...gatekeeperAppKeys,
  ...gatekeeperVoices,
  ...jobControl,
  /** Records the use of an operator's key or session. */
  Rpc.make("OperatorSeen", { payload: { publicId: Schema.String, atMs: Schema.Finite } }),
  Rpc.make("AppKeySeen", { payload: { id: Schema.String, atMs: Schema.Finite } }),
  /** Signs in by a link, which works once. */
  Rpc.make("SignIn", {
    payload: { token: Schema.String },
    success: Schema.Struct({ session: Schema.String, operator: OperatorView, expiresAt: Schema.String }),
    error: OperatorRequired
  }),
  /**
   * Signs in by a provider's verified address that an admin has added. The first sign-in ties the operator to the provider's identity. A
   * `state` works once.
   */
  Rpc.make("SignInByAddress", {
    payload: {
      emailHash: Schema.String,
      identityHash: Schema.String,
      stateSha256: Schema.String,
      stateExpiresAtMs: Schema.Finite
    },
    success: Schema.Struct({ session: Schema.String, operator: OperatorView, expiresAt: Schema.String }),
    error: OperatorRequired
  }),
  Rpc.make("SignOut", { payload: { sessionId: Schema.String, actor: Schema.String } }),
  Rpc.make("AddOperator", {
    payload: { name: Schema.String, role: OperatorRole, email: Schema.NullOr(Schema.String), ...act },
    success: SignInLink,
    error: OperatorConflict
  }),
  /**
   * Changes role or address, or makes a new sign-in link. Without `email` the address stays; null removes it. `signInToken` is null unless
   * `newLink` is set.
   */
  Rpc.make("ChangeOperator", {
    payload: {
      id: Schema.String,
      role: Schema.NullOr(OperatorRole),
      email: Schema.optionalKey(Schema.NullOr(Schema.String)),
      newLink: Schema.Boolean,
      ...act
    },
    success: Schema.Struct({
      operator: OperatorView,
      signInToken: Schema.NullOr(Schema.String),
      expiresAt: Schema.NullOr(Schema.String)
    }),
    error: Schema.Union([NotFound, OperatorConflict])
  }),
  Rpc.make("RemoveOperator", {
    payload: { id: Schema.String, ...act },
    success: OperatorView,
    error: Schema.Union([NotFound, OperatorConflict])
  }),
  Rpc.make("MakeToken", {
    payload: { name: Schema.String, scope: OperatorScope, ...act },
    success: Schema.Struct({ token: OperatorTokenView, secret: Schema.String }),
    error: OperatorConflict
  }),
  Rpc.make("RevokeToken", { payload: { id: Schema.String, ...act }, error: Schema.Union([NotFound, OperatorConflict]) })
])
