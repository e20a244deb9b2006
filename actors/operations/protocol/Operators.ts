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

/** Which programs of others may have identity tokens verified. */
export const gatekeeperAppKeys = [
  Rpc.make("MakeAppKey", {
    payload: { name: Schema.String, audiences: Schema.Array(Schema.String), ...act },
    success: Shown,
    error: Schema.Union([InvalidField, OperatorConflict])
  }),
  /** The secret before ends at once. */
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

/** What becomes of a piece of background work. */
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
/** Who may run the station. One mailbox for all of them, so that two admins can't remove each other at once. */
export const OperatorDesk = Entity.make("OperatorDesk", [
  ...gatekeeperAppKeys,
  ...gatekeeperVoices,
  ...jobControl,
  /** An operator's key or session was used. */
  Rpc.make("OperatorSeen", { payload: { publicId: Schema.String, atMs: Schema.Finite } }),
  Rpc.make("AppKeySeen", { payload: { id: Schema.String, atMs: Schema.Finite } }),
  /** A link opens one session, once. */
  Rpc.make("SignIn", {
    payload: { token: Schema.String },
    success: Schema.Struct({ session: Schema.String, operator: OperatorView, expiresAt: Schema.String }),
    error: OperatorRequired
  }),
  /** By an address that a provider vouches for and an admin has written down. One way back opens one session. */
  Rpc.make("SignInByAddress", {
    payload: { emailHash: Schema.String, stateSha256: Schema.String, stateExpiresAtMs: Schema.Finite },
    success: Schema.Struct({ session: Schema.String, operator: OperatorView, expiresAt: Schema.String }),
    error: OperatorRequired
  }),
  Rpc.make("SignOut", { payload: { sessionId: Schema.String, actor: Schema.String } }),
  Rpc.make("AddOperator", {
    payload: { name: Schema.String, role: OperatorRole, email: Schema.NullOr(Schema.String), ...act },
    success: SignInLink,
    error: OperatorConflict
  }),
  /** Another role or address, or a new link for somebody who lost theirs; without `email` it stays, null takes it away; `signInToken` is null unless one was asked for. */
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
