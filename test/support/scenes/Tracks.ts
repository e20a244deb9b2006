import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { call, callForm } from "../http/SegmentHttp.ts"
import { song } from "../listeners/Listeners.ts"
import { makeOwnSong } from "../music/OwnSong.ts"
import { callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

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
/** A form with a track's file. */
const form = (key: string, bytes: string, fields: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const body = new FormData()
    for (const [name, value] of Object.entries({ title: "Low water", genre: "jazz", ...fields })) body.set(name, value)
    body.set("file", new Blob([bytes], { type: "audio/mpeg" }), "low-water.mp3")
    return yield* callForm(tracksPath, key, body)
  })
let files = 0
/** Bytes that begin like an MP3, other ones each time. */
const mp3 = (kind = "good") => `ID3${kind}${String(++files).padStart(8, "0")}${"x".repeat(400)}`

/** 4.7: tracks. */
export const tracks: Scenes = {
  [`GET ${library}`]: {},
  [`POST ${tracksPath}`]: {
    ...callWithoutKey("POST", tracksPath),
    MISSING_FIELDS: Effect.flatMap(arrive(), ({ key }) => post(tracksPath, { title: "Low water", genre: "jazz" }, key)),
    INVALID_GENRE: Effect.flatMap(arrive(), ({ key }) => form(key, mp3(), { genre: "marching" })),
    TRACK_TOO_SHORT: Effect.flatMap(arrive(), ({ key }) => form(key, mp3("shrt"))),
    INVALID_FILE_TYPE: Effect.flatMap(arrive(), ({ key }) => form(key, "RIFF....WAVE")),
    FORBIDDEN: Effect.flatMap(arrive({ role: "dj" }), ({ key }) => form(key, mp3()))
  },
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
  [`POST ${tracksPath}`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => form(key, mp3())),
    fields: ["track.createdBy.handle", ...shown.map((field) => `track.${field}`)]
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
      return yield* call("PATCH", `${tracksPath}/${yield* makeOwnSong(id)}`, { key, body: { remixable: true } })
    }),
    fields: ["track.createdBy.handle", ...shown.map((field) => `track.${field}`)]
  },
  [`DELETE ${track}`]: {
    ask: Effect.gen(function* () {
      const { id, key } = yield* arrive()
      return yield* call("DELETE", `${tracksPath}/${yield* makeOwnSong(id)}`, { key })
    }),
    fields: ["trackId", "approvalStatus"]
  }
}
