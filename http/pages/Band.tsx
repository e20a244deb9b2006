import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { hashOf } from "./usePlace.ts"

/** Navigation between the places, drawn as a tuning band with a needle at the current one. */
export const Band = ({
  chosen,
  places
}: {
  readonly chosen: string
  readonly places: ReadonlyArray<{ readonly key: string; readonly label: string }>
}) => {
  const nav = useRef<HTMLElement>(null)
  const needle = useRef<HTMLSpanElement>(null)
  const tune = (): void => {
    const link = nav.current?.querySelector<HTMLElement>("[aria-current]")
    if (link === null || link === undefined) return
    needle.current?.style.setProperty("transform", `translateX(${link.offsetLeft + link.offsetWidth / 2}px)`)
    const scale = nav.current!.firstElementChild!
    scale.scrollTo({ left: link.offsetLeft + link.offsetWidth / 2 - scale.clientWidth / 2 })
  }
  useLayoutEffect(tune, [chosen, places.length])
  useEffect(() => {
    const watch = new ResizeObserver(tune)
    watch.observe(nav.current!)
    return () => watch.disconnect()
  }, [])
  return (
    <nav class="band" aria-label="Places" ref={nav}>
      <div class="band-scale">
        <ul>
          {places.map(({ key, label }) => (
            <li key={key}>
              <a href={hashOf(key)} {...(key === chosen ? { "aria-current": "page" as const } : {})}>
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
