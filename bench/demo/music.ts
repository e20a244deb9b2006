import { msAt } from "../../media/clock/StationClock.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { find } from "../instruments/ears/Correlate.ts"
import { soundAt } from "../instruments/ears/Decode.ts"
import { providerHere } from "../instruments/clients/ListenerAccount.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { cutSeconds } from "../instruments/ears/SpokenAt.ts"
import { freePort } from "../instruments/servers/Station.ts"
import { call } from "../instruments/clients/Stranger.ts"
import { demonstrate, type Stage } from "./Demonstration.ts"
import {
  approveTrack,
  becomeMusician,
  designate,
  type MadeTrack,
  type Musician,
  statesOf,
  toldOf
} from "./MusicAgent.ts"
import { adoptMusic, bringTrack, remixTrack } from "./MusicOthers.ts"

const patienceMs = 600_000
const me = "/api/v1/agents/me"
const alikeEnough = 0.6
/** With this seed the first songs last about 100 s. */
const houseSeed = "53944"
const songsMin = 3
/** Compared part of the song: from behind the crossfade, long enough to recognise. */
const fromSec = 12,
  excerptSec = 8
/** Distance between the heard and the logged start. */
const toleranceMs = 100

interface Capabilities {
  readonly canUseStationMusic: boolean
  readonly reason: string | null
  readonly quota: ReadonlyArray<{ readonly used: number; readonly limit: number }>
  readonly providers: ReadonlyArray<{ readonly id: string; readonly lyrics: boolean; readonly maxDurationSec: number }>
}

/** The agent asks what it can do; an operator grants it what it lacks. */
const awaitAdmission = async (base: string, operator: string, agent: Musician): Promise<void> => {
  const ask = () => agent.ask<Capabilities>("GET", `${me}/music/capabilities`)
  const before = await ask()
  say(`what it can do: ${before.canUseStationMusic ? "have music made" : String(before.reason)}`)
  await call(base, "PUT", `/api/ops/agents/${agent.agentId}/grants`, { bearer: operator, body: { tierPin: 2 } })
  const { canUseStationMusic, providers, quota } = await ask()
  if (!canUseStationMusic) throw new Error("it may still not have music made")
  say(
    `an operator makes it T2: ${quota[0]!.limit - quota[0]!.used} requests left today; providers: ${providers.map(({ id, lyrics, maxDurationSec }) => `${id} (to ${maxDurationSec} s, ${lyrics ? "sings" : "instrumental"})`).join(", ")}`
  )
}

/** Waits until the rotation has enough songs of the station's own, so that one track needn't be repeated. */
const songsMade = async (base: string): Promise<void> => {
  const made = await pollUntil("songs of the station", patienceMs, async () => {
    const { tracks } = (await call(base, "GET", "/api/station/music/catalog?limit=100")).body as unknown as {
      tracks: ReadonlyArray<unknown>
    }
    return tracks.length >= songsMin ? tracks.length : undefined
  })
  say(`songs composed by the station so far: ${made}`)
}

const generate = async (agent: Musician): Promise<MadeTrack> => {
  const order = {
    prompt: "Slow jazz for a harbour at night, 84 bpm, in D minor",
    title: "Low Water",
    durationSec: 45,
    seed: 21,
    variants: 2
  }
  const preview = await agent.ask<{
    structure: ReadonlyArray<{ section: string; bars: number }>
    estimatedDurationSec: number
  }>("POST", "/api/music/generate/preview", order)
  say(
    `preview, free of charge: ${preview.structure.map(({ bars, section }) => `${section} ${bars}`).join(", ")} bars, ${preview.estimatedDurationSec.toFixed(0)} s`
  )
  const { requestId, status } = await agent.ask<{ requestId: string; status: string }>(
    "POST",
    `${me}/music/generate`,
    order
  )
  say(`@${agent.handle} asks for ${order.title}: ${status}`)
  return designate(agent, requestId)
}

interface Row {
  readonly startedAt: string
  readonly airedCompletely: boolean
  readonly listenerLabel: string | null
  readonly track: { readonly id: string } | null
}
interface SongRequest {
  readonly requestId: string
  readonly status: string
}

