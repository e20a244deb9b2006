import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter"
import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine"
import { useEffect, useRef, useState } from "preact/hooks"
import { Button, IconButton } from "../../parts/Button.tsx"
import { Sheet } from "../../parts/Sheet.tsx"
import { type Act, Do, propose } from "../desk/Act.tsx"
import { type Line, rundown, type Rundown as Shown, type RundownAnswer, seenOf, tookRundown } from "../desk/AirState.ts"
import { Left } from "../parts/Left.tsx"
import { RundownDifference } from "../parts/RundownDifference.tsx"
import { TrackSearch } from "../parts/TrackSearch.tsx"
import { hasRole } from "../desk/Session.ts"
import { lengthOf, timeOf, wordsOf } from "../desk/Words.ts"

/** What the station says that a command would change. */
const previewOf =
  (now: Shown, moved: string | null = null) =>
  ({ rundown }: RundownAnswer) => <RundownDifference before={now} after={rundown} moved={moved} />

const itemPath = (line: Line): string => `/api/ops/rundown/items/${line.id}`

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

const commonFieldsOf = (now: Shown) => ({
  role: "producer" as const,
  done: tookRundown,
  changes: ["rundown" as const],
  seen: seenOf(now)
})

const move = (now: Shown, line: Line, before: Line): Act<RundownAnswer> => {
  const { seen, ...rest } = commonFieldsOf(now)
  return {
    ...rest,
    command: { path: itemPath(line), method: "PATCH", body: { before: before.id }, seen },
    reason: `Moved “${shorten(line.title)}” before “${shorten(before.title)}”.`,
    said: `“${line.title}” was moved.`,
    ask: {
      title: `Move “${shorten(line.title)}”`,
      button: "Move it",
      preview: previewOf(now, line.id)
    }
  }
}

const drop = (now: Shown, line: Line): Act<RundownAnswer> => {
  const { seen, ...rest } = commonFieldsOf(now)
  return {
    ...rest,
    command: { path: itemPath(line), method: "DELETE", seen },
    reason: `Dropped “${shorten(line.title)}”.`,
    said: `“${line.title}” left the rundown.`,
    ask: {
      title: `Drop “${shorten(line.title)}”?`,
      button: "Drop it",
      ...(line.segmentId === null
        ? {}
        : { about: "The contribution goes back to its queue. To keep it off the air, hold it." }),
      preview: previewOf(now)
    }
  }
}

const keepOff = (now: Shown, line: Line): Act<RundownAnswer> => {
  const { seen, ...rest } = commonFieldsOf(now)
  return {
    ...rest,
    command: { path: itemPath(line), method: "PATCH", body: { held: !line.held }, seen },
    reason: line.held ? `Released “${shorten(line.title)}”.` : `Held “${shorten(line.title)}”.`,
    said: line.held ? `“${line.title}” has its place again.` : `“${line.title}” waits until you release it.`,
    ask: {
      title: `${line.held ? "Release" : "Hold"} “${shorten(line.title)}”`,
      button: line.held ? "Release it" : "Hold it",
      preview: previewOf(now)
    }
  }
}

const lock = (now: Shown, line: Line): Act<RundownAnswer> => {
  const { seen, ...rest } = commonFieldsOf(now)
  return {
    ...rest,
    command: { path: itemPath(line), method: "PATCH", body: { locked: !line.locked }, seen },
    reason: line.locked
      ? `Freed the place of “${shorten(line.title)}”.`
      : `Fixed the place of “${shorten(line.title)}”.`,
    said: line.locked ? "The planner may move it again." : "It keeps its place."
  }
}

const Insert = ({ before, close, now }: { readonly now: Shown; readonly before: Line; readonly close: () => void }) => (
  <Sheet title={`Insert before “${shorten(before.title)}”`} close={close}>
    <TrackSearch
      of={(track) => (
        <Do<RundownAnswer>
          label={`Insert ${track.title}`}
          act={{
            role: "producer",
            command: {
              path: "/api/ops/rundown/items",
              body: { trackId: track.id, before: before.id },
              seen: seenOf(now)
            },
            reason: `Inserted “${shorten(track.title)}”.`,
            said: `“${track.title}” is in the rundown.`,
            done: (answer) => {
              tookRundown(answer)
              close()
            },
            changes: ["rundown"],
            ask: {
              title: `Insert “${shorten(track.title)}”`,
              button: "Insert it",
              preview: previewOf(now)
            }
          }}
        >
          Insert
        </Do>
      )}
    />
  </Sheet>
)

