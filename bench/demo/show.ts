import { msAt } from "../../media/clock/StationClock.ts"
import { soundAt } from "../instruments/ears/Decode.ts"
import { demonstrate, type Stage } from "./Demonstration.ts"
import { nextStart, openBlock } from "../instruments/clients/OpenBlock.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { compare, sayStartDelay, type Receipt } from "./Receipts.ts"
import { becomeHost } from "./ShowHost.ts"
import { maker } from "./ShowProductions.ts"
import { checkNews } from "./ShowNews.ts"
import { fromIdea, weekAfterWeek } from "./ShowOthers.ts"
import { bringRecording } from "./ShowUpload.ts"
import { letters } from "./ShowWords.ts"
import { isSpokenAt } from "../instruments/ears/SpokenAt.ts"
import { call } from "../instruments/clients/Stranger.ts"

const patienceMs = 400_000
/** Time until the start: enough for submission, review and speech, with this station's lead of one minute. */
const aheadMs = 100_000
/** With this seed the first songs last about 100 s: one fills the time that the letters leave, a few fill any of the runs. */
const houseSeed = "53944",
  songsMin = 3
const states = ["queued", "assembling", "review", "rendering", "scheduled", "aired"]

const awaitSongs = async (base: string, least: number): Promise<void> => {
  const made = await pollUntil("songs to fill the runs with", patienceMs, async () => {
    const { tracks } = (await call(base, "GET", "/api/station/music/catalog?limit=100")).body as unknown as {
      tracks: ReadonlyArray<unknown>
    }
    return tracks.length >= least ? tracks.length : undefined
  })
  say(`songs composed by the station so far: ${made}`)
}

/** Finds the show in public, and its spoken parts in the history as in the plan's as-run. */
const findAgain = async (
  base: string,
  slug: string,
  segmentIds: ReadonlyArray<string>,
  spoken: ReadonlyArray<Receipt>
) => {
  const { show } = (await call(base, "GET", `/api/shows/${slug}`)).body as unknown as {
    show: { title: string; hostHandle: string; status: string }
  }
  say(`show: ${show.title}, host @${show.hostHandle}, ${show.status}`)
  const rows = (await call(base, "GET", "/api/station/history?limit=50")).body["items"] as ReadonlyArray<{
    segmentId: string | null
    title: string
    startedAt: string
    airedCompletely: boolean
    asRunId: string
    show: { slug: string } | null
  }>
  for (const [at, id] of segmentIds.entries()) {
    const row = rows.find(({ segmentId }) => segmentId === id)
    if (row === undefined || row.asRunId !== spoken[at]!.asRunId || row.show?.slug !== slug)
      throw new Error(`the history lacks ${spoken[at]!.title} as aired`)
    say(
      `history: ${row.title}, ${row.startedAt}${row.airedCompletely ? ", completely" : ", CUT"}, show ${row.show.slug}`
    )
  }
}

const walk = async ({ record, station: { base, operator } }: Stage): Promise<void> => {
  const host = await becomeHost(base, operator)
  const make = maker(base, operator, host.key)
  const uploadIds = [await bringRecording(base, host)]
  await awaitSongs(base, 1)

  const startMs = nextStart(aheadMs)
  await openBlock(base, operator, { title: "Dead Letters", format: "story_hour", startMs })
  const handedIn = await make.upload({
    title: "The Dead Letter Hour, the First",
    segments: letters,
    uploadIds,
    occurrenceStart: new Date(startMs).toISOString(),
    show: {
      title: "The Dead Letter Hour",
      description: "Post that never arrived, read aloud.",
      format: "story_hour",
      audience: "night_owls"
    }
  })
  say(`@${host.handle} submits ${letters.length} scripts and a recording for a new show: ${handedIn.status}`)
  await make.follow(handedIn.id, "scheduled")
  const heard = record()
  const others = (async () => {
    await awaitSongs(base, songsMin)
    await fromIdea(base, operator, make, startMs)
    await weekAfterWeek(base, operator, make, startMs)
  })()
  others.catch(() => undefined)
  const aired = await make.follow(handedIn.id, "aired")
  const planId = aired.planId!
  const receipts = await compare(base, host.key, planId)
  sayStartDelay(receipts[0]!, startMs)
  const spoken = receipts.filter(({ kind }) => kind === "talk" || kind === "upload")
  const { shows } = (await call(base, "GET", "/api/shows")).body as unknown as {
    shows: ReadonlyArray<{ id: string; slug: string }>
  }
  await findAgain(base, shows.find(({ id }) => id === aired.showId)!.slug, aired.segmentIds, spoken)
  await checkNews(host, handedIn.id, planId, states)

  const { firstSample, sound } = await heard()
  for (const [at, { startedAt, title }] of spoken.entries()) {
    const { segment } = (await call(base, "GET", `/api/v1/segments/${aired.segmentIds[at]!}`)).body as unknown as {
      segment: { audioUrl: string }
    }
    const place = isSpokenAt(
      sound,
      await soundAt(base, segment.audioUrl),
      (Date.parse(startedAt!) - msAt(firstSample)) / 1_000
    )
    say(`in the recording: ${title}, ${place.said}`)
    if (!place.isThere) throw new Error(`${title} is not at the position in the log`)
  }
  await others
  host.callbacks.close()
  say("submitted, produced, aired and heard")
}

/** An agent has a show made of scripts and follows it to the air. Its webhook server runs on this machine, to which stations send webhooks only with ALLOW_PRIVATE_CALLBACKS. */
await demonstrate({ env: { PLAN_LEAD_MIN: "1", HOUSE_SEED: houseSeed, ALLOW_PRIVATE_CALLBACKS: "on" } }, walk)
