import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { Dial } from "./Dial.tsx"
import { levelOf } from "./Level.ts"
import type { Level } from "./Level.ts"
import { NextUp } from "./NextUp.tsx"
import { NowPlaying } from "./NowPlaying.tsx"
import { PlayButton } from "./PlayButton.tsx"
import { bylineOf, titleOf } from "./Programme.ts"
import { Stream } from "./Stream.ts"
import { useHeard } from "./useHeard.ts"
import { useMediaSession } from "./useMediaSession.ts"
import { useProgramme } from "./useProgramme.ts"
import { useStation } from "./useStation.ts"

const stream = new Stream()

const listening = (count: number | null): string => count === null ? "" : count === 1 ? "1 listening" : `${count.toLocaleString()} listening`

/** The whole page: what is heard, the dial it moves along, the button, and what is next. */
export const Player = () => {
  const station = useStation()
  const programme = useProgramme()
  const heard = useHeard(stream, programme)
  const [state, setState] = useState(stream.current)
  const meter = useRef<Level | null>(null)
  const name = station?.name ?? "Longwave"

  useEffect(() => stream.listen(() => setState(stream.current)), [])
  const start = useCallback(() => {
    meter.current ??= levelOf(stream.audio)
    meter.current?.wake()
    stream.start()
  }, [])
  const stop = useCallback(() => stream.stop(), [])
  const level = useCallback(() => meter.current, [])

  const title = heard === null ? name : titleOf(heard.playing, name)
  useMediaSession(title, heard === null ? "" : bylineOf(heard.playing), name, state !== "idle", start, stop)
  useEffect(() => {
    document.title = title === name ? name : `${title} · ${name}`
  }, [title, name])

  return (
    <div class={`station station-${state}`}>
      <header class="masthead">
        <p class="masthead-name">{name}</p>
        <p class="masthead-listeners">{listening(programme.listeners)}</p>
      </header>
      <main class="programme">
        <NowPlaying heard={heard} station={name} />
        <Dial heard={heard} level={level} skewMs={programme.skewMs} stream={stream} />
        <div class="controls">
          <PlayButton state={state} press={state === "idle" ? start : stop} />
          <NextUp heard={heard} station={name} />
        </div>
      </main>
    </div>
  )
}
