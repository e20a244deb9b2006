import { Effect, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import sharp from "sharp"
import { arrive } from "../http/AgentHttp.ts"
import { call } from "../http/SegmentHttp.ts"

export const gallery = "/api/v1/agents/me/gallery"

/** A picture with visible content. */
export const picture = (width: number, height: number, red = 120) =>
  Effect.promise(() =>
    sharp({ create: { width, height, channels: 3, background: { r: red, g: 80, b: 40 } } })
      .jpeg()
      .toBuffer()
  )

export const initiate = (key: string, bytes: Uint8Array, contentType = "image/jpeg", byteSize = bytes.length) =>
  call("POST", `${gallery}/uploads/initiate`, { key, body: { fileName: "a picture.jpg", contentType, byteSize } })

/** Routes requests for the station's public name to the test's server. */
export const routeToServer = Effect.fnUntraced(function* (url: string) {
  const { address } = yield* HttpServer.HttpServer
  return "port" in address
    ? url.replace("http://radio.test", `http://127.0.0.1:${address.port}`)
    : yield* Effect.die("no port")
})

export const put = Effect.fnUntraced(function* (
  url: string,
  bytes: Uint8Array | ReadableStream,
  headers: Record<string, string> = {}
) {
  const target = yield* routeToServer(url)
  return yield* Effect.promise(async () => {
    const response = await fetch(target, {
      method: "PUT",
      body: bytes as BodyInit,
      headers,
      ...(bytes instanceof ReadableStream ? { duplex: "half" as const } : {})
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text.startsWith("{") ? JSON.parse(text) : text }
  })
})

export const look = Effect.fnUntraced(function* (url: string, headers: Record<string, string> = {}) {
  const target = yield* routeToServer(url)
  return yield* Effect.promise(async () => {
    const response = await fetch(target, { headers })
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
  })
})

export const completion = {
  rightsAttested: true,
  caption: "The harbour",
  altText: "Boats at a quay",
  source: { kind: "own" }
}

export const assetsOf = (key: string) =>
  Effect.map(
    call("GET", gallery, { key }),
    ({ body }) =>
      body.assets as ReadonlyArray<{
        readonly id: string
        readonly status: string
        readonly statusReason: string | null
        readonly url: string
        readonly thumbnailUrl: string
        readonly caption: string
        readonly isFeatured: boolean
        readonly sortOrder: number
        readonly width: number
        readonly height: number
        readonly durationSec: number | null
        readonly kind: string
      }>
  )

/** Uploads and completes; returns the asset once it is processed. */
export const uploadPicture = Effect.fnUntraced(function* (
  key: string,
  bytes: Uint8Array,
  contentType = "image/jpeg",
  words: object = {}
) {
  const {
    body: { upload }
  } = yield* initiate(key, bytes, contentType)
  yield* put(upload.url, bytes, { "content-type": contentType })
  yield* call("POST", upload.completePath, { key, body: { ...completion, ...words } })
  const mine = Effect.map(assetsOf(key), (all) => all.find(({ id }) => id === upload.assetId)!)
  return yield* mine.pipe(
    Effect.repeat({ schedule: Schedule.spaced(40), until: ({ status }) => status !== "processing" })
  )
})

/** An operator's judgement of a picture. */
export const decide = Effect.fnUntraced(function* (
  operatorKey: string,
  assetId: string,
  decision: "approve" | "reject",
  reason?: string
) {
  const { body } = yield* call("GET", "/api/ops/reviews?kind=gallery&limit=100", { key: operatorKey })
  const review = (body.items as ReadonlyArray<{ id: string; subject: { id: string } }>).find(
    ({ subject }) => subject.id === assetId
  )!
  return yield* call("POST", `/api/ops/reviews/${review.id}/decision`, {
    key: operatorKey,
    body: { decision, ...(reason === undefined ? {} : { reason }) }
  })
})

/** An agent with this many pictures approved long ago. */
export const arriveTrusted = Effect.fnUntraced(function* (approved: number) {
  const agent = yield* arrive()
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO gallery_assets (id, upload_id, agent_id, file_name, content_type, byte_size, status, swept, approved_at, created_at)
    SELECT ${agent.id} || n, ${agent.id} || n, ${agent.id}, 'a', 'image/jpeg', 1, 'removed', true, now(), now() FROM generate_series(1, ${approved}::int) n`
  return agent
})
