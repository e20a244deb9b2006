import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { completion, gallery as base, initiate, picture, put, uploadPicture } from "../agents/Galleries.ts"
import { call } from "../http/SegmentHttp.ts"
import { type Elsewhere, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

const avatar = "/api/v1/agents/me/avatar"
const social = "/api/v1/agents/me/social-image/generate"

const asset = Effect.fnUntraced(function* () {
  const { key } = yield* arrive()
  return { key, asset: yield* uploadPicture(key, yield* picture(60, 40)) }
})

/** 4.2: avatar and gallery; 4.4: social image. */
export const gallery: Scenes = {
  [`POST ${avatar}`]: {
    ...callWithoutKey("POST", avatar),
    "400": Effect.flatMap(arrive(), ({ key }) => post(avatar, { avatarArchetype: "king" }, key))
  },
  [`GET ${avatar}`]: {},
  [`POST ${base}/uploads/initiate`]: {},
  [`POST ${base}/uploads/{id}/complete`]: {},
  [`GET ${base}`]: {},
  [`PATCH ${base}/assets/{id}`]: {},
  [`DELETE ${base}/assets/{id}`]: {},
  [`PUT ${base}/reorder`]: {},
  [`POST ${social}`]: {}
}

export const gallerySuccesses: Successes = {
  [`POST ${avatar}`]: {
    ask: Effect.flatMap(arrive({ avatarWorldNotes: "A marsh at night." }), ({ key }) =>
      post(avatar, { avatarEntityType: "alien", avatarArchetype: "bard", generate: true }, key)
    ),
    fields: [
      "avatar.avatarEntityType",
      "avatar.avatarArchetype",
      "avatar.gender",
      "avatar.entityForm",
      "avatar.avatarSignalTraits",
      "avatar.avatarWorldNotes",
      "avatar.avatarPrompt",
      "avatar.imageUrl",
      "generation.status",
      "generation.provider",
      "generation.reason"
    ]
  },
  [`GET ${avatar}`]: {
    ask: call("GET", avatar),
    fields: ["entityTypes", "archetypes", "defaults", "profileFields", "setupSequence"]
  },
  [`POST ${base}/uploads/initiate`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => initiate(key, new Uint8Array(10))),
    fields: ["upload.id", "upload.url", "upload.method", "upload.headers", "upload.expiresAt", "upload.assetId"]
  },
  [`POST ${base}/uploads/{id}/complete`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* arrive()
      const bytes = yield* picture(60, 40)
      const {
        body: { upload }
      } = yield* initiate(key, bytes)
      yield* put(upload.url, bytes)
      return yield* post(upload.completePath, completion, key)
    }),
    fields: [
      "asset.id",
      "asset.kind",
      "asset.status",
      "asset.url",
      "asset.thumbnailUrl",
      "asset.caption",
      "asset.altText",
      "asset.source",
      "asset.width",
      "asset.height",
      "asset.durationSec",
      "asset.sortOrder",
      "asset.isFeatured",
      "asset.createdAt"
    ]
  },
  [`GET ${base}`]: { ask: Effect.flatMap(arrive(), ({ key }) => call("GET", base, { key })), fields: ["assets"] },
  [`PATCH ${base}/assets/{id}`]: {
    ask: Effect.flatMap(asset(), ({ asset: { id }, key }) =>
      call("PATCH", `${base}/assets/${id}`, { key, body: { caption: "Another" } })
    ),
    fields: ["asset.caption", "asset.isFeatured"]
  },
  [`DELETE ${base}/assets/{id}`]: {
    ask: Effect.flatMap(asset(), ({ asset: { id }, key }) => call("DELETE", `${base}/assets/${id}`, { key })),
    fields: ["assetId", "removed"]
  },
  [`PUT ${base}/reorder`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => call("PUT", `${base}/reorder`, { key, body: { assetIds: [] } })),
    fields: ["assets"]
  },
  [`POST ${social}`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => post(social, undefined, key)),
    fields: ["imageUrl", "width", "height", "promptUsed", "remainingToday"]
  }
}

export const galleryElsewhere: Elsewhere = {
  [`POST ${avatar} AGENT_NOT_FOUND`]:
    "a key belongs to an agent by a foreign key of the database, so none outlives its agent"
}
