import { signal } from "@preact/signals"

/** The room and what is chosen in it, from the address: `/console/people/agents/agt_…`. */
export interface Place {
  readonly room: string
  readonly rest: ReadonlyArray<string>
}

/** What a room gets: the parts of the address after its own. */
export interface RoomProps {
  readonly rest: ReadonlyArray<string>
}

const current = (): Place => {
  const [room = "", ...rest] = location.pathname
    .replace(/^\/console\/?/, "")
    .split("/")
    .map(decodeURIComponent)
  return { room, rest: rest.filter((part) => part !== "") }
}

export const place = signal<Place>(current())

/** Address of a room. */
export const roomUrl = (room: string, ...rest: ReadonlyArray<string>): string =>
  ["/console", ...[room, ...rest].filter((part) => part !== "").map(encodeURIComponent)].join("/")

/** Opens a room without a new page, so that the monitor plays on. */
export const enter = (room: string, ...rest: ReadonlyArray<string>): void => {
  history.pushState(null, "", roomUrl(room, ...rest))
  place.value = current()
}

addEventListener("popstate", () => {
  place.value = current()
})
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null
  if (link === null || event.defaultPrevented || event.button !== 0 || link.target !== "") return
  if (link.hasAttribute("download") || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const { origin, pathname } = new URL(link.href)
  if (origin !== location.origin || !/^\/console(\/|$)/.test(pathname)) return
  event.preventDefault()
  history.pushState(null, "", pathname)
  place.value = current()
})
