import { Context } from "effect"
import { stationMark, type SyntheticMark } from "../../schema/Synthetic.ts"

/** Mark of the whole station as the air chain of this process has it, for the headers of its streams. */
export const CurrentMark = Context.Reference<() => SyntheticMark>("longwave/engine/ports/CurrentMark", {
  defaultValue: () => () => stationMark
})
