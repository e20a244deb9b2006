import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable } from "effect/http"
import { NotFound } from "../../schema/Problems.ts"
import { serveObject } from "./MediaPictures.ts"
import { readOnly } from "../server/Methods.ts"
import { operatorOf } from "../auth/OperatorOf.ts"

/** Recordings of calls, for operators only. Others get NotFound. */
export const MediaCalls = HttpRouter.add(
  "GET",
  "/media/calls/:file",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { file } = yield* HttpRouter.params
    const operator = yield* operatorOf(request)
    return operator === null || operator.role === "viewer" || !/^int_[0-9a-z]{26}\.flac$/.test(file ?? "")
      ? yield* HttpServerRespondable.toResponse(new NotFound({ detail: "There is no such recording." }))
      : yield* serveObject(`calls/${file}`, "private, no-store", { "cross-origin-resource-policy": "same-origin" })
  })
)

export const callMethods = readOnly([/^\/media\/calls\/[^/]+$/])
