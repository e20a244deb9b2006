import type { HlsVariant } from "../../engine/ports/Live.ts"
import type { StationClock } from "../clock/StationClock.ts"
import type { Captions } from "./Captions.ts"
import type { LiveWindow } from "./LiveWindow.ts"
import type { Mp3Window } from "./Mp3Window.ts"
import type { Waves } from "./Waves.ts"

/** State of the air chain for listeners: the live windows, captions and levels of items, and their clock. */
export interface LiveHost {
  readonly clock: StationClock
  readonly windows: ReadonlyMap<HlsVariant, LiveWindow>
  readonly mp3: Mp3Window
  readonly captions: Captions
  readonly waves: Waves
}
