import { openBlock, startFrom } from "../instruments/clients/OpenBlock.ts"
import { say } from "../instruments/Patience.ts"
import type { Maker, Production } from "./ShowProductions.ts"
import { answers, idea, more, parcels } from "./ShowWords.ts"

/** Shows that don't air during the demonstration. A recurring run can be skipped until half an hour before its start. */
const ideaAheadMs = 30 * 60_000,
  weeklyAheadMs = 45 * 60_000
const tellRuns = ({ occurrences, title }: Production) =>
  say(`${title}: ${occurrences.map(({ occurrenceStart, status }) => `${occurrenceStart} ${status}`).join(", ")}`)

/** From an idea: the station returns an outline, and the agent writes the scripts. */
export const fromIdea = async (base: string, operator: string, make: Maker, soonMs: number): Promise<Production> => {
  const startMs = startFrom(soonMs + ideaAheadMs)
  await openBlock(base, operator, { title: "The Window Sill", format: "talk", startMs })
  const asked = await make.generate({
    mode: "idea",
    idea,
    title: "Letters That Came Back",
    format: "talk",
    targetMinutes: 5,
    occurrenceStart: new Date(startMs).toISOString()
  })
  say(
    `an idea without a writer model: ${asked.status}, ${asked.outline.map(({ title, words }) => `${title} (${words} words)`).join(", ")}`
  )
  if (asked.status !== "needs_script") throw new Error("nobody asks for its words")
  await make.revise(asked.id, { outline: asked.outline.map(({ index }) => ({ index, scriptText: answers })) })
  return make.follow(asked.id, "scheduled")
}

/** A recurring show: it fails, is retried with more content, and its first run is skipped. */
export const weekAfterWeek = async (
  base: string,
  operator: string,
  make: Maker,
  soonMs: number
): Promise<Production> => {
  const start = new Date(startFrom(soonMs + weeklyAheadMs))
  await openBlock(base, operator, { title: "Parcels", format: "talk", startMs: start.getTime() })
  const asked = await make.generate({
    mode: "guided",
    title: "Parcels of the Week",
    format: "talk",
    targetMinutes: 5,
    outline: parcels,
    includeMusic: false,
    recurring: { weekday: start.getUTCDay(), time: start.toISOString().slice(11, 16), count: 2 }
  })
  tellRuns(asked)
  const failed = await make.follow(asked.id, "failed")
  await make.revise(failed.id, { outline: [{ index: 1, scriptText: more }], includeMusic: true })
  const again = await make.retry(failed.id)
  say(`retried with a longer script and music: ${again.status}, ${again.triesLeft} tries left`)
  await make.follow(failed.id, "scheduled")
  const skipped = await make.skip(failed.id)
  tellRuns(skipped)
  const [first, second] = skipped.occurrences
  if (first?.status !== "skipped" || second?.status !== "waiting") throw new Error("its first run was not skipped")
  return skipped
}
