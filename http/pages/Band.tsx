import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { PlaceKey } from "../../schema/listeners/Places.ts"
import { addressOf } from "./usePlace.ts"

/** Navigation between the places, drawn as a tuning band with a needle at the current one. */
export const Band = ({
  chosen,
  places
}: {
  /** The current place; null if it isn't on the band. */
  readonly chosen: PlaceKey | null
  readonly places: ReadonlyArray<{ readonly key: PlaceKey; readonly label: string }>
}) => {
  const nav = useRef<HTMLElement>(null)
  const needle = useRef<HTMLSpanElement>(null)
  const tune = (): void => {
    const link = nav.current?.querySelector<HTMLElement>("[aria-current]")
    needle.current?.toggleAttribute("hidden", link === null)
    if (link === null || link === undefined) return
    needle.current?.style.setProperty("transform", `translateX(${link.offsetLeft + link.offsetWidth / 2}px)`)
    const scale = nav.current!.firstElementChild!
    scale.scrollTo({ left: link.offsetLeft + link.offsetWidth / 2 - scale.clientWidth / 2 })
  }
  const hint = (): void => {
    const scale = nav.current?.firstElementChild
    if (scale === null || scale === undefined) return
    nav.current!.classList.toggle("band-more", scale.scrollLeft + scale.clientWidth < scale.scrollWidth - 8)
    nav.current!.classList.toggle("band-less", scale.scrollLeft > 8)
  }
  useLayoutEffect(() => {
    tune()
    hint()
  }, [chosen, places.length])
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      tune()
      hint()
    })
    watch.observe(nav.current!)
    return () => watch.disconnect()
  }, [])
  return (
    <nav class="band" aria-label="Places" ref={nav}>
      <div class="band-scale" onScroll={hint}>
        <ul>
          {places.map(({ key, label }) => (
            <li key={key}>
              <a href={addressOf(key)} {...(key === chosen ? { "aria-current": "page" as const } : {})}>
                {label}
              </a>
            </li>
          ))}
        </ul>
        <span class="band-needle" ref={needle} aria-hidden="true" />
      </div>
    </nav>
  )
}
