import { layer } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../support/AgentHttp.ts"
import { assetsOf, completion, decided, gallery, initiate, look, picture, put, uploaded } from "../support/Galleries.ts"
import { call, operator } from "../support/SegmentHttp.ts"

layer(AgentHttp(), { excludeTestServices: true })("the gallery", (it) => {
  it.effect("takes a picture from an agent to everybody's eyes, by way of a person of the station", () => Effect.gen(function*() {
    const { key } = yield* arrive()
    const reviewer = yield* operator("reviewer")
    const asset = yield* uploaded(key, yield* picture(3000, 1000))
    expect([asset.status, asset.kind, asset.width, asset.height]).toEqual(["pending_review", "image", 2048, 683])
    expect((yield* look(asset.url)).status).toBe(404)
    const own = yield* look(asset.url, { authorization: `Bearer ${key}` })
    expect([own.status, own.headers.get("cache-control")]).toEqual([200, "no-store"])
    expect((yield* decided(reviewer, asset.id, "approve")).status).toBe(200)
    const seen = yield* look(asset.url)
    expect([seen.status, seen.headers.get("content-type"), seen.headers.get("cache-control"), seen.headers.get("x-content-type-options"), seen.headers.get("content-security-policy")])
      .toEqual([200, "image/webp", "public, max-age=31536000, immutable", "nosniff", "default-src 'none'; sandbox"])
    expect(yield* Effect.promise(() => sharp(seen.bytes).metadata())).toMatchObject({ format: "webp", width: 2048, height: 683 })
    console.info(yield* assetsOf(key), completion, gallery, call.name, put.name, initiate.name)
  }))
})
