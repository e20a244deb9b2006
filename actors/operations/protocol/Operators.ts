import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { OperatorRole, OperatorScope, OperatorTokenView, OperatorView } from "../../../schema/operations/Operator.ts"
import {
  NotFound,
  OperatorConflict,
  OperatorRequired,
  InvalidField,
  PreconditionFailed,
  RateLimited,
  SubjectConflict
} from "../../../schema/Problems.ts"
import { Alert } from "../../../schema/operations/Alert.ts"
import { ActorNode } from "../../../schema/ActorTree.ts"
import { Backup } from "../../../schema/operations/Backup.ts"
import { Simulation, SimulationAsk } from "../../../schema/operations/Simulation.ts"
import { MailLetter } from "../../../schema/operations/Mail.ts"
import { Job } from "../../../schema/operations/Job.ts"
import {
  RotationSettings,
  SetupLine,
  SetupPatch,
  SettingsPatch,
  StationSettings
} from "../../../schema/operations/Settings.ts"
import { act, seen } from "../../runtime/protocol.ts"
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

/** Operators' acknowledgement of alerts. A repeat changes nothing. */
const alertControl = [
  Rpc.make("AcknowledgeAlert", { payload: { id: Schema.String, ...act }, success: Alert, error: NotFound })
] as const

/** Operators' changes of settings. Refused when they changed since the version in `seen`. */
const settingsControl = [
  Rpc.make("ChangeSettings", {
    payload: { patch: SettingsPatch, ...act, ...seen },
    success: Schema.Struct({ settings: StationSettings, version: Schema.Finite }),
    error: PreconditionFailed
  }),
  /** Written for the next start. */
  Rpc.make("ChangeSetup", {
    payload: { patch: SetupPatch, ...act },
    success: Schema.Array(SetupLine),
    error: InvalidField
  }),
  Rpc.make("ChangeRotation", {
    payload: { rotation: RotationSettings, ...act, ...seen },
    success: Schema.Struct({ rotation: RotationSettings, version: Schema.Finite }),
    error: PreconditionFailed
  })
] as const

/** Operators' control of mail, backups and actors. */
const careControl = [
  /** The letter without its secrets; null when it isn't kept any more. */
  Rpc.make("ReadMail", { payload: { id: Schema.String }, success: Schema.NullOr(MailLetter), error: NotFound }),
  Rpc.make("ResendMail", {
    payload: { id: Schema.String, ...act },
    success: Schema.Struct({ id: Schema.String }),
    error: Schema.Union([NotFound, SubjectConflict])
  }),
  Rpc.make("RequestSimulation", {
    payload: { ask: SimulationAsk, ...act },
    success: Simulation,
    error: SubjectConflict
  }),
  Rpc.make("RequestBackup", { payload: act, success: Backup, error: SubjectConflict }),
  Rpc.make("RequestCheck", {
    payload: { id: Schema.String, ...act },
    success: Backup,
    error: Schema.Union([NotFound, SubjectConflict])
  }),
  Rpc.make("RestartActor", { payload: { name: Schema.String, ...act }, success: ActorNode, error: NotFound })
] as const

/** An operator's authenticator. Addressed by the session: a token has none. */
const withCode = {
  payload: { sessionId: Schema.NullOr(Schema.String), code: Schema.String },
  success: Schema.Struct({ secondFactor: Schema.Boolean }),
  error: Schema.Union([OperatorConflict, OperatorRequired, RateLimited])
}
const secondFactors = [
  /** Makes a secret, which counts once its first code was confirmed. */
  Rpc.make("BeginSecondFactor", {
    payload: { sessionId: Schema.NullOr(Schema.String) },
    success: Schema.Struct({ secret: Schema.String, uri: Schema.String }),
    error: OperatorConflict
  }),
  /** Ends the operator's other sessions. */
  Rpc.make("ConfirmSecondFactor", withCode),
  Rpc.make("RemoveSecondFactor", withCode)
] as const

const Session = Schema.Struct({ session: Schema.String, operator: OperatorView, expiresAt: Schema.String })
const SignInLink = Schema.Struct({ operator: OperatorView, signInToken: Schema.String, expiresAt: Schema.String })
/** Operators and their keys. One mailbox for all, so that two admins can't remove each other concurrently. */
export const OperatorDesk = Entity.make("OperatorDesk", [
  ...gatekeeperAppKeys,
  ...gatekeeperVoices,
  ...jobControl,
  ...alertControl,
  ...settingsControl,
  ...careControl,
  ...secondFactors,
  /** Records the use of an operator's key or session. */
  Rpc.make("OperatorSeen", { payload: { publicId: Schema.String, atMs: Schema.Finite } }),
  Rpc.make("AppKeySeen", { payload: { id: Schema.String, atMs: Schema.Finite } }),
  /** Signs in by a link, which works once, and a code if the operator has a second factor. */
  Rpc.make("SignIn", {
    payload: { token: Schema.String, code: Schema.NullOr(Schema.String) },
    success: Session,
    error: Schema.Union([OperatorRequired, RateLimited])
  }),
  /**
   * Signs in by a provider's verified address that an admin has added. The first sign-in ties the operator to the provider's identity. A
   * `state` works once. For an operator with a second factor the answer is a link for a few minutes, which `SignIn` takes with a code.
   */
  Rpc.make("SignInByAddress", {
    payload: {
      emailHash: Schema.String,
      identityHash: Schema.String,
      stateSha256: Schema.String,
      stateExpiresAtMs: Schema.Finite
    },
    success: Schema.Union([Session, Schema.Struct({ signInToken: Schema.String, expiresAt: Schema.String })]),
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
