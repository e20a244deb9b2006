import { useEffect, useState } from "preact/hooks"
import { isPlaceKey, placeAddress, type PlaceKey } from "../../schema/listeners/Places.ts"

/** Current place, from the address: `/lore/x` is the place `lore` with the rest `["x"]`. */
export interface Place {
  readonly key: string
  readonly rest: ReadonlyArray<string>
}

const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const placeOf = (path: string): Place => {
  const [key = "", ...rest] = path.slice(1).split("?")[0]!.split("/").map(decodePart)
  return { key, rest: rest.filter((part) => part !== "") }
}

/** Address of a place. */
export const addressOf = (key: PlaceKey, ...rest: ReadonlyArray<string>): string => placeAddress(key, ...rest)

/** The address of a place that used to follow a #; null for other anchors. Links in old mails and feeds have them. */
export const formerAddress = (hash: string): string | null => {
  if (!hash.startsWith("#/")) return null
  const { key, rest } = placeOf(hash.slice(1))
  const [first, ...others] = rest
  const parts = key === "replays" && first === "show" ? ["shows", ...others] : [key, ...rest]
  return `/${parts.map(encodeURIComponent).join("/")}`
}

/** Goes on from a former address to the present one, without a step in the history. */
export const leaveFormerAddress = (): void => {
  const to = formerAddress(location.hash)
  if (to !== null) history.replaceState(null, "", to)
}

const currentPlace = () => placeOf(location.pathname)

/** The address of a link to a place, which needs no new page; null for other links. */
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
  const { hash, origin, pathname } = new URL(link.href)
  if (origin !== location.origin) return null
  // A feed lies below a place and is none.
  if (hash.startsWith("#/")) return formerAddress(hash)
  return hash === "" && isPlaceKey(placeOf(pathname).key) && !/\.(xml|json)$/.test(pathname) ? pathname : null
}

/** The place, which changes without a new page, so that the broadcast goes on. */
export const usePlace = (): Place => {
  const [place, setPlace] = useState(currentPlace)
  useEffect(() => {
    const look = (): void => {
      leaveFormerAddress()
      setPlace(currentPlace())
    }
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
