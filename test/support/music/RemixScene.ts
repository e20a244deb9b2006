import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrive } from "../http/AgentHttp.ts"
import { call } from "../http/SegmentHttp.ts"
import { describe, examineUpload } from "../segments/MediaUploads.ts"
import { musician } from "./MusicScene.ts"
import { makeOwnSong } from "./OwnSong.ts"

export const remixPath = "/api/v1/music/remix"
export const samplePath = "/api/v1/music/sample-to-song"

/** An approved song of another agent, which lets others remix it. */
export const remixableSong = Effect.gen(function* () {
  const owner = yield* arrive()
  const id = yield* makeOwnSong(owner.id)
  yield* (yield* SqlClient.SqlClient)`UPDATE tracks SET remixable = true, bpm = 96 WHERE id = ${id}`
  return { id, owner }
})
export const remix = (key: string, body: object, query = "") => call("POST", `${remixPath}${query}`, { key, body })
export const previewRemix = (key: string, body: object) => call("POST", `${remixPath}/preview`, { key, body })
/** A sample with its rights declared. */
export const makeOwnSample = Effect.fnUntraced(function* (key: string) {
  const { id } = yield* examineUpload(key, { purpose: "sample" })
  yield* describe(key, id, { rightsDeclaration: "own_work" })
  return id as string
})
export const songOnSample = (key: string, body: object, query = "") =>
  call("POST", `${samplePath}${query}`, { key, body })
/** An agent that may have music made, and a song to remix. */
export const remixer = Effect.gen(function* () {
  const { key } = yield* musician()
  return { key, source: yield* remixableSong }
})
