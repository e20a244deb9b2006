import type { DrumName, KitName } from "./DrumKit.ts"
import type { PatchName } from "./Patches.ts"
import type { Note } from "./Voice.ts"

export interface Stroke {
  readonly at: number
  readonly drum: DrumName
  readonly level: number
}

/** Where a part sits in the mix. */
export interface Seat {
  readonly level: number
  readonly pan: number
  readonly reverb: number
  readonly echo: number
  /** How far it steps back at each kick: 0 not at all, 1 wholly. */
  readonly duck: number
}

export const makeSeat = (seat: Partial<Seat>): Seat => ({ level: 1, pan: 0, reverb: 0.1, echo: 0, duck: 0, ...seat })

export interface Part extends Seat {
  readonly name: string
  readonly patch: PatchName
  readonly notes: ReadonlyArray<Note>
}

export interface Drumming extends Seat {
  readonly kit: KitName
  readonly strokes: ReadonlyArray<Stroke>
}

export interface Room {
  readonly decaySec: number
  /** 0 bright walls to 1 heavy curtains. */
  readonly damping: number
}

export interface Echo {
  readonly delaySamples: number
  readonly feedback: number
}

export interface SectionSpan {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Everything that is heard, decided; nothing is left to chance after this. */
export interface Score {
  readonly title: string
  readonly bpm: number
  readonly musicalKey: string
  readonly seed: number
  readonly lengthSamples: number
  /** What rings on after the end is folded onto the beginning. */
  readonly loops: boolean
  readonly sections: ReadonlyArray<SectionSpan>
  readonly introEnd: number
  readonly segue: number
  readonly parts: ReadonlyArray<Part>
  readonly drumming: Drumming
  readonly duckRecoverySec: number
  readonly room: Room
  readonly echo: Echo
  /** Level of the crackle of an old record. */
  readonly dust: number
  /** Gains of what lies below and above a frequency. */
  readonly tilt: { readonly hz: number; readonly low: number; readonly high: number }
}
