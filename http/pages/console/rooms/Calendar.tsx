import { type Calendar as Library, createCalendar, destroyCalendar, Interaction, TimeGrid } from "@event-calendar/core"
import { useEffect, useRef } from "preact/hooks"
import { Button } from "../../parts/Button.tsx"

/** A run of a block, in the station's own time of day. */
export interface Run {
  readonly id: string
  readonly title: string
  /** Minutes since the beginning of the week's first day. */
  readonly startMin: number
  readonly durationMin: number
  readonly kind: string
}

const minuteMs = 60_000
const narrow = "(max-width: 47.99rem)"

/**
 * The week on a grid. Times are the station's own: they are shown as if this machine were in its zone, so that no change of the clock moves a
 * block on the grid.
 */
export const Calendar = ({
  choose,
  editable,
  firstDay,
  move,
  runs
}: {
  /** Midnight of the first day, in this machine's time. */
  readonly firstDay: Date
  readonly runs: ReadonlyArray<Run>
  readonly editable: boolean
  readonly choose: (id: string) => void
  readonly move: (id: string, startMin: number, durationMin: number) => void
}) => {
  const frame = useRef<HTMLDivElement>(null)
  const calendar = useRef<Library | null>(null)
  const latest = useRef({ choose, move })
  latest.current = { choose, move }
  const dateAt = (minute: number): Date =>
    new Date(firstDay.getFullYear(), firstDay.getMonth(), firstDay.getDate(), 0, minute)
  const startOf = (date: Date): number => {
    const day = Math.round(
      (new Date(date.getFullYear(), date.getMonth(), date.getDate(), 12).getTime() -
        new Date(firstDay.getFullYear(), firstDay.getMonth(), firstDay.getDate(), 12).getTime()) /
        86_400_000
    )
    return day * 1_440 + date.getHours() * 60 + date.getMinutes()
  }
  const events = runs.map(({ durationMin, id, kind, startMin, title }) => ({
    id: `${id} ${startMin}`,
    title,
    start: dateAt(startMin),
    end: dateAt(startMin + durationMin),
    classNames: [`block-${kind}`],
    extendedProps: { id }
  }))
  useEffect(() => {
    const applyChange = (info: { readonly event: Library.Event; readonly revert: () => void }): void => {
      const { end, extendedProps, start } = info.event
      const from = startOf(start)
      latest.current.move(String(extendedProps["id"]), from, (end.getTime() - start.getTime()) / minuteMs)
      // The station decides: until then the block stays where it is.
      info.revert()
    }
    const isNarrow = matchMedia(narrow).matches
    calendar.current = createCalendar(frame.current!, [TimeGrid, Interaction], {
      view: isNarrow ? "timeGridDay" : "timeGridWeek",
      date: isNarrow ? new Date() : firstDay,
      firstDay: 1,
      headerToolbar: { start: "", center: "", end: "" },
      dayHeaderFormat: { weekday: "short", day: "numeric" },
      eventTimeFormat: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
      slotLabelFormat: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
      allDaySlot: false,
      slotDuration: "01:00",
      slotHeight: 34,
      snapDuration: "00:15",
      // The whole day: a frame that scrolls would cut the first hour off.
      height: "auto",
      nowIndicator: false,
      editable,
      eventStartEditable: editable,
      eventDurationEditable: editable,
      pointer: false,
      events,
      eventClick: ({ event }) => latest.current.choose(String(event.extendedProps["id"])),
      // Drawn for the eye and the pointer: the list below it says the same to everybody else.
      eventDidMount: ({ el }) => {
        el.tabIndex = -1
      },
      eventDrop: applyChange,
      eventResize: applyChange
    })
    return () => {
      if (calendar.current !== null) void destroyCalendar(calendar.current)
      calendar.current = null
    }
  }, [firstDay.getTime(), editable])
  /** The runs that the calendar was made with: to set them again would draw the whole week twice. */
  const drawn = useRef(runs)
  useEffect(() => {
    if (drawn.current === runs) return
    drawn.current = runs
    calendar.current?.setOption("events", events)
  }, [runs])
  return (
    <>
      {matchMedia(narrow).matches ? (
        <p class="buttons">
          <Button kind="quiet" onClick={() => calendar.current?.prev()}>
            Day before
          </Button>
          <Button kind="quiet" onClick={() => calendar.current?.next()}>
            Day after
          </Button>
        </p>
      ) : null}
      <div class="calendar" ref={frame} aria-hidden="true" />
    </>
  )
}
