import { bylineOf, kindOf, titleOf } from "./Programme.ts"
import type { Heard } from "./Programme.ts"

/** What is heard, as large as the page allows. Its room is kept, so that nothing moves when it changes. */
export const NowPlaying = ({ heard, station }: { readonly heard: Heard | null; readonly station: string }) => {
  const title = heard === null ? station : titleOf(heard.playing, station)
  const size = title.length > 80 ? "longest" : title.length > 44 ? "long" : title.length > 22 ? "middling" : "short"
  return (
    <section class="now" aria-live="polite" aria-label="Now playing">
      <h1 class={`now-title now-title-${size}`} key={title}>{title}</h1>
      <p class="now-byline">
        <span class="now-kind">{heard === null ? "On the air" : kindOf(heard.playing.item.kind)}</span>
        <span>{heard === null ? "" : bylineOf(heard.playing)}</span>
      </p>
    </section>
  )
}