/** Another agent requests the song; it is followed to the air. */
const requestTrack = async (base: string, fan: Musician, author: Musician, track: MadeTrack): Promise<Row> => {
  const made = await fan.ask<SongRequest>("POST", `${me}/tracks/${track.id}/request`, { note: "For the night ferry." })
  say(`@${fan.handle} requests ${track.title}: ${made.status}`)
  const states = await statesOf(
    "the song request",
    async () => (await fan.ask<{ request: SongRequest }>("GET", `${me}/song-requests/status`)).request.status,
    ["fulfilled"]
  )
  say(`polled: song request ${[...new Set([made.status, ...states])].join(" → ")}`)
  await toldOf(fan, "song_request.updated", made.requestId, "status", "fulfilled")
  const aired = async () =>
    ((await call(base, "GET", "/api/station/history?types=music&limit=50")).body["items"] as ReadonlyArray<Row>).filter(
      (row) => row.track?.id === track.id
    )
  const row = await pollUntil("the requested airing in the history", patienceMs, async () =>
    (await aired()).find(({ listenerLabel }) => listenerLabel !== null)
  )
  // The rotation may have played it as well: each airing is told once.
  const told = await pollUntil("a webhook for each airing", patienceMs, async () => {
    const times = author.listTold("track.aired", track.id).map((data) => String(data["airedAt"]))
    return times.length >= (await aired()).length ? times : undefined
  })
  say(`webhook to @${author.handle}, its signature valid: track.aired at ${told.join(", ")}`)
  if (new Set(told).size !== told.length) throw new Error("an airing was told twice")
  return row
}

const walk = async (
  { folder, record, station: { base, operator, port } }: Stage,
  provider: Awaited<ReturnType<typeof providerHere>>
): Promise<void> => {
  const author = await becomeMusician(base, `tern-${port}`, "The Tern")
  const fan = await becomeMusician(base, `eider-${port}`, "The Eider")
  await songsMade(base)
  await awaitAdmission(base, operator, author)
  await call(base, "PUT", `/api/ops/agents/${fan.agentId}/grants`, { bearer: operator, body: { tierPin: 2 } })
  const track = await generate(author)
  await approveTrack(base, operator, author, track)

  const heard = record()
  const airing = requestTrack(base, fan, author, track)
  airing.catch(() => undefined)
  const source = await bringTrack(base, operator, fan, folder)
  await remixTrack(base, operator, author, source.id)
  if (provider === null) say("oidc-provider is not installed: the listener's account and the adoption are skipped")
  else {
    provider.letIn("listener-1", "ada@example.org")
    await adoptMusic(base, operator, fan, folder)
  }

  const row = await airing
  say(
    `aired at ${row.startedAt}${row.airedCompletely ? ", completely" : ", CUT"}, requested by ${row.listenerLabel ?? "nobody"}`
  )
  const plays = (await author.ask<{ track: { playCount: number } }>("GET", `/api/v1/tracks/${track.id}`)).track
    .playCount
  say(`polled: ${track.title} has been played ${plays} time${plays === 1 ? "" : "s"}`)
  // The end is still in the encoder and its segment.
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  const { firstSample, sound } = await heard()
  const own = await soundAt(base, track.audioUrl)
  const startSec = (Date.parse(row.startedAt) - msAt(firstSample)) / 1_000
  const match = find(
    cutSeconds(own, fromSec, fromSec + excerptSec),
    cutSeconds(sound, startSec + fromSec - 3, startSec + fromSec + excerptSec + 3)
  )
  const offMs = (match.offsetSamples / sampleRateHz - 3) * 1_000
  say(
    `in the recording: ${track.title}, correlation ${match.correlation.toFixed(3)}, ${offMs.toFixed(0)} ms off the history`
  )
  if (match.correlation < alikeEnough || Math.abs(offMs) > toleranceMs)
    throw new Error("the song was not heard when the history says")
  if (plays !== author.listTold("track.aired", track.id).length) throw new Error("its plays and its webhooks differ")
  author.leave()
  fan.leave()
  say("generated, chosen, approved, requested, aired and heard; uploaded, remixed and adopted beside it")
}

/**
 * An agent that knows only an address has music made and follows it to the air. A second one brings a recording, adopts a listener's and requests a song.
 * The webhook servers run on this machine, to which stations send webhooks only with ALLOW_PRIVATE_CALLBACKS; the listener signs in at an identity
 * provider on this machine.
 */
const port = await freePort()
const provider = await providerHere(`http://127.0.0.1:${port}`)
await demonstrate({ port, env: { ALLOW_PRIVATE_CALLBACKS: "on", HOUSE_SEED: houseSeed, ...provider?.env } }, (stage) =>
  walk(stage, provider)
).finally(() => provider?.close())
