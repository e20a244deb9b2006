import { useEffect, useState } from "preact/hooks"
import type { LogLine } from "../../../../schema/operations/Log.ts"
import { useEvents } from "../../station/useEvents.ts"
import { ask } from "../../station/Ask.ts"
import { timeOf } from "../desk/Words.ts"
import { Filter } from "../parts/Filter.tsx"

type Line = typeof LogLine.Type

const levels = ["Debug", "Info", "Warn", "Error"] as const
const shownMax = 500

/** The station's log as it is written. */
export const Logs = () => {
  const [level, setLevel] = useState<(typeof levels)[number]>("Info")
  const [text, setText] = useState("")
  const [isPaused, setIsPaused] = useState(false)
  const [lines, setLines] = useState<ReadonlyArray<Line>>([])
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    const over = new AbortController()
    ask<{ readonly lines: ReadonlyArray<Line> }>(`/api/ops/logs?limit=100&level=${level}`, {
      signal: over.signal
    }).then(
      ({ lines: told }) => setLines(told),
      () => undefined
    )
    return () => over.abort()
  }, [level])
  useEvents(
    isPaused ? null : `/api/ops/logs/events?level=${level}`,
    ["line"],
    (_, line) => setLines((was) => [line as Line, ...was].slice(0, shownMax)),
    setIsOpen
  )
  const wanted = text.trim().toLowerCase()
  const shown = lines.filter(({ cause, message }) => `${message} ${cause ?? ""}`.toLowerCase().includes(wanted))
  return (
    <>
      <div class="filters">
        <Filter
          label="Level"
          names={levels}
          value={level}
          change={(name) => setLevel(name === "" ? "Info" : name)}
          labelOf={String}
        />
        <label class="filter">
          <span>Filter</span>
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button
          type="button"
          class="button button-quiet"
          aria-pressed={isPaused}
          onClick={() => setIsPaused(!isPaused)}
        >
          {isPaused ? "Go on" : "Pause"}
        </button>
        <span class="note">{isPaused ? "Paused." : isOpen ? "As it is written." : "Not connected."}</span>
      </div>
      <div class="scroll log" tabIndex={0} role="log" aria-label="The station's log">
        {shown.map(({ at, cause, level: of, message }, place) => (
          <p key={`${at} ${place}`} class={`log-line log-${of.toLowerCase()}`}>
            <span class="figures">{timeOf(at)}</span> <strong>{of}</strong> <span class="wrap">{message}</span>
            {cause === null ? null : <span class="log-cause wrap">{cause}</span>}
          </p>
        ))}
        {shown.length === 0 ? <p class="note">No line has this.</p> : null}
      </div>
    </>
  )
}
