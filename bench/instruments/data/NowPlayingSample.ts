import type { Synthetic } from "../../../schema/Synthetic.ts"
import type { NowPlaying } from "../../../schema/air/Station.ts"

export const playingSample = (changes: {
  readonly id: string
  readonly title: string
  readonly artist?: string
  readonly startMs: number
  readonly lengthMs: number
  readonly next?: string
  readonly synthetic?: Synthetic
}): NowPlaying => ({
  item: {
    id: changes.id,
    kind: "music",
    startedAt: new Date(changes.startMs).toISOString(),
    endsAt: new Date(changes.startMs + changes.lengthMs).toISOString(),
    durationSec: changes.lengthMs / 1000,
    positionSec: 0,
    airSample: 0,
    synthetic: changes.synthetic ?? null
  },
  segment: null,
  track: {
    id: null,
    title: changes.title,
    artist: changes.artist ?? "The House Quartet",
    madeByStation: true,
    genre: "jazz",
    coverUrl: null,
    isInstrumental: true
  },
  script: null,
  displayText: changes.title,
  lyrics: null,
  analysis: null,
  captionsUrl: null,
  next: { kind: "segment", title: changes.next ?? "What the tide brought in", synthetic: null },
  factualMode: null,
  listenerLabel: "a listener",
  updatedAt: new Date().toISOString()
})
