import type { Programme } from "./useProgramme.ts"
import type { Station } from "../station/useStation.ts"
import type { Heard } from "./Programme.ts"
import type { Stream, StreamState } from "../stream/Stream.ts"

/** What every place of the page is told: what is in the listener's ear, and how to change that. */
export interface Radio {
  readonly station: Station | null
  readonly programme: Programme
  /** The item that is heard; with nothing playing, the one that is on the air. */
  readonly heard: Heard | null
  readonly state: StreamState
  readonly stream: Stream
  readonly start: () => void
  readonly stop: () => void
  /** Goes back to an instant of the broadcast and listens from there; null is live. */
  readonly from: (atMs: number | null) => void
}

/** A component that fills the panel when its place is chosen. `rest` is what follows its key in the address. */
export interface PlaceProps {
  readonly radio: Radio
  readonly rest: ReadonlyArray<string>
}
