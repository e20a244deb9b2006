import { Effect } from "effect"
import { call } from "../http/SegmentHttp.ts"
import { adopt, adopter, board, boardOf, sendInListed } from "../music/SubmissionScene.ts"
import type { Scenes, Successes } from "./Scene.ts"

const submission = `${board}/submissions/{id}`
/** 4.7: listeners' recordings. The contract names no refusal: test/http/music/AdoptionBoard.test.ts has ours. */
export const adoptionBoard: Scenes = {
  [`GET ${board}`]: {},
  [`GET ${submission}/preview`]: {},
  [`POST ${submission}/adopt`]: {}
}
export const adoptionBoardSuccesses: Successes = {
  [`GET ${board}`]: {
    ask: Effect.gen(function* () {
      yield* sendInListed()
      return yield* boardOf((yield* adopter).key)
    }),
    fields: ["id", "title", "genre", "mood", "durationSec", "note", "submittedAt", "adopted"].map(
      (field) => `submissions.0.${field}`
    )
  },
  [`GET ${submission}/preview`]: {
    ask: Effect.gen(function* () {
      const { id } = yield* sendInListed()
      return yield* call("GET", `${board}/submissions/${id}/preview`, { key: (yield* adopter).key })
    }),
    fields: []
  },
  [`POST ${submission}/adopt`]: {
    ask: Effect.gen(function* () {
      const { id } = yield* sendInListed()
      return yield* adopt((yield* adopter).key, id)
    }),
    fields: ["adoption.id", "adoption.submissionId", "adoption.status", "adoption.createdAt"]
  }
}
