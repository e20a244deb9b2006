import { discover } from "./AgentTour.ts"
import { type Callback, listenForCallbacks } from "../instruments/servers/Callbacks.ts"
import { approve, reviewOf } from "../instruments/clients/Operator.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { call } from "../instruments/clients/Stranger.ts"

/** Other programs may keep the composer waiting, which runs behind the air chain. */
const patienceMs = 900_000
const me = "/api/v1/agents/me"

/** An agent of the demonstration, with its webhooks. */
export interface Musician {
  readonly agentId: string
  readonly handle: string
  readonly ask: <A>(method: string, path: string, body?: object) => Promise<A>
  readonly form: <A>(path: string, form: FormData) => Promise<A>
  readonly bytes: (path: string) => Promise<Uint8Array>
  readonly listTold: (type: string, id: string) => ReadonlyArray<Callback["data"]>
  readonly leave: () => void
}

/** An agent that knows only the address registers, is claimed, and subscribes to what becomes of its music. */
export const becomeMusician = async (base: string, handle: string, displayName: string): Promise<Musician> => {
  const found = await discover(base)
  const registered = (
    await call(base, "POST", found.register, {
      body: { type: "anonymous", agent: { handle, displayName, role: "artist" } }
    })
  ).body
  const claimed = (
    await call(base, "POST", found.complete, {
      body: { claimCode: registered["claimCode"], ownerEmail: `${handle}@example.org`, consentGiven: true }
    })
  ).body
  const bearer = String(claimed["apiKey"])
  const ask = async <A>(method: string, path: string, body?: object) =>
    (await call(base, method, path, { bearer, ...(body === undefined ? {} : { body }) })).body as A
  const callbacks = await listenForCallbacks()
  const { signingSecret } = await ask<{ signingSecret: string }>("POST", `${me}/webhooks`, {
    url: callbacks.url,
    events: ["*"]
  })
  callbacks.trust(signingSecret)
  const got = async (path: string, init: RequestInit) => {
    const response = await fetch(new URL(path, base), { ...init, headers: { authorization: `Bearer ${bearer}` } })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
  say(`@${handle} is claimed: ${String(claimed["agentId"])}`)
  return {
    agentId: String(claimed["agentId"]),
    handle,
    ask,
    form: async <A>(path: string, form: FormData) => (await got(path, { method: "POST", body: form })).json() as A,
    bytes: async (path) => new Uint8Array(await (await got(path, {})).arrayBuffer()),
    listTold: (type, id) =>
      callbacks
        .listVerified()
        .filter((message) => message.type === type && message.data["id"] === id)
        .map(({ data }) => data),
    leave: callbacks.close
  }
}

/** Polls until a state is the last one. Returns all states on the way. */
export const statesOf = async (
  what: string,
  state: () => Promise<string>,
  last: ReadonlyArray<string>,
  failed: ReadonlyArray<string> = ["failed", "rejected", "cancelled", "expired"]
): Promise<ReadonlyArray<string>> => {
  const states: Array<string> = []
  await pollUntil(what, patienceMs, async () => {
    const now = await state()
    if (now !== states.at(-1)) states.push(now)
    return last.includes(now) || failed.includes(now) ? true : undefined
  })
  if (failed.includes(states.at(-1)!)) throw new Error(`${what}: ${states.join(", ")}`)
  return states
}

/** Waits for the webhook of this kind about this thing, which must come once. */
export const toldOf = async (
  { handle, listTold }: Musician,
  type: string,
  id: string,
  field: string,
  expected: string
): Promise<void> => {
  const values = await pollUntil(`the webhook ${type} to @${handle}`, 60_000, async () => {
    const all = listTold(type, id).map((data) => String(data[field]))
    return all.includes(expected) ? all : undefined
  })
  say(`webhook to @${handle}, its signature valid: ${type} ${field} ${values.join(", ")}`)
  if (values.filter((value) => value === expected).length !== 1) throw new Error(`${type} was told more than once`)
}

interface Request {
  readonly requestId: string
  readonly status: string
  readonly progress: number
}
interface Variant {
  readonly id: string
  readonly durationSec: number
  readonly bpm: number | null
  readonly musicalKey: string | null
  readonly previewUrl: string
}
export interface MadeTrack {
  readonly id: string
  readonly title: string
  readonly approvalStatus: string
  readonly audioUrl: string
  readonly synthetic: { readonly digitalSourceType: string; readonly disclosure: string } | null
  readonly remixOfTrackId: string | null
}

/** Follows a request to its pieces, listens to each, and designates the longest. */
export const designate = async (agent: Musician, requestId: string, title?: string): Promise<MadeTrack> => {
  const path = `${me}/music/requests/${requestId}`
  const states = await statesOf(`request ${requestId}`, async () => (await agent.ask<Request>("GET", path)).status, [
    "complete"
  ])
  say(`polled: request ${states.join(" → ")}`)
  await toldOf(agent, "music_request.completed", requestId, "status", "complete")
  const { variants } = await agent.ask<{ variants: ReadonlyArray<Variant> }>("GET", `${path}/variants`)
  for (const { bpm, durationSec, id, musicalKey } of variants) {
    const heard = await agent.bytes(`${path}/variants/${id}/preview`)
    say(
      `@${agent.handle} listens to a variant: ${durationSec.toFixed(0)} s, ${bpm ?? "?"} BPM, ${musicalKey ?? "no key"}, ${(heard.length / 1_024).toFixed(0)} KiB of MP3`
    )
  }
  const { id: variantId } = variants.toSorted((one, other) => other.durationSec - one.durationSec)[0]!
  const { track } = await agent.ask<{ track: MadeTrack }>("POST", `${path}/variants/designate`, {
    variantId,
    ...(title === undefined ? {} : { title })
  })
  say(`designates one: ${track.title}, ${track.approvalStatus}; ${track.synthetic?.disclosure ?? "unmarked"}`)
  return track
}

/** An operator hears a track and approves it; the agent sees it by polling and by webhook. */
export const approveTrack = async (
  base: string,
  operator: string,
  agent: Musician,
  track: MadeTrack
): Promise<void> => {
  const before = (await agent.ask<{ track: MadeTrack }>("GET", `/api/v1/tracks/${track.id}`)).track.approvalStatus
  await approve(base, operator, await reviewOf(base, operator, "track", track.id), "Heard, and welcome.")
  const states = await statesOf(
    `track ${track.title}`,
    async () => (await agent.ask<{ track: MadeTrack }>("GET", `/api/v1/tracks/${track.id}`)).track.approvalStatus,
    ["approved"]
  )
  say(`an operator approves ${track.title}; polled: ${[before, ...states].join(" → ")}`)
  await toldOf(agent, "track.decided", track.id, "approvalStatus", "approved")
}
