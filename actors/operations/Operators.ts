import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { operatorSessionHours, providerLinkMinutes, signInLinkHours } from "../../engine/rules/operations/limits.ts"
import { makeKey, randomCode, sha256 } from "../../engine/runtime/Secrets.ts"
import { type OperatorRecord, OperatorsWriter } from "../../engine/store/operations/Operators.ts"
import { type OperatorRole, OperatorTokenView, OperatorView, roleOfScope } from "../../schema/operations/Operator.ts"
import { NotFound, OperatorConflict, OperatorRequired } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { behaviours, command } from "../runtime/Command.ts"
import { gatekeeperAppKeys } from "./IdentityApps.ts"
import { gatekeeperVoices } from "../voices/VoiceCatalog.ts"
import { settingsControl } from "./SettingsControl.ts"
import { backupControl } from "./BackupControl.ts"
import { simulationControl } from "./SimulationControl.ts"
import { actorControl } from "./ActorControl.ts"
import { mailControl } from "./MailControl.ts"
import { alertControl } from "./AlertControl.ts"
import { jobControl } from "./JobControl.ts"
import { secondFactorOf, secondFactors, takeCode } from "./SecondFactor.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { OperatorDesk } from "./protocol/Operators.ts"
import { iso } from "../../schema/time/Instant.ts"
import { useIdentity } from "../people/inTransaction.ts"
import { AppKeysWriter } from "../../engine/store/operations/AppKeys.ts"

const hourMs = 3_600_000

const viewOf = ({ createdAtMs, id, lastSeenAtMs, name, role, secondFactor }: OperatorRecord): OperatorView =>
  OperatorView.make({
    id,
    name,
    role,
    secondFactor,
    createdAt: iso(createdAtMs),
    lastSeenAt: lastSeenAtMs === null ? null : iso(lastSeenAtMs)
  })

const actOf = ({ actor, reason }: Act): Act => ({ actor, reason })

