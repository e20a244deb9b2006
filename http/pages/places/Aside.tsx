import type { Ref } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { hereOf } from "../parts/Face.tsx"
import type { Radio } from "../player/Radio.ts"

/** A player beside the broadcast. It pauses the broadcast and other such players while it plays. */
export const Aside = ({
  audio,
  label,
  onMove,
  radio: { state, stop },
  url
}: {
  readonly radio: Radio
  readonly url: string
  readonly label: string
  readonly audio?: Ref<HTMLAudioElement>
  /** Called with the position several times a second during playback. */
  readonly onMove?: (sec: number) => void
}) => {
  const own = useRef<HTMLAudioElement>(null)
  useEffect(() => {
    if (state !== "idle") own.current?.pause()
  }, [state])
  const begin = (): void => {
    if (state !== "idle") stop()
    for (const other of document.querySelectorAll<HTMLAudioElement>("audio.aside"))
      if (other !== own.current) other.pause()
  }
  const look = (): void => onMove?.(own.current?.currentTime ?? 0)
  return (
    <audio
      class="aside"
      controls
      preload={audio === undefined ? "none" : "metadata"}
      src={hereOf(url)}
      aria-label={label}
      onPlay={begin}
      onTimeUpdate={look}
      onSeeking={look}
      ref={(element) => {
        own.current = element
        if (audio !== undefined && audio !== null && typeof audio === "object") audio.current = element
      }}
    />
  )
}
