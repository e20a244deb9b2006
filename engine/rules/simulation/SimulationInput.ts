import type { Airing } from "../../../schema/air/Airing.ts"
import type { GridRevision } from "../../../schema/programmes/Block.ts"
import type { AssetId, SongRequestId } from "../../../schema/Ids.ts"
import type { Airable, Candidate, Play, Rundown, RundownItem } from "../../../schema/air/Rundown.ts"
import type { Pool } from "../air/Planner.ts"
import type { Programme } from "../air/Programme.ts"
import type { RotationRules } from "../air/Rotation.ts"
import type { TopicTalk } from "../air/Sequence.ts"

/** An event injected into the simulation. */
export type Happening = { readonly atMs: number } & (
  | { readonly _tag: "Segment"; readonly airable: Airable }
  | { readonly _tag: "Request"; readonly id: SongRequestId; readonly airable: Airable }
  /** An operator places an item. */
  | { readonly _tag: "Placed"; readonly item: RundownItem }
  /** A plan is approved. */
  | { readonly _tag: "Programme"; readonly programme: Programme }
  /** A topic has enough contributions. */
  | { readonly _tag: "Topic"; readonly talk: TopicTalk }
  /** A segment or track is no longer allowed to air. */
  | { readonly _tag: "Withdrawn"; readonly id: string }
  /** Its sound is unavailable until then. */
  | { readonly _tag: "Missing"; readonly assetId: AssetId; readonly untilMs: number }
  | { readonly _tag: "Hold"; readonly on: boolean }
  | { readonly _tag: "Emergency"; readonly on: boolean }
  /** The machine's clock jumps; the station's clock doesn't. */
  | { readonly _tag: "ClockJump"; readonly byMs: number }
)

/** Input of a simulation: the initial facts and the events to come. */
export interface Stage {
  readonly fromMs: number
  readonly toMs: number
  readonly zone: string
  readonly grid: ReadonlyArray<GridRevision>
  readonly rules: RotationRules
  readonly rundown: Rundown | null
  readonly plays: ReadonlyArray<Play>
  readonly tracks: ReadonlyArray<Candidate>
  readonly house: Omit<Pool, "music">
  /** Of measured sounds, in LUFS. */
  readonly loudness: ReadonlyMap<AssetId, number>
  readonly happenings: ReadonlyArray<Happening>
}

export interface Aired {
  readonly item: RundownItem
  readonly firstSample: number
  /** Instant at which it ended or was displaced. */
  readonly endSample: number
  readonly complete: boolean
}

export interface Stretch {
  readonly fromMs: number
  readonly toMs: number
}

export interface Asked {
  readonly id: SongRequestId
  readonly airable: Airable
  readonly askedAtMs: number
  airing: Airing
  heardAtMs: number | null
}

export interface Programmed {
  readonly programme: Programme
  readonly knownAtMs: number
  /** Parts that have begun, in order. */
  begun: ReadonlyArray<string>
  over: boolean
  /** Parts left out for lack of time or sound, with the reason. */
  readonly left: Map<string, string>
}

export interface SimulatedWeek {
  readonly aired: ReadonlyArray<Aired>
  /** Stretches without any sound. */
  readonly gaps: ReadonlyArray<Stretch>
  readonly twoVoices: ReadonlyArray<number>
  readonly emergencies: ReadonlyArray<Stretch>
  readonly holds: ReadonlyArray<Stretch>
  readonly requests: ReadonlyArray<Asked>
  readonly skipped: number
  readonly placed: ReadonlyArray<{ readonly item: RundownItem; readonly knownAtMs: number }>
  readonly programmes: ReadonlyArray<Programmed>
  readonly waiting: ReadonlyArray<Airable>
  readonly plans: number
}
