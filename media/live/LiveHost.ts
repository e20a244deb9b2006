import type { AirOwnership } from "../../engine/ports/AirOwnership.ts"
import type { HlsVariant } from "../../engine/ports/Live.ts"
import type { StationClock } from "../clock/StationClock.ts"
import type { SyntheticMark } from "../../schema/Synthetic.ts"
import type { Captions } from "./Captions.ts"
import type { LiveWindow } from "./LiveWindow.ts"
import type { Mp3Window } from "./Mp3Window.ts"
import type { Waves } from "./Waves.ts"

/** State of the air chain for listeners: the live windows, captions and levels of items, and their clock. */
export interface LiveHost {
  readonly clock: StationClock
  /** Whether listeners get what is in the windows. */
  readonly isOnAir: boolean
  /** Fencing token of the plan on the air; null until there is one. */
  readonly fence: number | null
  readonly ownership: Pick<AirOwnership, "proof" | "seeProof">
  /** Mark of the whole station. */
  readonly mark: SyntheticMark
  readonly windows: ReadonlyMap<HlsVariant, LiveWindow>
  readonly mp3: Mp3Window
  readonly captions: Captions
  readonly waves: Waves
}
