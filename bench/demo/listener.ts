import { sampleRateHz } from "../../schema/time/Samples.ts"
import { msAt } from "../../media/clock/StationClock.ts"
import { find } from "../instruments/ears/Correlate.ts"
import { soundAt } from "../instruments/ears/Decode.ts"
import { demonstrate, type Heard, type Stage } from "./Demonstration.ts"
import { leave, providerHere, signIn } from "../instruments/clients/ListenerAccount.ts"
import { listen, readAll } from "./ListenerReads.ts"
import { agentThere, callIn, chat, consent, writeIn } from "./ListenerTalks.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { freePort } from "../instruments/servers/Station.ts"
import { call } from "../instruments/clients/Stranger.ts"

/** With this seed the first songs last about 100 s, so a requested song airs during the demonstration. */
const houseSeed = "53944"
const patienceMs = 360_000
const alikeEnough = 0.6
/** Offset and length of the compared part of a sound, past the mixed beginning. */
const lookFromSec = 15,
  lookSec = 5
/** Search range around the time in the log: a search over everything takes minutes. */
const aroundSec = 45
/** Longest waits of the first two promises; for the others, this margin is added to the planner's time. */
const windowSec: Readonly<Record<string, number>> = { on_air: 60, within_15_min: 900, within_1_hour: 3_600 }
const lateSec = 60

interface Request {
  readonly requestId: string
  readonly status: string
  readonly estimatedPlayAt: string | null
  readonly estimatedWaitSeconds: number | null
  readonly etaLabel: string
  readonly etaReason: string | null
  readonly track: { readonly id: string; readonly title: string; readonly artist: string }
}

interface Row {
  readonly title: string
  readonly startedAt: string
  readonly listenerLabel: string
  readonly track: { readonly id: string } | null
}

const statusOf = async (base: string, token: string): Promise<Request | undefined> => {
  const { body } = await call(base, "GET", "/api/station/song-requests/status?includeTerminal=1", {
    headers: { "x-listener-token": token }
  })
  return (body["request"] ?? (body["recentTerminal"] as ReadonlyArray<Request> | undefined)?.[0]) as Request | undefined
}

/** A song that hasn't aired yet: an aired song can be requested again only after two hours. */
const findUnheard = (base: string) =>
  pollUntil("a song that has not aired yet", patienceMs, async () => {
    const { tracks } = (await call(base, "GET", "/api/station/music/catalog")).body as unknown as {
      tracks: ReadonlyArray<{ id: string; title: string; artist: string; requestable: boolean }>
    }
    const played = (
      (await call(base, "GET", "/api/station/history?types=music&limit=50")).body["items"] as ReadonlyArray<Row>
    ).map(({ track }) => track?.id)
    const now = (await call(base, "GET", "/api/station/now-playing")).body["track"] as { id: string } | null
    return tracks.length > 1
      ? tracks.find(({ id, requestable }) => requestable && id !== now?.id && !played.includes(id))
      : undefined
  })

const ask = async (base: string, token: string): Promise<{ readonly request: Request; readonly askedAtMs: number }> => {
  const track = await findUnheard(base)
  const headers = { "x-listener-token": token }
  const { body: vote } = await call(base, "POST", `/api/v1/tracks/${track.id}/engagement`, {
    headers,
    body: { action: "like", reasonCode: "great_melody" }
  })
  const { body: seen } = await call(base, "GET", `/api/v1/tracks/${track.id}/engagement`)
  say(
    `vote: likes the melody of ${track.title}; ${(seen["totals"] as { likes: number }).likes} like, rotation ${String(vote["rotationInfluence"])}`
  )
  const askedAtMs = Date.now()
  const { body } = await call(base, "POST", `/api/v1/tracks/${track.id}/request`, {
    headers,
    body: {
      source: "web",
      consent: { acknowledged: true, disclosureVersion: consent.disclosureVersion },
      attribution: { useDisplayName: true }
    }
  })
  const request = body as unknown as Request
  say(
    `song request for ${track.title} by ${track.artist}: ${request.status}, ${request.etaLabel}, ${request.estimatedWaitSeconds ?? "?"} s (${request.etaReason ?? "no reason"})`
  )
  const again = await fetch(`${base}/api/v1/tracks/${track.id}/request`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: "{}"
  })
  const { code } = (await again.json()) as { code: string }
  if (code !== "SONG_REQUEST_ALREADY_ACTIVE")
    throw new Error(`a second request must be refused with SONG_REQUEST_ALREADY_ACTIVE, not ${code}`)
  // The request gets a place soon after it is sent; the promise in that answer counts.
  const promised = await pollUntil("the planned time of the song", 60_000, async () => {
    const now = await statusOf(base, token)
    return now?.estimatedPlayAt === null ? undefined : now
  })
  say(`planned: ${promised.status}, ${promised.etaLabel}, at ${promised.estimatedPlayAt}`)
  return { request: promised, askedAtMs }
}

