import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { sampleRateHz } from "../engine/Limits.ts"
import { msAt } from "../media/StationClock.ts"
import { decodeMono } from "./Decode.ts"
import { hearPanel } from "./PanelEars.ts"
import { bookHour, openSlot, planHour } from "./PanelHour.ts"
import { arriveAll, producePanel, recordPanel, type Seated } from "./PanelTable.ts"
import { say, until } from "./Patience.ts"
import { recordHls } from "./Recorder.ts"
import { inFolder, type RunningStation, startStation } from "./Station.ts"
import { call } from "./Stranger.ts"

const patienceMs = 600_000
/** A hard start: this near to its time, in the log. */
const hardToleranceMs = 50
/** The house's first songs under this seed are some 100 seconds long: a few of them fill what the panel leaves. */
const houseSeed = "53944", songsMin = 4

interface Receipt {
  readonly itemId: string
  readonly title: string
  readonly plannedAt: string | null
  readonly startedAt: string | null
  readonly lateMs: number | null
  readonly complete: boolean | null
  readonly reason: string | null
}

interface Replay {
  readonly id: string
  readonly hlsUrl: string | null
  readonly turns: ReadonlyArray<{ readonly handle: string; readonly startSec: number; readonly durationSec: number }>
}

const soundOf = async (base: string, path: string) => decodeMono(Buffer.from(await (await fetch(new URL(new URL(path, base).pathname, base))).arrayBuffer()))

/** What the plan said and what was heard of it, side by side. */
const receipts = async (base: string, host: Seated, planId: string): Promise<ReadonlyArray<Receipt>> => {
  const { body } = await call(base, "GET", `/api/v1/agents/me/shows/plans/${planId}/as-run`, { bearer: host.key })
  return body["items"] as ReadonlyArray<Receipt>
}

/** Where a panel that has aired can be found. */
const findAgain = async (base: string, segmentId: string, sessionId: string, slug: string) => {
  const history = (await call(base, "GET", "/api/station/history?limit=50")).body["items"] as ReadonlyArray<{ segmentId: string; startedAt: string; airedCompletely: boolean; asRunId: string; title: string }>
  const row = history.find((item) => item.segmentId === segmentId)!
  say(`history: ${row.title}, ${row.startedAt}${row.airedCompletely ? ", completely" : ", CUT"}`)
  const listed = await until("the recording", patienceMs, async () => ((await call(base, "GET", `/api/replays?showSlug=${slug}`)).body["replays"] as ReadonlyArray<{ id: string; sessionId: string }>).find((each) => each.sessionId === sessionId))
  // It is cut into pieces once it is published: its address is there when they are.
  const replay = await until("the recording in pieces", patienceMs, async () => {
    const { replay } = (await call(base, "GET", `/api/replays/${listed.id}`)).body as unknown as { replay: Replay }
    return replay.hlsUrl === null ? undefined : { ...replay, hlsUrl: replay.hlsUrl }
  })
  const hls = await (await fetch(new URL(replay.hlsUrl, base))).text()
  const feed = await (await fetch(`${base}/podcast.xml`)).text()
  if (!feed.includes(replay.id)) throw new Error("the podcast doesn't have it")
  say(`replays: ${replay.id}, ${replay.turns.length} turns, ${hls.split("\n").filter((line) => line.endsWith(".ts")).length} pieces of HLS; the podcast has it`)
  const { entries } = (await call(base, "GET", "/api/lore?limit=100")).body as unknown as { entries: ReadonlyArray<{ title: string; status: string; references: ReadonlyArray<{ id: string }> }> }
  const lore = entries.filter(({ references }) => references.some(({ id }) => id === sessionId || id === segmentId))
  if (lore.length === 0) throw new Error("no lore came of it")
  say(`lore: ${lore.map(({ status, title }) => `${title} (${status})`).join(", ")}`)
  return { row, replay }
}

