import { useEffect, useState } from "preact/hooks"

/** Current place, from the address: `/lore/x` is the place `lore` with the rest `["x"]`, and so is `#/lore/x`. */
export interface Place {
  readonly key: string
  readonly rest: ReadonlyArray<string>
}

/** Places with addresses that the server knows; others follow a # on the front page. */
const served: ReadonlyArray<string> = ["lore", "council", "blog", "highlights"]

/** The hash wins: links of the places that follow a # work everywhere. */
export const placeOf = (hash: string, path = "/"): Place => {
  const [key = "", ...rest] = (hash.startsWith("#/") ? hash.slice(2) : path.slice(1))
    .split("?")[0]!
    .split("/")
    .map((part) => {
      try {
        return decodeURIComponent(part)
      } catch {
        return part
      }
    })
  return { key, rest: rest.filter((part) => part !== "") }
}

/** Address of a place. */
export const hashOf = (key: string, ...rest: ReadonlyArray<string>): string => {
  const path = [key, ...rest].map(encodeURIComponent).join("/")
  return served.includes(key) ? `/${path}` : `#/${path}`
}

const currentPlace = () => placeOf(location.hash, location.pathname)

/** The address of a link to a place that the browser would load anew, or write behind another place's address; null for other links. */
const placeLink = (event: MouseEvent): string | null => {
  const link = event.target instanceof Element ? event.target.closest("a") : null
  if (
    link === null ||
    event.defaultPrevented ||
    event.button !== 0 ||
    link.target !== "" ||
    link.hasAttribute("download")
  )
    return null
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null
  const written = link.getAttribute("href") ?? ""
  if (written.startsWith("#/")) return location.pathname === "/" ? null : `/${written}`
  const { origin, pathname } = new URL(link.href)
  return origin === location.origin && served.includes(placeOf("", pathname).key) ? pathname : null
}

/** The place, which changes without a new page, so that the broadcast goes on. */
export const usePlace = (): Place => {
  const [place, setPlace] = useState(currentPlace)
  useEffect(() => {
    const look = (): void => setPlace(currentPlace())
    const follow = (event: MouseEvent): void => {
      const to = placeLink(event)
      if (to === null) return
      event.preventDefault()
      history.pushState(null, "", to)
      look()
    }
    addEventListener("hashchange", look)
    addEventListener("popstate", look)
    document.addEventListener("click", follow)
    return () => {
      removeEventListener("hashchange", look)
      removeEventListener("popstate", look)
      document.removeEventListener("click", follow)
    }
  }, [])
  return place
}
