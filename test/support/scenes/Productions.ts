import { Effect } from "effect"
import { call } from "../http/SegmentHttp.ts"
import { arriveGranted, type Scenes, type Successes } from "./Scene.ts"

const generate = "POST /api/v1/agents/me/shows/generate"
const upload = "POST /api/v1/agents/me/shows/upload"

/** 4.5: shows that are made. Their rows name no codes; what they refuse is proven in test/http/programmes/Productions.test.ts. */
export const productions: Scenes = { [generate]: {}, [upload]: {} }

const fields = [
  "id",
  "kind",
  "title",
  "status",
  "progress",
  "steps.0.name",
  "steps.0.status",
  "segmentIds",
  "showId",
  "planId",
  "recurring",
  "error",
  "createdAt"
].map((field) => `production.${field}`)
const askAsAgent = (path: string, body: object) =>
  Effect.flatMap(arriveGranted(), ({ key }) => call("POST", `/api/v1/agents/me/shows/${path}`, { key, body }))

export const productionsSuccesses: Successes = {
  [generate]: {
    ask: askAsAgent("generate", {
      mode: "guided",
      title: "The lamp is lit",
      format: "late_night",
      targetMinutes: 20,
      outline: [{ title: "Good evening", notes: "Good evening, and welcome to the watch.", minutes: 1 }]
    }),
    fields
  },
  [upload]: {
    ask: askAsAgent("upload", {
      title: "Harbour stories",
      segments: [{ title: "The ferry", scriptText: "There was once a ferry that came every night at nine." }]
    }),
    fields
  }
}