/** Waits until the song airs. Returns the states on the way and its row of the history. */
const heardOf = async (
  base: string,
  token: string,
  { askedAtMs, request }: { readonly request: Request; readonly askedAtMs: number }
): Promise<Row> => {
  const states = [request.status]
  await pollUntil("the requested song", patienceMs, async () => {
    const now = await statusOf(base, token)
    if (now !== undefined && now.status !== states.at(-1)) states.push(now.status)
    if (states.some((state) => state === "expired" || state === "cancelled")) return "never"
    return now?.status === "fulfilled" ? "heard" : undefined
  })
  if (states.at(-1) !== "fulfilled") throw new Error(`states of the request: ${states.join(", ")}`)
  const row = await pollUntil("its row in the history", patienceMs, async () =>
    ((await call(base, "GET", "/api/station/history?types=music&limit=50")).body["items"] as ReadonlyArray<Row>).find(
      ({ track }) => track?.id === request.track.id
    )
  )
  const startedMs = Date.parse(row.startedAt)
  const lastMs =
    request.etaLabel in windowSec
      ? askedAtMs + windowSec[request.etaLabel]! * 1_000
      : Date.parse(request.estimatedPlayAt!) + lateSec * 1_000
  say(
    `${row.title}: ${states.join(" → ")}; began at ${row.startedAt}, ${((startedMs - Date.parse(request.estimatedPlayAt!)) / 1_000).toFixed(1)} s after the planned time; for ${row.listenerLabel}`
  )
  if (startedMs > lastMs) throw new Error(`it aired later than the promise: ${request.etaLabel}`)
  return row
}

const excerpt = (sound: Float32Array) => {
  const from = Math.min(lookFromSec, Math.max(0, sound.length / sampleRateHz - lookSec)) * sampleRateHz
  return { fromSample: Math.floor(from), sound: sound.slice(from, from + lookSec * sampleRateHz) }
}

/** Finds a sound in the recording near its reported time. Returns the time of its start. */
const found = (what: string, sound: Float32Array, recorded: Heard, saidMs: number): number => {
  const part = excerpt(sound)
  const sampleAtSec = (sec: number) =>
    Math.max(0, Math.round(((saidMs - msAt(recorded.firstSample)) / 1_000 + sec) * sampleRateHz))
  const from = sampleAtSec(-aroundSec)
  const match = find(part.sound, recorded.sound.subarray(from, sampleAtSec(aroundSec)))
  if (match.correlation < alikeEnough)
    throw new Error(`${what} is not in the recording: ${match.correlation.toFixed(3)}`)
  const beganMs = msAt(recorded.firstSample + from + match.offsetSamples - part.fromSample)
  say(
    `${what} found in the recording (correlation ${match.correlation.toFixed(3)}), start ${new Date(beganMs).toISOString()}`
  )
  return beganMs
}

const walk = async (
  { folder, record, station: { base, operator, port } }: Stage,
  provider: Awaited<ReturnType<typeof providerHere>>
): Promise<void> => {
  const heard = record()
  await readAll(base)

  const listener = (await call(base, "POST", "/api/listeners/session")).body as unknown as {
    listenerId: string
    listenerToken: string
  }
  say(`listener session: ${listener.listenerId}`)
  await listen(base, 6)
  const engaged = (
    await call(base, "POST", "/api/station/engage", {
      headers: { "x-listener-token": listener.listenerToken },
      body: { kind: "reaction", value: "love" }
    })
  ).body
  const streaks = (
    await call(base, "GET", "/api/listeners/me/streaks", { headers: { "x-listener-token": listener.listenerToken } })
  ).body
  say(
    `reaction sent (${engaged["recorded"] === true ? "counted" : "not counted"}); streak ${JSON.stringify(streaks["streak"])}`
  )

  if (provider === null) say("oidc-provider is not installed: sign-in, chat and account are skipped")
  else provider.letIn("listener-1", "ada@example.org")
  const account = provider === null ? null : await signIn(base, listener, "Ada")
  const token = account?.token ?? listener.listenerToken
  await writeIn(base, operator, token)
  const called = await callIn(base, operator, token, folder)
  if (account !== null) await chat(base, token, await agentThere(base, operator, `wren-${port}`))

  const asked = await ask(base, token)
  const row = await heardOf(base, token, asked)
  if (row.listenerLabel !== (account === null ? "a listener" : "Ada"))
    throw new Error(`the history names another requester: ${row.listenerLabel}`)
  const aired = await pollUntil("the call on the air", patienceMs, async () => {
    const { messages } = (await call(base, "GET", "/api/ops/messages?type=call_in", { bearer: operator }))
      .body as unknown as {
      messages: ReadonlyArray<{
        id: string
        call: { airStatus: string; airReason: string | null; airedAt: string | null }
      }>
    }
    const { airReason, airStatus, airedAt } = messages.find(({ id }) => id === called.id)!.call
    if (airStatus === "failed") throw new Error(`the call failed: ${airReason}`)
    return airStatus === "aired" ? (airedAt ?? undefined) : undefined
  })
  say(`the call aired at ${aired}`)

  // The end is still in the encoder and its segment.
  await new Promise((resolve) => setTimeout(resolve, 8_000))
  const recorded = await heard()
  const { tracks } = (await call(base, "GET", "/api/ops/tracks?limit=100", { bearer: operator })).body as unknown as {
    tracks: ReadonlyArray<{ id: string; audioUrl: string }>
  }
  const song = await soundAt(base, tracks.find(({ id }) => id === asked.request.track.id)!.audioUrl, operator)
  if (account !== null) await leave(base, account)

  const beganMs = found(asked.request.track.title, song, recorded, Date.parse(row.startedAt))
  if (Math.abs(beganMs - Date.parse(row.startedAt)) > 2_000)
    throw new Error("the song was not heard at the time in the history")
  found("the call", called.sound, recorded, Date.parse(aired))
  say("sent, answered and heard")
}

/** A listener with an account listens, takes part, and deletes the account. */
const port = await freePort()
const provider = await providerHere(`http://127.0.0.1:${port}`)
await demonstrate({ port, env: { HOUSE_SEED: houseSeed, ...provider?.env } }, (stage) => walk(stage, provider)).finally(
  () => provider?.close()
)
