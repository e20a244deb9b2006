import { Schema } from "effect"
import { SegmentId } from "../Ids.ts"
import { aListener } from "../listeners/Message.ts"
import { Track } from "../music/Track.ts"
import { SegmentCategory } from "../segments/Segment.ts"
import type { Synthetic } from "../Synthetic.ts"

/** Whose work it is, as everybody may know it. */
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
  /** Its words were taken down from the sound, and not the other way round. */
  transcribed: Schema.Boolean,
  /** It was taken down: that it was heard stays, what was said in it is not repeated. */
  hidden: Schema.Boolean
})
export interface SpokenFact extends Schema.Schema.Type<typeof SpokenText> {
  /** The show that it was part of. */
  readonly show: { readonly slug: string; readonly title: string } | null
}
const { artist, bpm, genre, id, isInstrumental, lyrics, mood, source, title } = Track.fields
export const TrackFact = Schema.Struct({ id, title, artist, genre, mood, bpm, isInstrumental, lyrics, source })
export type TrackFact = typeof TrackFact.Type
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
export const noFacts: AirFact = {
  spoken: null,
  call: null,
  track: null,
  maker: null,
  listenerLabel: aListener,
  synthetic: null
}
