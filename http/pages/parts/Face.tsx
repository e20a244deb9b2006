import { useState } from "preact/hooks"
import { Pattern } from "./Pattern.tsx"

/** A person's picture or a generated pattern. Decorative: the name is beside it. */
export const Face = ({ name, url }: { readonly name: string; readonly url: string | null }) => {
  const [broken, setBroken] = useState(false)
  return url === null || broken ? (
    <Pattern of={name} round />
  ) : (
    <img class="face" src={hereOf(url)} alt="" width="44" height="44" loading="lazy" onError={() => setBroken(true)} />
  )
}

/** A station address at the current host, which may differ from the public one. */
export const hereOf = (url: string): string => {
  const { pathname, search } = new URL(url, location.href)
  return `${pathname}${search}`
}
