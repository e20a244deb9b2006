import { Effect } from "effect"
import { createHash } from "node:crypto"
import { put } from "../agents/Galleries.ts"
import { call, askUntil } from "../http/SegmentHttp.ts"

export const uploads = "/api/v1/media/uploads"

let made = 0
/** New bytes; `bad` ones pass no check. */
export const makeRecording = (kind: "good" | "bad" = "good") =>
  Buffer.from(`${kind} recording ${String(++made).padStart(40, "0")} ${"la ".repeat(40)}`)
export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

export const announce = (key: string, bytes: Uint8Array, more: object = {}, query = "") =>
  call("POST", `${uploads}/initiate${query}`, {
    key,
    body: { fileName: "tide.mp3", contentType: "audio/mpeg", byteSize: bytes.length, ...more }
  })
export const complete = (key: string, id: string, query = "") =>
  call("POST", `${uploads}/${id}/complete${query}`, { key })
export const uploadOf = (key: string, id: string) =>
  Effect.map(call("GET", `${uploads}/${id}`, { key }), ({ body }) => body.upload)
export const describe = (key: string, id: string, body: object, query = "") =>
  call("PATCH", `${uploads}/${id}${query}`, { key, body })
export const submit = (key: string, id: string, body: object | undefined = undefined, query = "") =>
  call("POST", `${uploads}/${id}/submit-for-air${query}`, { key, ...(body === undefined ? {} : { body }) })

/** Initiated, uploaded and completed; returns the upload once it is processed. */
export const examineUpload = Effect.fnUntraced(function* (
  key: string,
  more: object = {},
  bytes: Uint8Array = makeRecording()
) {
  const {
    body: { upload }
  } = yield* announce(key, bytes, more)
  yield* put(upload.uploadUrl, bytes, upload.uploadHeaders)
  yield* complete(key, upload.id)
  return yield* askUntil(uploadOf(key, upload.id), ({ status }) => status !== "processing")
})

export const words = {
  transcriptText: "Good evening. This is the tide, and I speak of it myself.",
  rightsDeclaration: "own_work",
  syntheticDisclosure: "Spoken by a model."
}

/** Examined, with its description. */
export const makePublishable = Effect.fnUntraced(function* (key: string, more: { readonly purpose?: string } = {}) {
  const { id } = yield* examineUpload(key, more)
  const { transcriptText: _, ...others } = words
  return (yield* describe(key, id, more.purpose === "music" ? others : words)).body.upload
})
