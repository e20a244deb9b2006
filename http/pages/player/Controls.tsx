import { IconButton } from "../parts/Button.tsx"
import type { Radio } from "./Radio.ts"
import { useBehind } from "./useBehind.ts"
import { useVolume } from "./useVolume.ts"
import type { StreamState } from "../stream/Stream.ts"

const words: Readonly<Record<StreamState, string>> = {
  idle: "Tap to listen",
  connecting: "Connecting",
  playing: "On air",
  reconnecting: "Reconnecting"
}

/** The play button with its state. */
export const PlayButton = ({
  behind,
  isReached,
  press,
  state
}: {
  readonly isReached: boolean
  readonly state: StreamState
  readonly behind: string | null
  readonly press: () => void
}) => (
  <div class={`play play-${state}`}>
    <button
      type="button"
      class="play-button"
      onClick={press}
      aria-label={state === "idle" ? "Listen live" : "Stop listening"}
    >
      <svg viewBox="0 0 48 48" aria-hidden="true">
        {state === "idle" ? <path d="M17 11.5v25L38 24z" /> : <path d="M15 15h18v18H15z" />}
      </svg>
    </button>
    <span class="play-state" role="status">
      {!isReached
        ? state === "idle"
          ? "Unreachable"
          : state === "playing"
            ? "Cut off"
            : words.reconnecting
        : state === "playing" && behind !== null
          ? behind
          : words[state]}
    </span>
  </div>
)

const stepMs = 30_000
const signs = {
  back: "M11 5 4 12l7 7M20 5l-7 7 7 7",
  begin: "M6 5v14M19 5.5 9.5 12l9.5 6.5z",
  forward: "M13 5l7 7-7 7M4 5l7 7-7 7",
  loud: "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a7.8 7.8 0 0 1 0 11",
  mute: "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5",
  words: "M3.5 5.5h17v13h-17zM10.5 10.4a2 2 0 1 0 0 3.2M16.8 10.4a2 2 0 1 0 0 3.2"
}
/** Play button, jumps in time, volume, captions. */
export const Controls = ({
  captions,
  radio,
  toggleCaptions
}: {
  readonly radio: Radio
  readonly captions: boolean
  readonly toggleCaptions: () => void
}) => {
  const { from, heard, isReached, programme, start, state, stop, stream } = radio
  const volume = useVolume(stream.audio)
  const behind = useBehind(stream, programme.skewMs)
  const step = (byMs: number): void => {
    const atMs = stream.placeMs(programme.skewMs) ?? Date.now() + programme.skewMs
    from(atMs + byMs)
  }
  const press = state === "idle" ? start : stop
  const keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return
    const acts: Readonly<Record<string, () => void>> = {
      k: press,
      l: () => from(null),
      m: volume.toggle,
      c: toggleCaptions,
      ArrowLeft: () => step(-stepMs),
      ArrowRight: () => stream.isBehind && step(stepMs)
    }
    const act = acts[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  return (
    <div class="controls" onKeyDown={keys}>
      <PlayButton isReached={isReached} state={state} behind={behind} press={press} />
      <div class="controls-time" role="group" aria-label="Time">
        <IconButton
          label="From its beginning"
          path={signs.begin}
          disabled={heard === null || stream.source === "mp3"}
          onClick={() => heard !== null && from(heard.startMs)}
        />
        <IconButton
          label="Back 30 seconds"
          path={signs.back}
          disabled={stream.source === "mp3"}
          onClick={() => step(-stepMs)}
        />
        <button
          type="button"
          class="controls-live"
          aria-pressed={isReached && state === "playing" && !stream.isBehind}
          disabled={!isReached || state === "idle" || !stream.isBehind}
          onClick={() => from(null)}
        >
          {behind === null ? null : <span class="controls-behind">{behind} · </span>}
          {isReached ? "Live" : "Offline"}
        </button>
        <IconButton
          label="Forward 30 seconds"
          path={signs.forward}
          disabled={!stream.isBehind}
          onClick={() => step(stepMs)}
        />
      </div>
      <div class="controls-sound" role="group" aria-label="Sound and words">
        <IconButton label="Captions" path={signs.words} aria-pressed={captions} onClick={toggleCaptions} />
        {volume.canSet ? (
          <>
            <IconButton
              label="Mute"
              path={volume.muted ? signs.mute : signs.loud}
              aria-pressed={volume.muted}
              onClick={volume.toggle}
            />
            <input
              class="volume"
              type="range"
              min="0"
              max="100"
              step="5"
              aria-label="Volume"
              value={volume.muted ? 0 : Math.round(volume.level * 100)}
              onInput={(event) => volume.set(Number(event.currentTarget.value) / 100)}
            />
          </>
        ) : null}
      </div>
    </div>
  )
}
