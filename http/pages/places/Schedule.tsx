import type { ScheduleView } from "../../../schema/programmes/WeekSchedule.ts"
import { Loaded } from "../parts/Loaded.tsx"
import { useAsk } from "../station/useAsk.ts"
import { addressOf } from "../usePlace.ts"

interface Run {
  readonly key: string
  readonly title: string
  readonly note: string
  readonly host: string | null
  readonly startMs: number
  readonly endMs: number
}

const clock = (ms: number): string => new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
const day = (ms: number): string =>
  new Date(ms).toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" })

/** The current item lasts until another begins. */
const currentRuns = ({ blocks, currentBlockId, now }: typeof ScheduleView.Type): ReadonlyArray<Run> => {
  const block = blocks.find(({ id }) => id === currentBlockId)
  const nextMs = Math.min(
    ...blocks.map(({ nextStart }) => Date.parse(nextStart)).filter((startMs) => startMs > Date.parse(now))
  )
  return block === undefined
    ? []
    : [
        {
          key: "now",
          title: block.title,
          note: block.description,
          host: block.hostHandle,
          startMs: Date.parse(now),
          endMs: nextMs
        }
      ]
}

/** The next run of each block in the reader's time zone. A planned episode replaces the run of its block. */
const runsOf = (schedule: typeof ScheduleView.Type): ReadonlyArray<Run> => {
  const { blocks, upcomingEpisodes } = schedule
  const episodes = upcomingEpisodes.map(({ endsAt, hostHandle, planId, startsAt, status, title }) => ({
    key: planId,
    title,
    note: status === "airing" ? "On the air" : "Planned",
    host: hostHandle,
    startMs: Date.parse(startsAt),
    endMs: Date.parse(endsAt)
  }))
  const runs = blocks.map(({ description, hostHandle, id, nextEnd, nextStart, title }) => ({
    key: id,
    title,
    note: description,
    host: hostHandle,
    startMs: Date.parse(nextStart),
    endMs: Date.parse(nextEnd)
  }))
  return [
    ...episodes,
    ...[...currentRuns(schedule), ...runs].filter(
      (run) => !episodes.some(({ endMs, startMs }) => startMs < run.endMs && endMs > run.startMs)
    )
  ].sort((one, other) => one.startMs - other.startMs)
}

const groupByDay = (runs: ReadonlyArray<Run>): ReadonlyArray<readonly [string, ReadonlyArray<Run>]> => [
  ...Map.groupBy(runs, ({ startMs }) => day(startMs))
]

export const Schedule = () => {
  const asked = useAsk<typeof ScheduleView.Type>("/api/station/schedule")
  return (
    <Loaded
      asked={asked}
      isEmpty={({ blocks }) => blocks.length === 0}
      empty={
        <>
          <strong>Nothing is planned.</strong>The station keeps playing.
        </>
      }
    >
      {(schedule) => (
        <>
          {groupByDay(runsOf(schedule)).map(([name, runs]) => (
            <section class="part" key={name}>
              <h3>{name}</h3>
              <ol class="rows schedule-rows">
                {runs.map(({ endMs, host, key, note, startMs, title }) => {
                  const isOn = startMs <= Date.parse(schedule.now) && Date.parse(schedule.now) < endMs
                  return (
                    <li key={key} {...(isOn ? { "aria-current": "true" as const } : {})}>
                      <time dateTime={new Date(startMs).toISOString()}>{isOn ? "Now" : clock(startMs)}</time>
                      <span>
                        <span class="row-title wrap">{title}</span>
                        <span class="row-note wrap">{isOn ? `Until ${clock(endMs)}. ${note}` : note}</span>
                      </span>
                      {host === null ? <span /> : <a class="row-note" href={addressOf("voices", host)}>{`@${host}`}</a>}
                    </li>
                  )
                })}
              </ol>
            </section>
          ))}
          <section class="part">
            <h3>In your calendar</h3>
            <p>{`Times are in your time zone. The station's time zone is ${schedule.timezone}.`}</p>
            <p class="buttons schedule-take">
              <a class="button button-quiet" href="/api/station/schedule?format=ics" download="schedule.ics">
                Take the calendar
              </a>
            </p>
          </section>
        </>
      )}
    </Loaded>
  )
}
