import { useState } from "preact/hooks"
import { Pattern } from "../parts/Pattern.tsx"
import { markText } from "../parts/Mark.tsx"
import { bylineOf, kindOf, titleOf, type Playing, type Heard } from "./Programme.ts"
import { hereOf } from "../parts/Face.tsx"

export const coverOf = ({ track }: Playing): string | null =>
  track === null || track.coverUrl === null ? null : hereOf(track.coverUrl)
const sizeOf = (title: string): string =>
  title.length > 80 ? "longest" : title.length > 44 ? "long" : title.length > 22 ? "middling" : "short"
/** Cover of the item, or a generated pattern. Its space is reserved to avoid layout shifts. */
export const Cover = ({ of, url }: { readonly of: string; readonly url: string | null }) => {
  const [broken, setBroken] = useState(false)
  return (
    <div class="cover" aria-hidden="true">
      {url === null || broken ? (
        <Pattern of={of} />
      ) : (
        <img src={url} alt="" width="512" height="512" onError={() => setBroken(true)} />
      )}
    </div>
  )
}
/** Title of the current item, as large as fits. Its space is reserved to avoid layout shifts. */
export const NowPlaying = ({
  heard,
  isReached,
  station
}: {
  readonly heard: Heard | null
  readonly isReached: boolean
  readonly station: string
}) => {
  const title = heard === null ? station : titleOf(heard.playing, station)
  const kind = heard === null ? (isReached ? "On the air" : "Not reachable") : kindOf(heard.playing.item.kind)
  const by = heard === null ? "" : bylineOf(heard.playing)
  const mark = heard === null ? "" : markText(heard.playing.item.synthetic)
  return (
    <>
      <div class="now" key={title}>
        <h1 class={`now-title now-title-${sizeOf(title)}`}>{title}</h1>
        <p class="now-byline">
          <span class="now-kind">{kind}</span>
          {mark === "" ? null : <span class="now-mark">{mark}</span>}
          <span class="clip">{by}</span>
        </p>
      </div>
      <p class="unseen" role="status">
        {heard === null ? "" : [`${kind}: ${title}`, by, mark].filter((one) => one !== "").join(", ")}
      </p>
    </>
  )
}
/** Picture of the current item. */
export const NowCover = ({ heard, station }: { readonly heard: Heard | null; readonly station: string }) => {
  const title = heard === null ? station : titleOf(heard.playing, station)
  return (
    <Cover
      key={title}
      of={`${title} ${heard === null ? "" : bylineOf(heard.playing)}`}
      url={heard === null ? null : coverOf(heard.playing)}
    />
  )
}
