import { useState } from "preact/hooks"
import { Pattern } from "./Pattern.tsx"

/** Somebody's picture, or what stands for it. The name stands beside it, so it says nothing itself. */
export const Face = ({ name, url }: { readonly name: string; readonly url: string | null }) => {
  const [broken, setBroken] = useState(false)
  return url === null || broken ? (
    <Pattern of={name} round />
  ) : (
    <img class="face" src={hereOf(url)} alt="" width="44" height="44" loading="lazy" onError={() => setBroken(true)} />
  )
}

/** An address of the station as this page reaches it: by the host that it was opened at, which may not be the public one. */
export const hereOf = (url: string): string => {
  const { pathname, search } = new URL(url, location.href)
  return `${pathname}${search}`
}
