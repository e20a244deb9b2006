import { useMemo, useState } from "preact/hooks"
import type { ScheduleView, WeekBlock, WeekView } from "../../../../schema/programmes/WeekSchedule.ts"
import { Button } from "../../parts/Button.tsx"
import { Choice, Field } from "../../parts/Field.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { Sheet } from "../../parts/Sheet.tsx"
import { useAsk } from "../../station/useAsk.ts"
import { type Act, Do, propose } from "../desk/Act.tsx"
import { useTagged } from "../desk/useTagged.ts"
import { hasRole } from "../desk/Session.ts"
import { dayTimeOf, wordsOf } from "../desk/Words.ts"
import { Simulations } from "./Simulations.tsx"
import { Calendar, type Run } from "./Calendar.tsx"

type Block = typeof WeekBlock.Type
type Week = typeof WeekView.Type
interface WeekAnswer {
  readonly week: Week
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
const kinds = ["show", "rotation", "request", "collaboration", "news", "station"] as const
const dayMin = 1_440
const weekMin = 7 * dayMin
const weekPath = "/api/ops/blocks"

const minuteOf = (startLocal: string): number => Number(startLocal.slice(0, 2)) * 60 + Number(startLocal.slice(3, 5))
const clockOf = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`

/** Minutes since Monday, when the grid begins. */
const placeOf = ({ startLocal, weekday }: Block): number => ((weekday + 6) % 7) * dayMin + minuteOf(startLocal)

/** Each block in the weeks before, in and after this one: blocks run over the end of a week. */
const runsOf = ({ blocks }: Week): ReadonlyArray<Run> =>
  blocks.flatMap((block) =>
    [-weekMin, 0, weekMin].map((shift) => ({
      id: block.id,
      title: block.title,
      startMin: placeOf(block) + shift,
      durationMin: block.durationMin,
      kind: block.kind
    }))
  )

/** Midnight of this week's Monday in the station's zone, in this machine's time. */
const mondayOf = (timezone: string): Date => {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone: timezone, dateStyle: "short" }).format(new Date())
  const [year = 0, month = 1, day = 1] = parts.split("-").map(Number)
  const today = new Date(year, month - 1, day)
  return new Date(year, month - 1, day - ((today.getDay() + 6) % 7))
}

const offsetOf = (at: Date, timezone: string): string =>
  new Intl.DateTimeFormat("en", { timeZone: timezone, timeZoneName: "longOffset" })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")?.value ?? ""

const lookAheadDays = 14

/** The day of the next change of the clock in the coming two weeks. */
const clockChange = (timezone: string): string | null => {
  for (let day = 0; day < lookAheadDays; day++) {
    const [at, next] = [0, 1].map((more) => new Date(Date.now() + (day + more) * 86_400_000))
    const [is, will] = [offsetOf(at!, timezone), offsetOf(next!, timezone)]
    if (is !== will)
      return `The clocks change around ${next!.toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" })}, from ${is} to ${will}. Blocks keep their time of day; those during the change are an hour longer or shorter.`
  }
  return null
}

const describe = ({
  durationMin,
  startLocal,
  title,
  weekday
}: Pick<Block, "durationMin" | "startLocal" | "title" | "weekday">): string =>
  `${title}, ${weekdays[weekday]} ${startLocal}, ${durationMin} min`

interface Draft {
  readonly title: string
  readonly description: string
  readonly kind: string
  readonly weekday: number
  readonly startLocal: string
  readonly durationMin: number
  readonly bookable: boolean
}

const draftOf = (block: Block | null): Draft =>
  block === null
    ? { title: "", description: "", kind: "show", weekday: 1, startLocal: "20:00", durationMin: 60, bookable: true }
    : {
        title: block.title,
        description: block.description,
        kind: block.kind,
        weekday: block.weekday,
        startLocal: block.startLocal,
        durationMin: block.durationMin,
        bookable: block.bookable
      }

/** Only what differs: the rest stays as it is. */
const pickDiffering = (block: Block, draft: Draft): Partial<Draft> =>
  Object.fromEntries(
    Object.entries(draft).filter(([name, value]) => value !== draftOf(block)[name as keyof Draft])
  ) as Partial<Draft>

interface How {
  readonly fit: "exact" | "make_room"
  readonly cancelPlans: boolean
}

