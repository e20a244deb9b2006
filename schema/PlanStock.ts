import type { SegmentId, TrackId, UploadId } from "./Ids.ts"
import type { Airable } from "./Rundown.ts"
import type { SegmentStatus } from "./Segment.ts"

/** Something of an agent's that is spoken, as far as it is there. */
export interface Spoken {
  readonly title: string
  readonly text: string
  /** Null until it has sound. */
  readonly airable: Airable | null
}

/** All that the items of one plan name, as the station has it. */
export interface PlanStock {
  /** Those of the rotation. */
  readonly tracks: ReadonlyMap<TrackId, Airable>
  /** Beds and instrumentals, to lie under a voice. */
  readonly beds: ReadonlyMap<TrackId, Airable>
  /** Tracks there are, whether they may air or not. */
  readonly known: ReadonlySet<TrackId>
  /** The agent's own, the whole of a panel that it hosted among them; a single turn of one is none. */
  readonly segments: ReadonlyMap<SegmentId, Spoken & { readonly status: SegmentStatus; readonly planId: string | null }>
  readonly uploads: ReadonlyMap<UploadId, Spoken & { readonly passed: boolean; readonly declared: boolean }>
  readonly idents: ReadonlyArray<Airable>
  readonly houseBeds: ReadonlyArray<Airable>
}
