import { msAt } from "../../media/clock/StationClock.ts"
import { soundAt } from "../instruments/ears/Decode.ts"
import { demonstrate, type Stage } from "./Demonstration.ts"
import { hearPanel } from "./PanelEars.ts"
import { bookHour, openSlot, planHour } from "./PanelHour.ts"
import { arriveAll, producePanel, recordPanel } from "./PanelTable.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { compare, sayStartDelay } from "./Receipts.ts"
import { call } from "../instruments/clients/Stranger.ts"

const patienceMs = 600_000
/** With this seed the first songs last about 100 s; a few of them fill the time that the panel leaves. */
const houseSeed = "53944",
  songsMin = 4

interface Replay {
  readonly id: string
  readonly hlsUrl: string | null
  readonly turns: ReadonlyArray<{ readonly handle: string; readonly startSec: number; readonly durationSec: number }>
}

/** Places where an aired panel appears. */
const findAgain = async (base: string, segmentId: string, sessionId: string, slug: string) => {
  const history = (await call(base, "GET", "/api/station/history?limit=50")).body["items"] as ReadonlyArray<{
    segmentId: string
    startedAt: string
    airedCompletely: boolean
    asRunId: string
    title: string
  }>
  const row = history.find((item) => item.segmentId === segmentId)!
  say(`history: ${row.title}, ${row.startedAt}${row.airedCompletely ? ", completely" : ", CUT"}`)
  const listed = await pollUntil("the recording", patienceMs, async () =>
    (
      (await call(base, "GET", `/api/replays?showSlug=${slug}`)).body["replays"] as ReadonlyArray<{
        id: string
        sessionId: string
      }>
    ).find((each) => each.sessionId === sessionId)
  )
  // It is packaged after its publication; its address works once that is done.
  const replay = await pollUntil("the recording in pieces", patienceMs, async () => {
    const { replay } = (await call(base, "GET", `/api/replays/${listed.id}`)).body as unknown as { replay: Replay }
    return replay.hlsUrl === null ? undefined : { ...replay, hlsUrl: replay.hlsUrl }
  })
  const hls = await (await fetch(new URL(replay.hlsUrl, base))).text()
  const feed = await (await fetch(`${base}/podcast.xml`)).text()
  if (!feed.includes(replay.id)) throw new Error("the podcast doesn't have it")
  say(
    `replays: ${replay.id}, ${replay.turns.length} turns, ${hls.split("\n").filter((line) => line.endsWith(".ts")).length} segments of HLS; listed in the podcast`
  )
  const { entries } = (await call(base, "GET", "/api/lore?limit=100")).body as unknown as {
    entries: ReadonlyArray<{ title: string; status: string; references: ReadonlyArray<{ id: string }> }>
  }
  const lore = entries.filter(({ references }) => references.some(({ id }) => id === sessionId || id === segmentId))
  if (lore.length === 0) throw new Error("no lore came of it")
  say(`lore: ${lore.map(({ status, title }) => `${title} (${status})`).join(", ")}`)
  return { row, replay }
}

const walk = async ({ record, station: { base, operator } }: Stage): Promise<void> => {
  const seated = await arriveAll(base, operator)
  const host = seated[0]!
  const { show } = (
    await call(base, "POST", "/api/ops/shows", {
      bearer: operator,
      body: { title: "The Harbour Table", hostHandle: host.handle, format: "panel", reason: "A table for agents." }
    })
  ).body as unknown as { show: { slug: string } }
  say(`an operator gives @${host.handle} the show ${show.slug}`)
  const sessionId = await recordPanel(base, show.slug, seated)
  const songs = await pollUntil("songs to fill the hour with", patienceMs, async () => {
    const { tracks } = (await call(base, "GET", "/api/station/music/catalog?limit=100")).body as unknown as {
      tracks: ReadonlyArray<unknown>
    }
    return tracks.length >= songsMin ? tracks.length : undefined
  })
  say(`songs composed by the station so far: ${songs}`)
  const slot = await openSlot(base, operator)
  const planId = await bookHour(base, host, slot)
  const panel = await producePanel(base, sessionId, host)
  const timeline = await planHour(base, operator, host, planId, panel.segmentId)
  const heard = record()
  await pollUntil("the end of the plan", patienceMs, async () =>
    (
      (await call(base, "GET", `/api/v1/agents/me/shows/plans/${planId}`, { bearer: host.key })).body["plan"] as {
        status: string
      }
    ).status === "aired"
      ? true
      : undefined
  )
  say("the plan aired")
  const receipts = await compare(base, host.key, planId)
  sayStartDelay(
    receipts.find(({ itemId }) => itemId === timeline[0]!.itemId)!,
    slot.startMs
  )

  const { replay, row } = await findAgain(base, panel.segmentId, sessionId, show.slug)
  const { firstSample, sound } = await heard()
  const submitted = panel.session.turns.filter(({ status }) => status === "submitted")
  const own = await Promise.all(submitted.map(async ({ audioUrl }) => soundAt(base, audioUrl!)))
  if (
    replay.turns.length !== submitted.length ||
    replay.turns.some(({ handle }, at) => handle !== submitted[at]!.handle)
  )
    throw new Error("the turns of the recording differ from those of the session")
  hearPanel(
    sound,
    (Date.parse(row.startedAt) - msAt(firstSample)) / 1_000,
    replay.turns.map((turn, at) => ({ ...turn, own: own[at]! }))
  )
  say("held, produced, booked, aired and found in the recording")
}

/** Four agents hold a panel, which airs in a run that its host booked. */
await demonstrate({ env: { PLAN_LEAD_MIN: "1", PANEL_TURN_MIN: "1", HOUSE_SEED: houseSeed } }, walk)
