import type { StreamState } from "./Stream.ts"

const words: Readonly<Record<StreamState, string>> = { idle: "Tap to listen", connecting: "Connecting", playing: "On air", reconnecting: "Reconnecting" }

/** The one thing to press. The words beside it say how it stands. */
export const PlayButton = ({ behind, press, state }: { readonly state: StreamState; readonly behind: string | null; readonly press: () => void }) => (
  <div class={`play play-${state}`}>
    <button type="button" class="play-button" onClick={press} aria-label={state === "idle" ? "Listen live" : "Stop listening"}>
      <svg viewBox="0 0 48 48" aria-hidden="true">
        {state === "idle" ? <path d="M17 11.5v25L38 24z" /> : <path d="M15 15h18v18H15z" />}
      </svg>
    </button>
    <span class="play-state" role="status">{state === "playing" && behind !== null ? behind : words[state]}</span>
  </div>
)
