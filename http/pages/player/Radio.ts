import type { Programme } from "./useProgramme.ts"
import type { Station } from "../station/useStation.ts"
import type { Heard } from "./Programme.ts"
import type { Stream, StreamState } from "../stream/Stream.ts"

/** The player's state and commands, passed to every place. */
export interface Radio {
  readonly station: Station | null
  readonly programme: Programme
  /** The item being heard; when stopped, the item on the air. */
  readonly heard: Heard | null
  readonly state: StreamState
  /** False while the station can't be reached: nothing is live then. */
  readonly isReached: boolean
  readonly stream: Stream
  readonly start: () => void
  readonly stop: () => void
  /** Plays from an instant of the broadcast; null is live. */
  readonly from: (atMs: number | null) => void
}

/** A component for a place. `rest` is the part of the address after its key. */
export interface PlaceProps {
  readonly radio: Radio
  readonly rest: ReadonlyArray<string>
}
