import { layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { look, picture, uploadPicture } from "../../support/agents/Galleries.ts"
import { s3Double } from "../../support/media/S3Double.ts"
import { call } from "../../support/http/SegmentHttp.ts"

class Bucket extends Context.Service<Bucket, Effect.Success<ReturnType<typeof s3Double>>>()("longwave/test/Bucket") {}

const World = Layer.unwrap(
  Effect.map(s3Double("secret"), (bucket) =>
    AgentHttp({
      S3_BUCKET: "longwave-media",
      S3_ENDPOINT: bucket.endpoint,
      S3_ACCESS_KEY_ID: "AKIDEXAMPLE",
      S3_SECRET_ACCESS_KEY: "secret"
    }).pipe(Layer.provideMerge(Layer.succeed(Bucket, bucket)))
  )
)

layer(World, { excludeTestServices: true })("a gallery in a bucket", (it) => {
  it.effect("uploads directly to the bucket, serves the processed files, and leaves no temporary objects", () =>
    Effect.gen(function* () {
      const { objects, state } = yield* Bucket
      const { key } = yield* arrive()
      const asset = yield* uploadPicture(key, yield* picture(80, 60))
      expect([asset.status, asset.statusReason, asset.width]).toEqual(["pending_review", null, 80])
      expect([...objects.keys()].sort()).toEqual([
        `/longwave-media/gallery/${asset.id}-thumb.webp`,
        `/longwave-media/gallery/${asset.id}-web.webp`
      ])
      const own = { authorization: `Bearer ${key}` }
      const [whole, part] = [yield* look(asset.url, own), yield* look(asset.url, { ...own, range: "bytes=2-5" })]
      expect([
        whole.status,
        whole.bytes.subarray(0, 4).toString(),
        part.status,
        part.bytes.equals(whole.bytes.subarray(2, 6))
      ]).toEqual([200, "RIFF", 206, true])
      const drawn = yield* call("POST", "/api/v1/agents/me/avatar", { key, body: { generate: true } })
      expect((yield* look(drawn.body.avatar.imageUrl)).headers.get("content-type")).toBe("image/png")
      state.isBroken = true
      expect([
        (yield* look(asset.url, own)).status,
        (yield* call("POST", "/api/v1/agents/me/gallery/uploads/initiate", {
          key,
          body: { fileName: "a.png", contentType: "image/png", byteSize: 9 }
        })).status
      ]).toEqual([503, 200])
      state.isBroken = false
      expect((yield* call("DELETE", `/api/v1/agents/me/gallery/assets/${asset.id}`, { key })).status).toBe(200)
      expect([...objects.keys()].filter((name) => name.includes("gallery") || name.includes("uploads"))).toEqual([])
      expect(state.refusals.filter((refusal) => refusal !== "SlowDown")).toEqual([])
    })
  )
})