const changeOf = (seen: string | null, block: Block, to: Partial<Draft>, how: How, done: () => void): Act => {
  const after = { ...block, ...to }
  return {
    role: "producer",
    command: { path: `${weekPath}/${block.id}`, method: "PATCH", body: { ...to, ...how }, seen },
    reason: `${describe(block)} becomes ${describe(after)}.`.slice(0, 500),
    said: `The week is changed: ${describe(after)}.`,
    changes: ["week"],
    done,
    ask: {
      title: `Change ${block.title}`,
      button: "Change the week",
      about: (
        <>
          <p>
            {describe(block)} <strong>becomes</strong> {describe(after)}.
          </p>
          <p class="note">
            {how.fit === "make_room"
              ? "Blocks that it overlaps are cut, and the block before fills a gap."
              : "A gap or an overlap is refused, and named."}
          </p>
        </>
      )
    }
  }
}

const Edit = ({
  block,
  close,
  seen: seenNow,
  week
}: {
  readonly week: Week
  readonly seen: string | null
  readonly block: Block | null
  readonly close: () => void
}) => {
  /** The version on which the sheet was opened, whatever has arrived since. */
  const [seen] = useState(seenNow)
  const [draft, setDraft] = useState(draftOf(block))
  const [how, setHow] = useState<How>({ fit: "make_room", cancelPlans: false })
  const set = (part: Partial<Draft>): void => setDraft((was) => ({ ...was, ...part }))
  const to = block === null ? draft : pickDiffering(block, draft)
  const save = (event: Event): void => {
    event.preventDefault()
    if (block !== null) return propose(changeOf(seen, block, to, how, close))
    propose({
      role: "producer",
      command: { path: weekPath, body: { blocks: [draft], ...how }, seen },
      reason: `New: ${draft.title}, ${weekdays[draft.weekday]} ${draft.startLocal}, ${draft.durationMin} min.`.slice(
        0,
        500
      ),
      said: `${draft.title} is in the week.`,
      changes: ["week"],
      done: close,
      ask: { title: `Put ${draft.title} into the week`, button: "Change the week" }
    })
  }
  return (
    <Sheet title={block === null ? "A new block" : block.title} close={close}>
      <form onSubmit={save}>
        <Field label="Title" value={draft.title} change={(title) => set({ title })} required />
        <div class="pair">
          <label class="field">
            <span class="field-label">Day</span>
            <select value={draft.weekday} onChange={(event) => set({ weekday: Number(event.currentTarget.value) })}>
              {weekdays.map((name, day) => (
                <option key={name} value={day}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span class="field-label">{`Begins, ${week.timezone} time`}</span>
            <input
              type="time"
              required
              value={draft.startLocal}
              onInput={(event) => set({ startLocal: event.currentTarget.value })}
            />
          </label>
        </div>
        <div class="pair">
          <label class="field">
            <span class="field-label">Minutes</span>
            <input
              type="number"
              min="1"
              max={weekMin}
              required
              value={draft.durationMin}
              onInput={(event) => set({ durationMin: Number(event.currentTarget.value) })}
            />
          </label>
          <label class="field">
            <span class="field-label">Kind</span>
            <select value={draft.kind} onChange={(event) => set({ kind: event.currentTarget.value })}>
              {kinds.map((kind) => (
                <option key={kind} value={kind}>
                  {wordsOf(kind)}
                </option>
              ))}
            </select>
          </label>
        </div>
        <Field label="Description" rows={2} value={draft.description} change={(description) => set({ description })} />
        <Choice checked={draft.bookable} change={(bookable) => set({ bookable })}>
          Agents may book its runs
        </Choice>
        <Choice
          checked={how.fit === "make_room"}
          change={(makeRoom) => setHow((was) => ({ ...was, fit: makeRoom ? "make_room" : "exact" }))}
        >
          Other blocks make room
        </Choice>
        <Choice checked={how.cancelPlans} change={(cancelPlans) => setHow((was) => ({ ...was, cancelPlans }))}>
          Cancel agents' plans for runs that disappear
        </Choice>
        <p class="buttons">
          <Button type="submit" disabled={Object.keys(to).length === 0}>
            {block === null ? "Add" : "Change"}
          </Button>
          {block === null ? null : (
            <Do
              act={{
                role: "producer",
                command: {
                  path: `${weekPath}/${block.id}?${new URLSearchParams({ fit: how.fit, cancelPlans: String(how.cancelPlans) })}`,
                  method: "DELETE",
                  seen
                },
                reason: `Removed ${describe(block)}.`.slice(0, 500),
                said: `${block.title} is removed.`,
                changes: ["week"],
                done: close,
                ask: {
                  title: `Remove ${block.title}?`,
                  button: "Remove it",
                  about: "The block before it fills its time."
                }
              }}
            >
              Remove
            </Do>
          )}
        </p>
      </form>
    </Sheet>
  )
}

const Plans = () => {
  const asked = useAsk<typeof ScheduleView.Type>("/api/station/schedule")
  return (
    <section class="part">
      <h2>Plans of agents</h2>
      <Loaded
        asked={asked}
        isEmpty={({ upcomingEpisodes }) => upcomingEpisodes.length === 0}
        empty="No agent has planned a run yet."
      >
        {({ upcomingEpisodes }) => (
          <ul class="history">
            {upcomingEpisodes.map(({ endsAt, hostHandle, planId, startsAt, status, title }) => (
              <li key={planId}>
                <span class="note figures">{`${dayTimeOf(startsAt)} to ${dayTimeOf(endsAt)}`}</span>{" "}
                <span class="wrap">{title}</span> {`@${hostHandle}`} <span class="state">{wordsOf(status)}</span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}

/** The week of blocks: drag one to another time, or its end to another length. */
export const Week = () => {
  const asked = useTagged<WeekAnswer>(weekPath, "week")
  const [edited, setEdited] = useState<Block | "new" | null>(null)
  const week = asked.value?.value.week
  const runs = useMemo(() => (week === undefined ? [] : runsOf(week)), [week])
  const firstDay = useMemo(() => (week === undefined ? new Date() : mondayOf(week.timezone)), [week?.timezone])
  const change = week === undefined ? null : clockChange(week.timezone)
  const editable = hasRole("producer")
  return (
    <Loaded asked={asked}>
      {({ tag, value: { week } }) => (
        <>
          <p class="room-lead">
            {`Times are the station's, ${week.timezone}.`}
            {week.later.length === 0 ? "" : ` It changes again at ${week.later.map(dayTimeOf).join(", ")}.`}
            {editable ? " Drag a block, or choose one to change it." : ""}
          </p>
          {change === null ? null : <p class="failed">{change}</p>}
          {editable ? (
            <p class="buttons week-acts">
              <Button kind="quiet" onClick={() => setEdited("new")}>
                Add a block
              </Button>
            </p>
          ) : null}
          <Calendar
            firstDay={firstDay}
            runs={runs}
            editable={editable}
            choose={(id) => setEdited(week.blocks.find((block) => block.id === id) ?? null)}
            move={(id, startMin, durationMin) => {
              const block = week.blocks.find((one) => one.id === id)
              if (block === undefined) return
              const minute = ((startMin % weekMin) + weekMin) % weekMin
              const to = {
                weekday: (Math.floor(minute / dayMin) + 1) % 7,
                startLocal: clockOf(minute % dayMin),
                durationMin
              }
              const draft = pickDiffering(block, { ...draftOf(block), ...to })
              if (Object.keys(draft).length > 0)
                propose(
                  changeOf(
                    asked.value?.tag ?? null,
                    block,
                    draft,
                    { fit: "make_room", cancelPlans: false },
                    () => undefined
                  )
                )
            }}
          />
          <details class="week-list">
            <summary>The week as a list, for the keyboard too</summary>
            <ul class="rows">
              {week.blocks
                .toSorted((one, other) => placeOf(one) - placeOf(other))
                .map((block) => (
                  <li key={block.id}>
                    <span class="row-figure">{`${weekdays[block.weekday]!.slice(0, 3)} ${block.startLocal}`}</span>
                    <span class="clip">
                      <span class="row-title clip">{block.title}</span>
                      <span class="row-note clip">{`${wordsOf(block.kind)}, ${block.durationMin} min`}</span>
                    </span>
                    {editable ? (
                      <Button kind="plain" aria-label={`Change ${describe(block)}`} onClick={() => setEdited(block)}>
                        Change
                      </Button>
                    ) : (
                      <span />
                    )}
                  </li>
                ))}
            </ul>
          </details>
          <Plans />
          {editable ? <Simulations /> : null}
          {edited === null ? null : (
            <Edit seen={tag} week={week} block={edited === "new" ? null : edited} close={() => setEdited(null)} />
          )}
        </>
      )}
    </Loaded>
  )
}
