import type { FunctionComponent } from "preact"
import type { PlaceProps } from "../Radio.ts"
import { Now } from "./Now.tsx"
import { Tune } from "./Tune.tsx"

/** Somewhere on the band: `label` is short, it stands on the scale; `title` heads the panel. */
export interface PlaceOnBand {
  readonly key: string
  readonly label: string
  readonly title: string
  readonly lead?: string
  readonly Panel: FunctionComponent<PlaceProps>
}

/** The places in the order of the band. The first is where the page begins. */
export const places: ReadonlyArray<PlaceOnBand> = [
  { key: "", label: "Now", title: "On now", Panel: Now },
  { key: "tune", label: "Tune in", title: "Tune in elsewhere", lead: "The same sound in any player, and how this one listens to you.", Panel: Tune }
]
