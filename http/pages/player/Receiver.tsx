import { useCallback, useRef, useState } from "preact/hooks"
import { Controls } from "./Controls.tsx"
import { Dial } from "./Dial.tsx"
import { keep, readKept } from "../station/Kept.ts"
import { levelOf } from "./Level.ts"
import type { Level } from "./Level.ts"
import { NowCover, NowPlaying } from "./NowPlaying.tsx"
import type { Radio } from "./Radio.ts"
import { Spoken, SpokenLog } from "./Spoken.tsx"
import { useLines, useReading } from "./useWords.ts"

/** The current item, its dial and the controls. During speech, captions replace the picture. */
export const Receiver = ({ radio }: { readonly radio: Radio }) => {
  const { heard, isReached, programme, start, station, stream } = radio
  const [captions, setCaptions] = useState(readKept("captions") !== "off")
  const meter = useRef<Level | null>(null)
  const lines = useLines(heard, programme.known)
  const reading = useReading(lines, heard, stream, programme.skewMs)
  const name = station?.name ?? "Longwave"
  const level = useCallback(() => meter.current, [])
  const begin = useCallback(() => {
    meter.current ??= levelOf(stream.audio)
    meter.current?.wake()
    start()
  }, [start, stream])
  const from = useCallback(
    (atMs: number | null) => {
      meter.current?.wake()
      radio.from(atMs)
    },
    [radio.from]
  )
  const toggleCaptions = useCallback(
    () =>
      setCaptions((was) => {
        keep("captions", was ? "off" : "on")
        return !was
      }),
    []
  )
  const isRead = captions && lines.length > 0 && radio.state !== "idle"
  return (
    <section class="receiver" aria-label="Player">
      <div class="hero">
        <div class={isRead ? "picture picture-words" : "picture"} key={heard?.startMs}>
          {isRead ? <Spoken reading={reading} /> : <NowCover heard={heard} station={name} />}
        </div>
        <NowPlaying heard={heard} isReached={isReached} station={name} />
      </div>
      <Dial heard={heard} isReached={isReached} level={level} skewMs={programme.skewMs} stream={stream} />
      <Controls radio={{ ...radio, start: begin, from }} captions={captions} toggleCaptions={toggleCaptions} />
      {captions ? <SpokenLog reading={reading} /> : null}
      <p class="receiver-news" role="status">
        {!isReached
          ? "The station can't be reached. Trying again by itself."
          : programme.isTold
            ? ""
            : "Programme updates are not arriving at the moment."}
      </p>
    </section>
  )
}
