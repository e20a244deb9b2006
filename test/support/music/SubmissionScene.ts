import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { type Answer, baseUrl, call, operator } from "../http/SegmentHttp.ts"
import { person } from "../people/Humans.ts"
import { music } from "./MusicScene.ts"

export const submissionsPath = "/api/account/music-submissions"
export const board = `${music}/adoption-board`

export interface Sender {
  readonly headers: Record<string, string>
}
let files = 0
/** Bytes that begin like an MP3, other ones each time; `shrt` ones are too short, `bad` ones pass no check. */
export const mp3 = (kind: "good" | "shrt" | "bad" = "good") =>
  `ID3${kind}${String(++files).padStart(8, "0")}${"x".repeat(400)}`

/** What the form of a recording needs at least. */
export const words = { title: "Low water", rightsDeclaration: "own_work", rightsAttested: "true" }
export const formOf = (fields: Record<string, string | null>, bytes: string | Uint8Array | null = mp3()) => {
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...words, ...fields })) if (value !== null) form.set(name, value)
  if (bytes !== null) form.set("file", new Blob([bytes as BlobPart], { type: "audio/mpeg" }), "low-water.mp3")
  return form
}
/** Sends a recording in, as the form of the page does. */
export const sendIn = Effect.fnUntraced(function* (
  { headers }: Sender,
  fields: Record<string, string | null> = {},
  bytes: string | Uint8Array | null = mp3(),
  { more = {}, path = submissionsPath }: { readonly path?: string; readonly more?: Record<string, string> } = {}
) {
  const base = yield* baseUrl
  return yield* Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(`${base}${path}`, {
      method: "POST",
      headers: { ...headers, ...more },
      body: formOf(fields, bytes)
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text.startsWith("{") ? JSON.parse(text) : text }
  })
})
export const ownOf = ({ headers }: Sender) =>
  Effect.map(call("GET", submissionsPath, { headers }), ({ body }) => body.submissions)
export const withdraw = ({ headers }: Sender, id: string, query = "") =>
  call("DELETE", `${submissionsPath}/${id}${query}`, { headers })

/** The open review of a recording; undefined without one. */
export const reviewOfSubmission = Effect.fnUntraced(function* (id: string) {
  const { items } = (yield* call("GET", "/api/ops/reviews?limit=100", { key: yield* operator("reviewer") })).body
  return items.find(({ subject }: { readonly subject: { readonly id: string } }) => subject.id === id)
})
export const decide = Effect.fnUntraced(function* (id: string, decision: string, reason = "Heard.") {
  const review = yield* reviewOfSubmission(id)
  return yield* call("POST", `/api/ops/reviews/${review.id}/decision`, {
    key: yield* operator("reviewer"),
    body: { decision, reason }
  })
})
/** A recording on the board, and who sent it. */
export const sendInListed = Effect.fnUntraced(function* (fields: Record<string, string | null> = {}) {
  const sender = yield* person()
  const { id } = (yield* sendIn(sender, fields)).body.submission
  yield* decide(id, "approve")
  return { id: id as string, sender }
})
/** An agent of T1. */
export const adopter = Effect.gen(function* () {
  const agent = yield* arrive()
  const key = yield* operator("producer")
  yield* call("PUT", `/api/ops/agents/${agent.id}/grants`, { key, body: { tierPin: 1 } })
  return agent
})
export const boardOf = (key: string, query = "") => call("GET", `${board}${query}`, { key })
export const adopt = (key: string, id: string, body: object | undefined = undefined, query = "") =>
  call("POST", `${board}/submissions/${id}/adopt${query}`, { key, ...(body === undefined ? {} : { body }) })