export const OperatorDeskLive = actorLayer(
  OperatorDesk,
  Effect.gen(function* () {
    const ids = yield* IdSource
    const operators = yield* OperatorsWriter
    const keys = yield* Keys

    const requireOperator = Effect.fnUntraced(function* (id: string) {
      return (yield* operators.find(id)) ?? (yield* new NotFound({ detail: `There is no operator ${id}.` }))
    })
    const free = Effect.fnUntraced(function* (name: string) {
      if (yield* operators.isTaken(name))
        return yield* new OperatorConflict({
          detail: `The name ${name} is taken. The audit log needs distinct names.`
        })
    })
    const requireAnotherAdmin = Effect.fnUntraced(function* (but: string) {
      if ((yield* operators.countOtherAdmins(but)) === 0)
        return yield* new OperatorConflict({ detail: "This is the last admin. Make another one first." })
    })
    const link = Effect.fnUntraced(function* (operatorId: string, lastsMs = signInLinkHours * hourMs) {
      const signInToken = randomCode("ops_link_", 32)
      const expiresAtMs = (yield* Clock.currentTimeMillis) + lastsMs
      yield* operators.addLink(operatorId, sha256(signInToken), expiresAtMs)
      return { signInToken, expiresAt: iso(expiresAtMs) }
    })
    const openSession = Effect.fnUntraced(function* (operator: OperatorRecord, nowMs: number) {
      const session = makeKey("ops_session_")
      const expiresAtMs = nowMs + operatorSessionHours * hourMs
      yield* operators.openSession(
        { publicId: session.publicId, secretSha256: session.secretSha256, operatorId: operator.id, expiresAtMs },
        nowMs
      )
      yield* record(
        { actor: operator.name, reason: null },
        "operator.sign_in",
        { type: "operator", id: operator.id },
        null,
        { sessionId: session.publicId, expiresAt: iso(expiresAtMs) }
      )
      return { session: session.text, operator: viewOf(operator), expiresAt: iso(expiresAtMs) }
    })
    /** The audit log records that an address is set, not which. */
    const address = Effect.fnUntraced(function* (operatorId: string, email: string | null) {
      const isFree = yield* operators.setAddress(
        operatorId,
        email === null ? null : keys.hmac("operator-email", email.trim().toLowerCase())
      )
      if (!isFree) return yield* new OperatorConflict({ detail: "Another operator signs in with this address." })
    })
    const isAdmin = (role: OperatorRole) => role === "admin"

    return OperatorDesk.of(
      yield* behaviours(OperatorDesk, {
        ...gatekeeperAppKeys,
        ...gatekeeperVoices,
        ...jobControl,
        ...alertControl,
        ...settingsControl,
        ...mailControl,
        ...actorControl,
        ...backupControl,
        ...simulationControl,
        ...secondFactors,
        OperatorSeen: ({ payload: { atMs, publicId } }) => operators.markSeen(publicId, atMs),
        AppKeySeen: ({ payload: { atMs, id } }) => Effect.flatMap(AppKeysWriter, (keys) => keys.markSeen(id, atMs)),
        SignIn: Effect.fnUntraced(function* ({ payload }) {
          const nowMs = yield* Clock.currentTimeMillis
          const secretSha256 = sha256(payload.token)
          const known = yield* operators.findByLink(secretSha256, nowMs)
          const step = known === null ? null : yield* secondFactorOf(known, payload.code)
          return yield* command({
            run: Effect.gen(function* () {
              const operator = yield* operators.useLink(secretSha256, nowMs)
              if (operator === null)
                return yield* new OperatorRequired({
                  detail: "The link is unknown, expired or already used. Ask an admin for a new one."
                })
              yield* takeCode(operator.id, step)
              return yield* openSession(operator, nowMs)
            })
          })
        }),
        SignInByAddress: ({ payload }) =>
          command({
            run: Effect.gen(function* () {
              const nowMs = yield* Clock.currentTimeMillis
              if (!(yield* useIdentity(payload.stateSha256, payload.stateExpiresAtMs)))
                return yield* new OperatorRequired({ detail: "This sign-in was already completed. Begin again." })
              const operator = yield* operators.findByAddress(payload.emailHash)
              if (operator === null)
                return yield* new OperatorRequired({
                  detail: "No operator has your address. An admin of the station can add it or give you a link."
                })
              // Providers reassign addresses, and another provider may verify them differently.
              if (!(yield* operators.pinIdentity(operator.id, payload.identityHash)))
                return yield* new OperatorRequired({
                  detail:
                    "An operator with your address first signed in with another account. Use that one, or have an admin set the address again."
                })
              return operator.secondFactor
                ? yield* link(operator.id, providerLinkMinutes * 60_000)
                : yield* openSession(operator, nowMs)
            })
          }),
        SignOut: ({ payload }) =>
          command({
            run: Effect.gen(function* () {
              yield* operators.closeSession(payload.sessionId)
              yield* record(
                { actor: payload.actor, reason: null },
                "operator.sign_out",
                { type: "session", id: payload.sessionId },
                null,
                null
              )
            })
          }),
        AddOperator: ({ payload }) =>
          command({
            run: Effect.gen(function* () {
              yield* free(payload.name)
              const operator: OperatorRecord = {
                id: yield* ids.make("opr"),
                name: payload.name,
                role: payload.role,
                secondFactor: false,
                createdAtMs: yield* Clock.currentTimeMillis,
                lastSeenAtMs: null
              }
              yield* operators.add(operator)
              if (payload.email !== null) yield* address(operator.id, payload.email)
              yield* record(actOf(payload), "operator.add", { type: "operator", id: operator.id }, null, {
                name: operator.name,
                role: operator.role,
                byAddress: payload.email !== null
              })
              return { operator: viewOf(operator), ...(yield* link(operator.id)) }
            })
          }),
        ChangeOperator: ({ payload }) =>
          command({
            run: Effect.gen(function* () {
              const before = yield* requireOperator(payload.id)
              const role = payload.role ?? before.role
              if (isAdmin(before.role) && !isAdmin(role)) yield* requireAnotherAdmin(before.id)
              if (role !== before.role) yield* operators.setRole(before.id, role)
              if (payload.email !== undefined) yield* address(before.id, payload.email)
              yield* record(
                actOf(payload),
                "operator.change",
                { type: "operator", id: before.id },
                { name: before.name, role: before.role },
                {
                  name: before.name,
                  role,
                  newLink: payload.newLink,
                  ...(payload.email === undefined ? {} : { byAddress: payload.email !== null })
                }
              )
              const made = payload.newLink ? yield* link(before.id) : { signInToken: null, expiresAt: null }
              return { operator: viewOf({ ...before, role }), ...made }
            })
          }),
        RemoveOperator: ({ payload }) =>
          command({
            run: Effect.gen(function* () {
              const operator = yield* requireOperator(payload.id)
              if (isAdmin(operator.role)) yield* requireAnotherAdmin(operator.id)
              yield* operators.remove(operator.id, yield* Clock.currentTimeMillis)
              yield* record(
                actOf(payload),
                "operator.remove",
                { type: "operator", id: operator.id },
                { name: operator.name, role: operator.role },
                null
              )
              return viewOf(operator)
            })
          }),
        MakeToken: ({ payload }) =>
          command({
            run: Effect.gen(function* () {
              yield* free(payload.name)
              const nowMs = yield* Clock.currentTimeMillis
              const key = makeKey("svc_ops_")
              yield* operators.save(
                {
                  publicId: key.publicId,
                  secretSha256: key.secretSha256,
                  name: payload.name,
                  role: roleOfScope[payload.scope]
                },
                nowMs
              )
              yield* record(actOf(payload), "token.make", { type: "token", id: key.publicId }, null, {
                name: payload.name,
                scope: payload.scope
              })
              const token = OperatorTokenView.make({
                id: key.publicId,
                prefix: `svc_ops_${key.publicId}`,
                name: payload.name,
                scope: payload.scope,
                createdAt: iso(nowMs),
                lastUsedAt: null,
                revokedAt: null
              })
              return { token, secret: key.text }
            })
          }),
        RevokeToken: ({ payload }) =>
          command({
            run: Effect.gen(function* () {
              const token = yield* operators.token(payload.id)
              if (token === null) return yield* new NotFound({ detail: `There is no token ${payload.id}.` })
              if (token.revoked) return
              if (isAdmin(token.role)) yield* requireAnotherAdmin(token.publicId)
              yield* operators.revoke(token.publicId, yield* Clock.currentTimeMillis)
              yield* record(
                actOf(payload),
                "token.revoke",
                { type: "token", id: token.publicId },
                { name: token.name, role: token.role },
                null
              )
            })
          })
      })
    )
  }),
  transient
)
