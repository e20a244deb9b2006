import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { put } from "../agents/Galleries.ts"
import {
  announce,
  complete,
  describe,
  examineUpload,
  makePublishable,
  makeRecording,
  sha256,
  submit,
  uploads,
  words
} from "../segments/MediaUploads.ts"
import { call } from "../http/SegmentHttp.ts"
import { type Scenes, type Successes } from "./Scene.ts"

const fields = [
  "upload.id",
  "upload.purpose",
  "upload.status",
  "upload.fileName",
  "upload.contentType",
  "upload.byteSize",
  "upload.sha256",
  "upload.durationSec",
  "upload.transcriptText",
  "upload.rightsDeclaration",
  "upload.syntheticDisclosure",
  "upload.uploadUrl",
  "upload.uploadMethod",
  "upload.uploadHeaders",
  "upload.uploadExpiresAt",
  "upload.qc",
  "upload.publishGate.ready",
  "upload.publishGate.missing",
  "upload.publishGate.blockers",
  "upload.acceptedPublishFields",
  "upload.segmentId",
  "upload.trackId",
  "upload.createdAt"
]

/** 4.5: recordings. */
export const mediaUploads: Scenes = {
  [`POST ${uploads}/initiate`]: {
    DUPLICATE_CONTENT_HASH: Effect.gen(function* () {
      const { key } = yield* arrive()
      const bytes = makeRecording()
      yield* examineUpload(key, {}, bytes)
      return yield* announce(key, bytes, { sha256: sha256(bytes) })
    })
  },
  [`PUT ${uploads}/{id}/blob`]: {},
  [`POST ${uploads}/{id}/complete`]: {},
  [`GET ${uploads}/{id}`]: {},
  [`PATCH ${uploads}/{id}`]: {},
  [`POST ${uploads}/{id}/submit-for-air`]: {},
  [`GET ${uploads}/by-hash/{sha256}`]: {},
  [`GET ${uploads}/{id}/audio`]: {}
}

export const mediaUploadsSuccesses: Successes = {
  [`POST ${uploads}/initiate`]: { ask: Effect.flatMap(arrive(), ({ key }) => announce(key, makeRecording())), fields },
  [`PUT ${uploads}/{id}/blob`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* arrive()
      const bytes = makeRecording()
      const {
        body: { upload }
      } = yield* announce(key, bytes)
      return yield* put(upload.uploadUrl, bytes, upload.uploadHeaders)
    }),
    fields: ["upload.id", "upload.status"]
  },
  [`POST ${uploads}/{id}/complete`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* arrive()
      const bytes = makeRecording()
      const {
        body: { upload }
      } = yield* announce(key, bytes)
      yield* put(upload.uploadUrl, bytes, upload.uploadHeaders)
      return yield* complete(key, upload.id)
    }),
    fields
  },
  [`GET ${uploads}/{id}`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* arrive()
      return yield* call("GET", `${uploads}/${(yield* examineUpload(key)).id}`, { key })
    }),
    fields: [...fields, "upload.qc.passed", "upload.qc.checks", "upload.qc.loudnessLufs"]
  },
  [`PATCH ${uploads}/{id}`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* arrive()
      return yield* describe(key, (yield* examineUpload(key)).id, words)
    }),
    fields
  },
  [`POST ${uploads}/{id}/submit-for-air`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* arrive()
      return yield* submit(key, (yield* makePublishable(key)).id)
    }),
    fields: ["upload.status", "segment.id", "segment.status"]
  },
  [`GET ${uploads}/by-hash/{sha256}`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* arrive()
      const bytes = makeRecording()
      yield* examineUpload(key, {}, bytes)
      return yield* call("GET", `${uploads}/by-hash/${sha256(bytes)}`, { key })
    }),
    fields
  },
  [`GET ${uploads}/{id}/audio`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* arrive()
      return yield* call("GET", `${uploads}/${(yield* examineUpload(key)).id}/audio`, { key })
    }),
    fields: []
  }
}
