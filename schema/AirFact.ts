import { aListener } from "./Interaction.ts"
import type { SegmentCategory } from "./Segment.ts"
import type { Synthetic } from "./Synthetic.ts"
import type { TrackSource } from "./Track.ts"

/** Whose work it is, as everybody may know it. */
export interface MakerFact {
  readonly handle: string
  readonly displayName: string
  readonly avatarUrl: string | null
}

export interface SpokenFact {
  readonly id: string
  readonly title: string
  readonly category: SegmentCategory
  readonly scriptText: string
  readonly displayText: string
  /** Its words were taken down from the sound, and not the other way round. */
  readonly transcribed: boolean
  /** It was taken down: that it was heard stays, what was said in it is not repeated. */
  readonly hidden: boolean
  /** The show that it was part of. */
  readonly show: { readonly slug: string; readonly title: string } | null
}

export interface TrackFact {
  readonly id: string
  readonly title: string
  readonly artist: string
  readonly genre: string
  readonly mood: string | null
  readonly bpm: number | null
  readonly isInstrumental: boolean
  readonly lyrics: string | null
  readonly source: TrackSource
}

/** Everything that is shown of what is heard beside its sound. */
export interface AirFact {
  readonly spoken: SpokenFact | null
  /** What was said in a listener's call, where somebody has written it down. */
  readonly call: string | null
  readonly track: TrackFact | null
  readonly maker: MakerFact | null
  /** Whose wish or message it is; 'a listener' unless they agreed to be named. */
  readonly listenerLabel: string
  readonly synthetic: Synthetic
}

export const noFacts: AirFact = { spoken: null, call: null, track: null, maker: null, listenerLabel: aListener, synthetic: null }
