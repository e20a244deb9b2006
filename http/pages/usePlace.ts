import { useEffect, useState } from "preact/hooks"

/** Current place, from the address: `#/agents/wren` is the place `agents` with the rest `["wren"]`. */
export interface Place {
  readonly key: string
  readonly rest: ReadonlyArray<string>
}

export const placeOf = (hash: string): Place => {
  const [key = "", ...rest] = hash
    .replace(/^#\/?/, "")
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

export const hashOf = (key: string, ...rest: ReadonlyArray<string>): string =>
  `#/${[key, ...rest].map(encodeURIComponent).join("/")}`

export const usePlace = (): Place => {
  const [place, setPlace] = useState(() => placeOf(location.hash))
  useEffect(() => {
    const look = (): void => setPlace(placeOf(location.hash))
    addEventListener("hashchange", look)
    return () => removeEventListener("hashchange", look)
  }, [])
  return place
}
