import type { ComponentChildren } from "preact"
import { useId, useRef } from "preact/hooks"

/** Tabs with arrow-key navigation. */
export const Tabs = <Key extends string>({
  children,
  choose,
  chosen,
  label,
  of
}: {
  readonly label: string
  readonly of: ReadonlyArray<{ readonly key: Key; readonly title: string }>
  readonly chosen: Key
  readonly choose: (key: Key) => void
  readonly children: ComponentChildren
}) => {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const go = (event: KeyboardEvent): void => {
    const at = of.findIndex(({ key }) => key === chosen)
    const to =
      event.key === "ArrowRight"
        ? at + 1
        : event.key === "ArrowLeft"
          ? at - 1
          : event.key === "Home"
            ? 0
            : event.key === "End"
              ? of.length - 1
              : null
    if (to === null) return
    event.preventDefault()
    const next = (to + of.length) % of.length
    choose(of[next]!.key)
    list.current?.querySelectorAll("button")[next]?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={go}>
        {of.map(({ key, title }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            aria-selected={key === chosen}
            aria-controls={`${id}-shown`}
            tabIndex={key === chosen ? 0 : -1}
            onClick={() => choose(key)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-shown`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  )
}
