import type { Airing } from "../../../schema/air/Airing.ts"
import type { GridRevision } from "../../../schema/programmes/Block.ts"
import type { AssetId, SongRequestId } from "../../../schema/Ids.ts"
import type { Airable, Candidate, Play, Rundown, RundownItem } from "../../../schema/air/Rundown.ts"
import type { Pool } from "../air/Planner.ts"
import type { Programme } from "../air/Programme.ts"
import type { RotationRules } from "../air/Rotation.ts"
import type { TopicTalk } from "../air/Sequence.ts"

/** What comes upon the station while it is simulated. */
export type Happening = { readonly atMs: number } & (
  | { readonly _tag: "Segment"; readonly airable: Airable }
  | { readonly _tag: "Request"; readonly id: SongRequestId; readonly airable: Airable }
  /** An operator places it. */
  | { readonly _tag: "Placed"; readonly item: RundownItem }
  /** A plan is approved. */
  | { readonly _tag: "Programme"; readonly programme: Programme }
  /** Enough was said about a topic. */
  | { readonly _tag: "Topic"; readonly talk: TopicTalk }
  /** A segment or track that may not air any more. */
  | { readonly _tag: "Withdrawn"; readonly id: string }
  /** Its sound can't be had for a while. */
  | { readonly _tag: "Missing"; readonly assetId: AssetId; readonly untilMs: number }
  | { readonly _tag: "Hold"; readonly on: boolean }
  | { readonly _tag: "Emergency"; readonly on: boolean }
  /** The machine's clock is set; the station's goes on. */
  | { readonly _tag: "ClockJump"; readonly byMs: number }
)

/** Everything the rules know of when the rehearsal begins, and what will happen. */
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
  /** In LUFS, of the sounds that were measured. */
  readonly loudness: ReadonlyMap<AssetId, number>
  readonly happenings: ReadonlyArray<Happening>
}

export interface Aired {
  readonly item: RundownItem
  readonly firstSample: number
  /** Where it ended or made room. */
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
  /** Parts that have begun, in their order. */
  begun: ReadonlyArray<string>
  over: boolean
  /** Parts that there was no time for, or no sound, and why. */
  readonly left: Map<string, string>
}

export interface SimulatedWeek {
  readonly aired: ReadonlyArray<Aired>
  /** Nothing at all would have been heard. */
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