const walk = async (station: RunningStation, folder: string, recording: AbortController): Promise<void> => {
  const { base, operator } = station
  await until("first part of the stream", patienceMs, async () => (await fetch(`${base}/live/aac128/index.m3u8`)).ok ? true : undefined)
  await until("the API", patienceMs, async () => (await fetch(`${base}/readyz`)).ok ? true : undefined)
  say(`a station plays at ${base}`)
  const seated = await arriveAll(base, operator)
  const host = seated[0]!
  const { show } = (await call(base, "POST", "/api/ops/shows", { bearer: operator, body: { title: "The Harbour Table", hostHandle: host.handle, format: "panel", reason: "A table for agents." } })).body as unknown as { show: { slug: string } }
  say(`an operator gives @${host.handle} the show ${show.slug}`)
  const sessionId = await recordPanel(base, show.slug, seated)
  const songs = await until("songs to fill the hour with", patienceMs, async () => {
    const { tracks } = (await call(base, "GET", "/api/station/music/catalog?limit=100")).body as unknown as { tracks: ReadonlyArray<unknown> }
    return tracks.length >= songsMin ? tracks.length : undefined
  })
  say(`the house has made ${songs} songs by now`)
  const slot = await openSlot(base, operator)
  const planId = await bookHour(base, host, slot)
  const panel = await producePanel(base, sessionId, host)
  const timeline = await planHour(base, operator, host, planId, panel.segmentId)
  const record = recordHls(base, "aac128", recording.signal)
  record.catch(() => undefined)
  await until("the end of the plan", patienceMs, async () => ((await call(base, "GET", `/api/v1/agents/me/shows/plans/${planId}`, { bearer: host.key })).body["plan"] as { status: string }).status === "aired" ? true : undefined)
  say("the plan has aired")
  for (const { complete, lateMs, plannedAt, reason, startedAt, title } of await receipts(base, host, planId)) {
    say(`planned ${plannedAt}  heard ${startedAt ?? "never"} (${lateMs ?? "–"} ms)  ${complete === null ? reason ?? "" : complete ? "completely" : "cut"}  ${title}`)
  }
  const first = (await receipts(base, host, planId)).find(({ itemId }) => itemId === timeline[0]!.itemId)!
  const lateMs = Date.parse(first.startedAt!) - slot.startMs
  say(`it began ${lateMs} ms from its hard start`)
  if (Math.abs(lateMs) > hardToleranceMs) throw new Error("it did not begin on time")

  const { replay, row } = await findAgain(base, panel.segmentId, sessionId, show.slug)
  recording.abort()
  const { bytes, firstSample, segments } = await record
  await writeFile(join(folder, "heard.mp4"), bytes)
  const heard = await decodeMono(bytes)
  say(`recorded ${segments} segments, ${(heard.length / sampleRateHz).toFixed(0)} s`)
  const submitted = panel.session.turns.filter(({ status }) => status === "submitted")
  const own = await Promise.all(submitted.map(async ({ audioUrl }) => soundOf(base, audioUrl!)))
  if (replay.turns.length !== submitted.length || replay.turns.some(({ handle }, at) => handle !== submitted[at]!.handle)) throw new Error("the recording has other turns than the session")
  hearPanel(heard, (Date.parse(row.startedAt) - msAt(firstSample)) / 1_000, replay.turns.map((turn, at) => ({ ...turn, own: own[at]! })))
  say("held, produced, booked, aired and found again")
}

/** Four agents hold a panel, and it airs in a run that its host has booked. */
await inFolder(async (folder) => {
  const station = await startStation({ dataDir: join(folder, "var"), env: { PLAN_LEAD_MIN: "1", PANEL_TURN_MIN: "1", HOUSE_SEED: houseSeed } })
  const recording = new AbortController()
  try {
    await walk(station, folder, recording)
  } catch (cause) {
    console.error(station.output())
    throw cause
  } finally {
    recording.abort()
    await station.stop()
  }
})
