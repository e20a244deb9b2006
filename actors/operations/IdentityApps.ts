import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { isAudience, appKeyView } from "../../engine/rules/agents/Identity.ts"
import { makeKey } from "../../engine/runtime/Secrets.ts"
import { AppKeys, AppKeysWriter } from "../../engine/store/operations/AppKeys.ts"
import type { AppId } from "../../schema/Ids.ts"
import { InvalidField, NotFound, OperatorConflict } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"

const actOf = ({ actor, reason }: Act): Act => ({ actor, reason })
const findInForce = Effect.fnUntraced(function* (id: string) {
  const found = yield* (yield* AppKeys).find(id)
  if (found === null || found.revokedAtMs !== null)
    return yield* new NotFound({ detail: `There is no app key ${id} in force.` })
  return found
})
export const gatekeeperAppKeys = {
  MakeAppKey: Effect.fnUntraced(function* ({
    payload
  }: {
    readonly payload: Act & { readonly name: string; readonly audiences: ReadonlyArray<string> }
  }) {
    const { publicUrl } = yield* StationConfig
    const wrong = payload.audiences.flatMap((audience, index) =>
      isAudience(audience, publicUrl)
        ? []
        : [
            {
              pointer: `/audiences/${index}`,
              code: "INVALID_FIELD",
              detail: "must be an https origin, an app's or agent's id, or the station's own address"
            }
          ]
    )
    if (wrong.length > 0)
      return yield* new InvalidField({
        detail: wrong.map(({ detail, pointer }) => `${pointer}: ${detail}`).join("; "),
        errors: wrong
      })
    const key = makeKey("svc_app_")
    const id = (yield* (yield* IdSource).make("app")) as AppId
    const nowMs = yield* Clock.currentTimeMillis
    const made = {
      id,
      name: payload.name,
      audiences: [...new Set(payload.audiences)],
      publicId: key.publicId,
      secretSha256: key.secretSha256
    }
    const appKey = appKeyView({ ...made, createdAtMs: nowMs, rotatedAtMs: null, lastUsedAtMs: null, revokedAtMs: null })
    return yield* command({
      run: Effect.gen(function* () {
        if (!(yield* (yield* AppKeysWriter).add(made, nowMs)))
          return yield* new OperatorConflict({
            detail: `The name ${payload.name} is taken. Choose another.`
          })
        yield* record(actOf(payload), "app_key.make", { type: "app_key", id }, null, {
          name: made.name,
          audiences: made.audiences
        })
        return { appKey, secret: key.text }
      })
    })
  }),
  RotateAppKey: ({ payload }: { readonly payload: Act & { readonly id: string } }) =>
    command({
      run: Effect.gen(function* () {
        const before = yield* findInForce(payload.id)
        const key = makeKey("svc_app_")
        const nowMs = yield* Clock.currentTimeMillis
        const appKey = appKeyView({ ...before, publicId: key.publicId, rotatedAtMs: nowMs })
        yield* (yield* AppKeysWriter).rotate(before.id, key.publicId, key.secretSha256, nowMs)
        yield* record(
          actOf(payload),
          "app_key.rotate",
          { type: "app_key", id: before.id },
          { prefix: before.publicId },
          { prefix: key.publicId }
        )
        return { appKey, secret: key.text }
      })
    }),
  RevokeAppKey: ({ payload }: { readonly payload: Act & { readonly id: string } }) =>
    command({
      run: Effect.gen(function* () {
        const keys = yield* AppKeysWriter
        const before = yield* keys.find(payload.id)
        if (before === null) return yield* new NotFound({ detail: `There is no app key ${payload.id}.` })
        const nowMs = yield* Clock.currentTimeMillis
        const appKey = appKeyView({ ...before, revokedAtMs: before.revokedAtMs ?? nowMs })
        if (before.revokedAtMs !== null) return appKey
        yield* keys.revoke(before.id, nowMs)
        yield* record(
          actOf(payload),
          "app_key.revoke",
          { type: "app_key", id: before.id },
          { name: before.name, audiences: before.audiences },
          null
        )
        return appKey
      })
    })
}
