import { kindAheadOf } from "./Programme.ts"
import type { Heard } from "./Programme.ts"

/** What follows, as far as the station will say. */
export const NextUp = ({ heard, station }: { readonly heard: Heard | null; readonly station: string }) => {
  const next = heard?.playing.next ?? null
  return (
    <p class="next">
      <span class="next-word">Next</span>
      <span class="next-title" key={next?.title}>{next === null ? `More from ${station}` : next.title}</span>
      <span class="next-kind" key={`kind of ${next?.title}`}>{next === null ? "" : kindAheadOf(next.kind)}</span>
    </p>
  )
}