/** A line that can be dragged, and be dropped on. */
const Item = ({
  at,
  line,
  lines,
  now,
  insert
}: {
  readonly now: Shown
  readonly lines: ReadonlyArray<Line>
  readonly at: number
  readonly line: Line
  readonly insert: (before: Line) => void
}) => {
  const row = useRef<HTMLLIElement>(null)
  const handle = useRef<HTMLSpanElement>(null)
  const [state, setState] = useState<"" | "dragged" | "over">("")
  const [open, setOpen] = useState(false)
  const mayEdit = hasRole("producer") && !line.held
  useEffect(() => {
    const element = row.current
    if (element === null || !mayEdit) return
    return combine(
      draggable({
        element,
        ...(handle.current === null ? {} : { dragHandle: handle.current }),
        getInitialData: () => ({ id: line.id, revision: now.revision }),
        onDragStart: () => setState("dragged"),
        onDrop: () => setState("")
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data["id"] !== line.id,
        onDragEnter: () => setState("over"),
        onDragLeave: () => setState(""),
        onDrop: ({ source }) => {
          setState("")
          const moved = lines.find(({ id }) => id === source.data["id"])
          if (moved !== undefined) propose(move(now, moved, line))
        }
      })
    )
  }, [mayEdit, now.revision, line.id, lines])
  const above = lines[at - 1]
  const below = lines[at + 2]
  const title = line.title
  return (
    <li class={`item item-${line.role} ${state === "" ? "" : `item-${state}`}`} ref={row}>
      {mayEdit ? <span class="item-handle" ref={handle} aria-hidden="true" /> : <span />}
      <time dateTime={new Date(line.expectedAtMs).toISOString()}>{line.held ? "held" : timeOf(line.expectedAtMs)}</time>
      <span class="clip">
        <span class="row-title clip">{title}</span>
        <span class="row-note clip">
          {`${line.artist ?? wordsOf(line.role)}${line.planId === null ? "" : " · part of a plan"}${line.locked ? " · fixed place" : ""}`}
        </span>
      </span>
      <span class="row-figure">{lengthOf(line.durationMs)}</span>
      <span class="item-acts">
        {mayEdit ? (
          <>
            <IconButton
              label={`Move ${title} up`}
              path="M12 19V5M6 11l6-6 6 6"
              disabled={above === undefined}
              onClick={() => above !== undefined && propose(move(now, line, above))}
            />
            <IconButton
              label={`Move ${title} down`}
              path="M12 5v14M6 13l6 6 6-6"
              disabled={below === undefined}
              onClick={() => below !== undefined && propose(move(now, line, below))}
            />
          </>
        ) : null}
        <IconButton
          label={`More about ${title}`}
          aria-expanded={open}
          path="M6 12h.01M12 12h.01M18 12h.01"
          onClick={() => setOpen(!open)}
        />
      </span>
      {open ? (
        <div class="item-more">
          <p class="note">Why it is here</p>
          <ul class="trace">
            {line.trace.map((reason, place) => (
              <li key={place} class="wrap">
                {reason}
              </li>
            ))}
          </ul>
          <p class="buttons">
            {hasRole("producer") && !line.held ? (
              <Button kind="quiet" onClick={() => insert(line)}>
                Insert before
              </Button>
            ) : null}
            <Do act={keepOff(now, line)}>{line.held ? "Release" : "Hold"}</Do>
            {line.held ? null : <Do act={lock(now, line)}>{line.locked ? "Free its place" : "Fix its place"}</Do>}
            {line.held ? null : <Do act={drop(now, line)}>Drop</Do>}
          </p>
        </div>
      ) : null}
    </li>
  )
}

const hourOf = (atMs: number): string => timeOf(atMs).slice(0, 2)

/** The next hours: every item with its reasons, in the order in which it airs. */
export const Rundown = () => {
  const [before, setBefore] = useState<Line | null>(null)
  const now = rundown.value
  if (now === null)
    return (
      <div class="waiting" role="status">
        <span class="unseen">Waiting for the rundown</span>
      </div>
    )
  const lines = now.items.filter(({ held }) => !held)
  const held = now.items.filter((line) => line.held)
  const lastMs = lines.at(-1)
  return (
    <>
      <p class="room-lead">
        {lines.length === 0
          ? "Nothing is planned."
          : `${lines.length} items, planned until ${timeOf(lastMs!.expectedAtMs + lastMs!.durationMs)}.`}
        {hasRole("producer") ? " Drag an item to another place, or use its arrows." : ""}
      </p>
      {now.onAir === null ? null : (
        <div class="item item-now">
          <span />
          <span>now</span>
          <span class="clip">
            <span class="row-title clip">{now.onAir.title}</span>
            <span class="row-note clip">{now.onAir.artist ?? wordsOf(now.onAir.role)}</span>
          </span>
          <span class="row-figure">
            <Left endsAtMs={now.onAir.expectedAtMs + now.onAir.durationMs} />
          </span>
          <span />
        </div>
      )}
      {Object.entries(Object.groupBy(lines, (line) => `${hourOf(line.expectedAtMs)}:00`)).map(([hour, within]) => (
        <section key={hour} aria-label={`From ${hour}`}>
          <h2 class="hour">{hour}</h2>
          <ol class="items">
            {within!.map((line) => (
              <Item key={line.id} now={now} lines={lines} at={lines.indexOf(line)} line={line} insert={setBefore} />
            ))}
          </ol>
        </section>
      ))}
      {held.length === 0 ? null : (
        <section aria-label="Held">
          <h2 class="hour">Held off the air</h2>
          <ol class="items">
            {held.map((line, at) => (
              <Item key={line.id} now={now} lines={held} at={at} line={line} insert={setBefore} />
            ))}
          </ol>
        </section>
      )}
      {before === null ? null : <Insert now={now} before={before} close={() => setBefore(null)} />}
    </>
  )
}
