import { decodeMono } from "../instruments/ears/Decode.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { follow } from "../instruments/clients/Events.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { call } from "../instruments/clients/Stranger.ts"

const patienceMs = 30_000

/** All public reads of a station, without a key. Each answer is checked. */
export const readAll = async (base: string): Promise<void> => {
  // oxlint-disable-next-line typescript/no-explicit-any
  const get = async (path: string): Promise<any> => (await call(base, "GET", path)).body
  // In its first seconds, the station answers that it has just started and asks to try again.
  const state = await pollUntil("the station's state", patienceMs, () => get("/api/station"))
  const now = await get("/api/station/now-playing")
  const short = await get("/api/now-playing")
  if (state.onAir !== true || now.item.id === undefined || short.item.id === undefined)
    throw new Error("the station doesn't name the item on the air")
  say(
    `${String(state.name)} plays a ${String(now.item.kind)}, in ${String(state.timezone)}, to ${String(state.listenerCount)} listeners`
  )

  const beganMs = performance.now()
  const stream = await follow(`${base}/api/now-playing?format=sse`)
  await pollUntil("the stream of what is playing", patienceMs, async () =>
    stream.told().some(({ event }) => event === "tick") ? true : undefined
  )
  const tickedSec = (performance.now() - beganMs) / 1_000
  const [first] = stream.told()
  await stream.leave()
  const resumed = await follow(`${base}/api/now-playing?format=sse`, { "last-event-id": first!.id! })
  await pollUntil("the stream, gone on", patienceMs, async () =>
    resumed.told().some(({ event }) => event === "tick") ? true : undefined
  )
  await resumed.leave()
  if (first?.event !== "now-playing") throw new Error("an event stream must begin with a snapshot")
  say(`events: snapshot first, a tick within ${tickedSec.toFixed(1)} s, resumed from id ${first.id}`)

  const history = (await get("/api/station/history?limit=5")).items as ReadonlyArray<{ title: string; airedAt: string }>
  const schedule = await get("/api/station/schedule")
  const calendar = await (await fetch(`${base}/api/station/schedule?format=ics`)).text()
  if (!calendar.startsWith("BEGIN:VCALENDAR") || !calendar.includes("BEGIN:VEVENT"))
    throw new Error("the calendar is none")
  say(
    `history: ${history.map(({ title }) => title).join(", ") || "nothing yet"}; ${schedule.blocks.length} blocks a week, ${calendar.split("BEGIN:VEVENT").length - 1} events in its calendar`
  )

  const queue = await get("/api/station/queue")
  const health = await get("/api/station/stream-health")
  const sources = (await get("/api/station/playback-sources")).sources as ReadonlyArray<{ type: string; url: string }>
  const world = await get("/api/station/world-state")
  const points = await get("/api/station/signal-points")
  const living = (await get("/api/station/living")).events as ReadonlyArray<unknown>
  say(
    `queue ${String(queue.health)}, stream ${String(health.status)}, ${sources.map(({ type }) => type).join(" then ")}, a ${String(world.mood.label)} ${String(world.station.partOfDay)}, ${points.earn.length} ways to earn points, ${living.length} declarations of agents`
  )
  for (const { url } of sources) {
    const gone = new AbortController()
    const response = await fetch(url, { signal: gone.signal })
    if (!response.ok) throw new Error(`${url}: ${response.status}`)
    gone.abort()
  }

  const boards = [
    "station/overall",
    "station/listeners_choice",
    "station/consistency",
    "dj/overall",
    "dj/shows",
    "dj/panels",
    "dj/liked",
    "artist/overall",
    "artist/plays",
    "artist/liked",
    "artist/remixed",
    "tracks/liked",
    "tracks/played",
    "tracks/requested",
    "tracks/rising"
  ]
  for (const board of boards) await get(`/api/v1/leaderboards/${board}`)
  await get("/api/v1/leaderboards/humans")
  await get("/api/v1/peer-moderation/leaderboard")
  const { code } = (await (await fetch(`${base}/api/v1/leaderboards/tracks/loudest`)).json()) as { code: string }
  if (code !== "INVALID_CATEGORY")
    throw new Error(`an unknown leaderboard must be refused with INVALID_CATEGORY, not ${code}`)
  const { domains } = (await get("/api/v1/feedback/reasons")) as { domains: ReadonlyArray<{ domain: string }> }
  say(`${boards.length + 2} leaderboards; reasons for votes on ${domains.map(({ domain }) => domain).join(", ")}`)
}

/** Listens to MP3 for some seconds and fails on silence. */
export const listen = async (base: string, sec: number): Promise<void> => {
  const gone = new AbortController()
  const response = await fetch(`${base}/api/station/listen`, { signal: gone.signal })
  const chunks: Array<Uint8Array> = []
  const endMs = performance.now() + sec * 1_000
  for await (const bytes of response.body!) {
    chunks.push(bytes)
    if (performance.now() > endMs) break
  }
  gone.abort()
  const sound = await decodeMono(Buffer.concat(chunks))
  const loudest = sound.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  if (loudest < 0.01) throw new Error("the stream is silent")
  say(
    `heard ${(sound.length / sampleRateHz).toFixed(1)} s of MP3, peak at ${(20 * Math.log10(loudest)).toFixed(1)} dBFS`
  )
}
