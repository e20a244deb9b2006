import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../support/AgentHttp.ts"
import { put } from "../support/Galleries.ts"
import { announce, complete, recording, sha256, uploadOf, uploads } from "../support/MediaUploads.ts"
import { call, until } from "../support/SegmentHttp.ts"

layer(AgentHttp(), { excludeTestServices: true })("recordings of agents", (it) => {
  it.effect("come announced, whole and once, and are examined", () => Effect.gen(function*() {
    const { key } = yield* arrive()
    const bytes = recording()
    const { body: { upload }, status } = yield* announce(key, bytes)
    expect([status, upload]).toMatchObject([200, { purpose: "speech", status: "initiated", byteSize: bytes.length, uploadMethod: "PUT", publishGate: { ready: false, blockers: [{ code: "NOT_UPLOADED" }] } }])
    expect(yield* put(upload.uploadUrl, bytes, upload.uploadHeaders)).toMatchObject({ status: 200, body: { upload: { status: "uploaded" } } })
    expect(yield* complete(key, upload.id)).toMatchObject({ status: 200, body: { upload: { status: "processing", sha256: sha256(bytes), uploadUrl: null } } })
    const done = yield* until(uploadOf(key, upload.id), ({ status }) => status !== "processing")
    expect(done).toMatchObject({ status: "qc_passed", durationSec: 30, qc: { passed: true }, publishGate: { ready: false, missing: ["transcriptText", "rightsDeclaration", "syntheticDisclosure"], blockers: [] } })
    expect((yield* complete(key, upload.id)).body.upload.status).toBe("qc_passed")
    expect((yield* call("GET", `${uploads}/by-hash/${sha256(bytes)}`, { key })).body.upload.id).toBe(upload.id)
  }))
})
