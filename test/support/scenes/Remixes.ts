import { Effect } from "effect"
import { musician } from "../music/MusicScene.ts"
import {
  makeOwnSample,
  previewRemix,
  remix,
  remixer,
  remixPath,
  samplePath,
  songOnSample
} from "../music/RemixScene.ts"
import type { Scenes, Successes } from "./Scene.ts"

/** 4.7: music made after a track or a sample. The contract names no refusal: test/http/music/Remixes.test.ts has ours. */
export const remixes: Scenes = {
  [`POST ${remixPath}/preview`]: {},
  [`POST ${remixPath}`]: {},
  [`POST ${samplePath}`]: {}
}
export const remixSuccesses: Successes = {
  [`POST ${remixPath}/preview`]: {
    ask: Effect.flatMap(remixer, ({ key, source }) => previewRemix(key, { sourceTrackId: source.id })),
    fields: ["draft.sourceTrackId", "draft.title", "draft.plan.0", "draft.durationSec"]
  },
  [`POST ${remixPath}`]: {
    ask: Effect.flatMap(remixer, ({ key, source }) => remix(key, { sourceTrackId: source.id })),
    fields: ["requestId", "jobId", "status"]
  },
  [`POST ${samplePath}`]: {
    ask: Effect.gen(function* () {
      const { key } = yield* musician()
      return yield* songOnSample(key, { uploadId: yield* makeOwnSample(key) })
    }),
    fields: ["requestId", "status"]
  }
}
