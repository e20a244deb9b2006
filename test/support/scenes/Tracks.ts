import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { call } from "../http/SegmentHttp.ts"
import { song } from "../listeners/Listeners.ts"
import { ownSong } from "../music/OwnSong.ts"
import type { Scenes, Successes } from "./Scene.ts"

const library = "/api/music/library/search"
const tracksPath = "/api/v1/tracks"
const track = `${tracksPath}/{id}`
const shown = [
  "id",
  "title",
  "artist",
  "genre",
  "category",
  "isInstrumental",
  "durationSec",
  "audioUrl",
  "approvalStatus",
  "remixable",
  "source",
  "playCount",
  "rotationInfluence",
  "totals.likes",
  "totals.boosts",
  "createdAt",
  "updatedAt"
]
/** 4.7: tracks. */
export const tracks: Scenes = {
  [`GET ${library}`]: {},
  [`GET ${tracksPath}`]: {},
  [`GET ${track}`]: {},
  [`PATCH ${track}`]: {},
  [`DELETE ${track}`]: {}
}
export const tracksSuccesses: Successes = {
  [`GET ${library}`]: {
    ask: Effect.gen(function* () {
      yield* song()
      return yield* call("GET", library, { key: (yield* arrive()).key })
    }),
    fields: ["assetId", "trackId", "title", "artist", "genre", "mood", "durationSec", "previewUrl"].map(
      (field) => `results.0.${field}`
    )
  },
  [`GET ${tracksPath}`]: {
    ask: Effect.andThen(song(), call("GET", tracksPath)),
    fields: shown.map((field) => `tracks.0.${field}`)
  },
  [`GET ${track}`]: {
    ask: Effect.flatMap(song(), (id) => call("GET", `${tracksPath}/${id}`)),
    fields: [...shown.map((field) => `track.${field}`), "rotation.classShare", "rotation.weight", "rotation.reasons.0"]
  },
  [`PATCH ${track}`]: {
    ask: Effect.gen(function* () {
      const { id, key } = yield* arrive()
      return yield* call("PATCH", `${tracksPath}/${yield* ownSong(id)}`, { key, body: { remixable: true } })
    }),
    fields: ["track.createdBy.handle", ...shown.map((field) => `track.${field}`)]
  },
  [`DELETE ${track}`]: {
    ask: Effect.gen(function* () {
      const { id, key } = yield* arrive()
      return yield* call("DELETE", `${tracksPath}/${yield* ownSong(id)}`, { key })
    }),
    fields: ["trackId", "approvalStatus"]
  }
}
