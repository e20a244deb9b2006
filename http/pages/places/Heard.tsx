import { useRef } from "preact/hooks"
import type { HeardAt } from "../../../schema/lore/Lore.ts"
import { Button } from "../parts/Button.tsx"
import { clockText } from "../player/Programme.ts"
import type { Radio } from "../player/Radio.ts"
import { Aside } from "./Aside.tsx"

/** When something was heard, with buttons that play it from its second. */
export const Heard = ({
  heard,
  label,
  radio
}: {
  readonly heard: HeardAt
  readonly label: string
  readonly radio: Radio
}) => {
  const audio = useRef<HTMLAudioElement>(null)
  const sec = heard.offsetSec ?? 0
  const play = (): void => {
    if (audio.current === null) return
    audio.current.currentTime = sec
    void audio.current.play().catch(() => undefined)
  }
  return (
    <>
      <p class="note">
        <time dateTime={heard.at}>
          {new Date(heard.at).toLocaleString([], {
            day: "numeric",
            month: "long",
            year: "numeric",
            hour: "2-digit",
            minute: "2-digit",
            second: "2-digit"
          })}
        </time>
      </p>
      {heard.audioUrl === null ? (
        <p class="note">Its recording is gone.</p>
      ) : (
        <>
          <p class="buttons">
            <Button onClick={play}>{`Hear it at ${clockText(sec * 1000)}`}</Button>
            {heard.replayUrl === null ? null : (
              <a class="button button-quiet" href={heard.replayUrl.slice(heard.replayUrl.indexOf("#"))}>
                In the recording
              </a>
            )}
            {heard.streamUrl === null ? null : (
              <Button kind="quiet" onClick={() => radio.from(Date.parse(heard.at))}>
                In the broadcast
              </Button>
            )}
          </p>
          <Aside radio={radio} url={heard.audioUrl} label={label} audio={audio} />
        </>
      )}
    </>
  )
}
