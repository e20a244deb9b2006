import { useEffect, useRef } from "preact/hooks"
import { enter, roomUrl } from "../desk/Place.ts"
import { hasRole } from "../desk/Session.ts"
import type { OperatorRole } from "../../../../schema/operations/Operator.ts"

export interface RoomTab {
  readonly key: string
  readonly title: string
  readonly role: OperatorRole
}

/** Brings the chosen link of a strip into view: on a phone the strip is wider than the screen. */
export const showChosen = (strip: HTMLElement | null): void => {
  const link = strip?.querySelector<HTMLElement>("[aria-current]")
  if (strip == null || link == null) return
  const { left, width } = link.getBoundingClientRect()
  strip.scrollTo({
    left: strip.scrollLeft + left - strip.getBoundingClientRect().left - (strip.clientWidth - width) / 2
  })
}

/** The parts of a room, each with its own address. */
export const RoomTabs = ({
  chosen,
  room,
  tabs
}: {
  readonly room: string
  readonly tabs: ReadonlyArray<RoomTab>
  readonly chosen: string
}) => {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => showChosen(nav.current), [chosen])
  return (
    <nav class="room-tabs" aria-label="Parts of this room" ref={nav}>
      <ul>
        {tabs
          .filter(({ role }) => hasRole(role))
          .map(({ key, title }) => (
            <li key={key}>
              <a
                href={roomUrl(room, key)}
                onClick={(event) => {
                  event.preventDefault()
                  enter(room, key)
                }}
                {...(key === chosen ? { "aria-current": "page" as const } : {})}
              >
                {title}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}

/** The part that the address names, or the first one that the operator may see. */
export const tabOf = (tabs: ReadonlyArray<RoomTab>, key: string | undefined): string =>
  (tabs.find((tab) => tab.key === key && hasRole(tab.role)) ?? tabs.find((tab) => hasRole(tab.role)))?.key ?? ""
