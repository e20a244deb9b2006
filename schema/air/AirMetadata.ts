import { Schema } from "effect"
import { SegmentId } from "../Ids.ts"
import { aListener } from "../listeners/Message.ts"
import { Track } from "../music/Track.ts"
import { SegmentCategory } from "../segments/Segment.ts"
import type { Synthetic } from "../Synthetic.ts"

/** Public credit of an item. */
export interface MakerFact {
  readonly handle: string
  readonly displayName: string
  readonly avatarUrl: string | null
}
export const SpokenText = Schema.Struct({
  id: SegmentId,
  title: Schema.String,
  category: SegmentCategory,
  scriptText: Schema.String,
  displayText: Schema.String,
  /** True if the words were transcribed from the sound rather than spoken from a script. */
  transcribed: Schema.Boolean,
  /** True if the item was taken down: the airing stays listed, its words are hidden. */
  hidden: Schema.Boolean
})
export interface SpokenFact extends Schema.Schema.Type<typeof SpokenText> {
  /** The show that the item was part of. */
  readonly show: { readonly slug: string; readonly title: string } | null
}
const { artist, bpm, genre, id, isInstrumental, lyrics, mood, source, title } = Track.fields
export const TrackFact = Schema.Struct({ id, title, artist, genre, mood, bpm, isInstrumental, lyrics, source })
export type TrackFact = typeof TrackFact.Type
/** Everything shown about an item beside its sound. */
export interface AirFact {
  readonly spoken: SpokenFact | null
  /** Transcript of a listener's call, if there is one. */
  readonly call: string | null
  readonly track: TrackFact | null
  readonly maker: MakerFact | null
  /** The listener who asked or wrote; 'a listener' unless they agreed to be named. */
  readonly listenerLabel: string
  readonly synthetic: Synthetic
}
export const noFacts: AirFact = {
  spoken: null,
  call: null,
  track: null,
  maker: null,
  listenerLabel: aListener,
  synthetic: null
}
