import { Effect, FileSystem, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { Prepare } from "../engine/ports/Prepare.ts"
import { isSecret, splitKey } from "../engine/Secrets.ts"
import { Agents } from "../engine/store/Agents.ts"
import { Operators } from "../engine/store/Operators.ts"
import { SoundAccess, type SoundReach } from "../engine/store/SoundAccess.ts"
import { NotFound } from "../schema/Problems.ts"
import { AssetId } from "../schema/Ids.ts"

const isAssetId = Schema.is(AssetId)
const absent = () => HttpServerRespondable.toResponse(new NotFound({ detail: "There is no such sound." }))

/** The sound's own agent, or an operator who has to judge it. */
const mayHear = Effect.fnUntraced(function*(reach: SoundReach, authorization: string) {
  const token = authorization.replace(/^Bearer\s+/i, "")
  const operatorKey = splitKey("svc_ops_", token)
  if (operatorKey !== null) {
    const operator = yield* (yield* Operators).token(operatorKey.publicId)
    return operator !== null && !operator.revoked && isSecret(operatorKey.secret, operator.secretSha256)
  }
  const agentKey = splitKey("svc_agent_", token)
  if (agentKey === null || reach.agentId === null) return false
  const found = yield* (yield* Agents).credential(agentKey.publicId)
  return found !== null && !found.revoked && found.agent.id === reach.agentId && found.agent.status === "claimed" && isSecret(agentKey.secret, found.secretSha256)
})

/** One range of bytes as RFC 9110 writes it; null for the whole, false for one that lies outside. */
export const rangeOf = (header: string | undefined, size: number): { readonly from: number; readonly to: number } | null | false => {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "")
  if (match === null || (match[1] === "" && match[2] === "")) return null
  const last = size - 1
  const from = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const to = match[1] === "" || match[2] === "" ? last : Math.min(last, Number(match[2]))
  return size === 0 || from > last || to < from ? false : { from, to }
}

/** Listening copies. Whether a sound exists is told only to those who may hear it. */
export const MediaAudio = HttpRouter.add("GET", "/media/audio/:file", Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { file } = yield* HttpRouter.params
  const assetId = /^(.+)\.mp3$/.exec(file ?? "")?.[1]
  if (!isAssetId(assetId)) return yield* absent()
  const reach = yield* (yield* SoundAccess).reach(assetId)
  if (reach === null || !(reach.everybody || (yield* mayHear(reach, request.headers["authorization"] ?? "")))) return yield* absent()
  const path = (yield* Prepare).listeningCopy(assetId)
  const size = yield* (yield* FileSystem.FileSystem).stat(path).pipe(Effect.map((info) => Number(info.size)), Effect.orElseSucceed(() => null))
  if (size === null) return yield* absent()
  const headers = {
    "content-type": "audio/mpeg", "accept-ranges": "bytes", "cache-control": reach.everybody ? "public, max-age=300" : "no-store",
    ...reach.everybody ? { "access-control-allow-origin": "*" } : {}
  }
  const range = rangeOf(request.headers["range"], size)
  if (range === false) return HttpServerResponse.empty({ status: 416, headers: { ...headers, "content-range": `bytes */${size}` } })
  return yield* Effect.orDie(range === null
    ? HttpServerResponse.file(path, { headers })
    : HttpServerResponse.file(path, { status: 206, offset: range.from, bytesToRead: range.to - range.from + 1, headers: { ...headers, "content-range": `bytes ${range.from}-${range.to}/${size}` } }))
}))
