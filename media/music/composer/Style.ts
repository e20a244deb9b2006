import type { DrumName, KitName } from "./DrumKit.ts"
import type { PatchName } from "./Patches.ts"
import type { Room, Seat } from "./Score.ts"

/** Strokes of a bar: one character a sixteenth, 1–9 how hard, a dot where nothing is. */
export type Steps = string

export type Groove = Readonly<Partial<Record<DrumName, Steps>>>

/**
 * `hold` sounds whole chords by the steps, `arp` breaks them upwards and down, `pick` has the thumb on the lowest string,
 * `roll` spreads each chord like a harpist.
 */
export type CompManner = "hold" | "arp" | "pick" | "roll"

export interface Comp extends Partial<Seat> {
  readonly patch: PatchName
  readonly manner: CompManner
  readonly steps: ReadonlyArray<Steps>
  /** How long each sound lasts, in sixteenths. */
  readonly lastsSteps: number
  readonly compass: readonly [number, number]
  readonly voices: number
  /** Plays in sections of at least this energy. */
  readonly from: number
}

export interface Bass extends Partial<Seat> {
  readonly patch: PatchName
  /**
   * One character a sixteenth: R root, 5 fifth, 8 octave, 3 third, a a step towards the next root, - held, a dot a rest.
   * `walk` steps through the harmony in crotchets instead.
   */
  readonly steps: ReadonlyArray<Steps> | "walk"
  readonly floor: number
  readonly from: number
}

export interface Lead extends Partial<Seat> {
  readonly patches: ReadonlyArray<PatchName>
  /** Rhythms of a bar: x begins a note, - holds it, a dot is a rest. */
  readonly rhythms: ReadonlyArray<Steps>
  readonly compass: readonly [number, number]
  /** Larger leaps, wider lines. */
  readonly leap: number
}

export interface SectionPlan {
  readonly name: "intro" | "verse" | "A" | "B" | "break" | "outro"
  readonly share: number
  readonly energy: number
  readonly lead: "none" | "first" | "second" | "sparse"
}

/** All that makes a style itself. Two styles share no row of it. */
export interface Style {
  readonly bpm: readonly [number, number]
  readonly beatsPerBar: 3 | 4
  /** The second of each pair of `unit` sixteenths comes late by this share of it. */
  readonly swing: { readonly unit: 1 | 2; readonly amount: number }
  /** How loosely the band plays, in milliseconds. */
  readonly looseMs: number
  readonly minorChance: number
  readonly scale: { readonly major: string; readonly minor: string }
  readonly turns: { readonly major: ReadonlyArray<string>; readonly minor: ReadonlyArray<string> }
  readonly barsPerChord: 1 | 2 | 4
  readonly comps: ReadonlyArray<Comp>
  readonly bass: Bass | null
  readonly lead: Lead
  readonly kit: KitName
  readonly drumSeat: Partial<Seat>
  readonly grooves: { readonly soft: ReadonlyArray<Groove>; readonly full: ReadonlyArray<Groove> }
  readonly fills: boolean
  readonly form: ReadonlyArray<SectionPlan>
  readonly duckRecoverySec: number
  readonly room: Room
  readonly echo: { readonly steps: number; readonly feedback: number }
  readonly dust: number
  /** Loudest sections against the softest, in dB; 5 where nothing is said. */
  readonly swellDb?: number
  /** What lies above `hz` is raised by `highDb`, what lies below lowered by `lowDb`: the balance of commercial recordings, which the patches alone miss. */
  readonly tilt?: { readonly hz: number; readonly lowDb: number; readonly highDb: number }
}

const plan = (
  ...rows: ReadonlyArray<readonly [SectionPlan["name"], number, number, SectionPlan["lead"]]>
): ReadonlyArray<SectionPlan> => rows.map(([name, share, energy, lead]) => ({ name, share, energy, lead }))

/** The ways a piece can go: what a style's `form` chooses from. */
export const forms = {
  club: plan(
    ["intro", 8, 2, "none"],
    ["A", 16, 3, "first"],
    ["B", 8, 4, "second"],
    ["break", 8, 1, "sparse"],
    ["B", 16, 4, "second"],
    ["outro", 8, 2, "none"]
  ),
  song: plan(
    ["intro", 4, 1, "none"],
    ["verse", 8, 2, "first"],
    ["B", 8, 3, "second"],
    ["verse", 8, 3, "first"],
    ["break", 4, 1, "sparse"],
    ["B", 8, 4, "second"],
    ["outro", 4, 2, "none"]
  ),
  band: plan(
    ["intro", 4, 2, "none"],
    ["verse", 8, 3, "first"],
    ["B", 8, 4, "second"],
    ["verse", 8, 3, "first"],
    ["break", 4, 2, "sparse"],
    ["B", 8, 4, "second"],
    ["outro", 4, 3, "none"]
  ),
  standard: plan(
    ["intro", 4, 2, "none"],
    ["A", 8, 3, "first"],
    ["A", 8, 3, "first"],
    ["B", 8, 3, "second"],
    ["A", 8, 4, "first"],
    ["outro", 4, 2, "none"]
  ),
  drift: plan(
    ["intro", 6, 1, "none"],
    ["A", 12, 2, "sparse"],
    ["B", 12, 3, "first"],
    ["break", 6, 1, "none"],
    ["A", 10, 3, "sparse"],
    ["outro", 6, 1, "none"]
  ),
  scene: plan(
    ["intro", 4, 1, "none"],
    ["A", 8, 2, "first"],
    ["B", 8, 3, "second"],
    ["break", 4, 1, "sparse"],
    ["B", 8, 4, "first"],
    ["outro", 4, 1, "none"]
  )
} as const
