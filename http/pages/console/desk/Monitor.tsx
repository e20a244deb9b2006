import { useEffect, useState } from "preact/hooks"
import { IconButton } from "../../parts/Button.tsx"
import { Stream } from "../../stream/Stream.ts"

let stream: Stream | null = null
/** One for the whole page: it plays on from room to room. */
const monitor = (): Stream => (stream ??= new Stream())

const words = {
  idle: "Listen to the air",
  connecting: "Connecting",
  playing: "Stop the monitor",
  reconnecting: "Reconnecting"
} as const

/** Plays what listeners hear. */
export const Monitor = () => {
  const [state, setState] = useState(monitor().current)
  useEffect(() => monitor().listen(() => setState(monitor().current)), [])
  return (
    <IconButton
      label={words[state]}
      aria-pressed={state !== "idle"}
      path={
        state === "idle"
          ? "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a7.8 7.8 0 0 1 0 11"
          : "M7 7h10v10H7z"
      }
      onClick={() => (state === "idle" ? monitor().start() : monitor().stop())}
    />
  )
}
