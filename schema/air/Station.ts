import { Schema } from "effect"
import { ItemKind, Sample } from "./Air.ts"
import { Synthetic, SyntheticMark } from "../Synthetic.ts"

/** Author of the item; null for the station's own. */
export const Owner = Schema.Struct({
  handle: Schema.String,
  displayName: Schema.String,
  avatarUrl: Schema.NullOr(Schema.String)
})

const Timestamp = Schema.String

/** The item on the air and the next one. */
export const NowPlaying = Schema.Struct({
  item: Schema.Struct({
    id: Schema.NullOr(Schema.String),
    kind: ItemKind,
    startedAt: Timestamp,
    endsAt: Schema.NullOr(Timestamp),
    durationSec: Schema.NullOr(Schema.Finite),
    positionSec: Schema.Finite,
    airSample: Sample,
    synthetic: Synthetic
  }),
  segment: Schema.NullOr(
    Schema.Struct({
      id: Schema.String,
      title: Schema.String,
      category: Schema.String,
      owner: Schema.NullOr(Owner),
      show: Schema.NullOr(Schema.Struct({ slug: Schema.String, title: Schema.String }))
    })
  ),
  track: Schema.NullOr(
    Schema.Struct({
      id: Schema.NullOr(Schema.String),
      title: Schema.String,
      artist: Schema.NullOr(Schema.String),
      /** The station composed it: its artist is no band. */
      madeByStation: Schema.Boolean,
      genre: Schema.NullOr(Schema.String),
      coverUrl: Schema.NullOr(Schema.String),
      isInstrumental: Schema.Boolean
    })
  ),
  script: Schema.NullOr(Schema.String),
  displayText: Schema.NullOr(Schema.String),
  lyrics: Schema.NullOr(Schema.String),
  analysis: Schema.NullOr(
    Schema.Struct({
      confidence: Schema.Finite,
      summary: Schema.String,
      mood: Schema.NullOr(Schema.String),
      bpm: Schema.NullOr(Schema.Finite)
    })
  ),
  captionsUrl: Schema.NullOr(Schema.String),
  next: Schema.NullOr(Schema.Struct({ kind: ItemKind, title: Schema.String, synthetic: Synthetic })),
  factualMode: Schema.NullOr(Schema.Literals(["factual", "opinion", "fiction", "simulation"])),
  listenerLabel: Schema.String,
  updatedAt: Timestamp
})
export type NowPlaying = typeof NowPlaying.Type

/** State of the queue in figures only, without titles or ids. */
export const QueueHealth = Schema.Struct({
  health: Schema.Literals(["healthy", "low", "empty"]),
  depthItems: Schema.Int,
  depthSec: Schema.Finite,
  nextItemAt: Schema.NullOr(Timestamp),
  byKind: Schema.Struct({
    segment: Schema.Int,
    music: Schema.Int,
    station_id: Schema.Int,
    filler: Schema.Int,
    other: Schema.Int
  }),
  pendingReview: Schema.Int,
  oldestWaitingSec: Schema.NullOr(Schema.Finite),
  updatedAt: Timestamp
})
export type QueueHealth = typeof QueueHealth.Type

/** State of the stream as the probe measures it. */
export const StreamHealth = Schema.Struct({
  status: Schema.Literals(["healthy", "degraded", "emergency", "off"]),
  provider: Schema.Literal("longwave"),
  encoder: Schema.Struct({ running: Schema.Boolean, restarts24h: Schema.Int, uptimeSec: Schema.Finite }),
  outputs: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      status: Schema.Literals(["up", "down"]),
      bitrateKbps: Schema.Int,
      lastPartAt: Schema.NullOr(Timestamp),
      lagMs: Schema.NullOr(Schema.Int)
    })
  ),
  probe: Schema.Struct({
    silent: Schema.Boolean,
    lastCheckedAt: Schema.NullOr(Timestamp),
    loudnessLufs: Schema.NullOr(Schema.Finite)
  }),
  emergency: Schema.Boolean,
  updatedAt: Timestamp
})
export type StreamHealth = typeof StreamHealth.Type

export const ListenerCounts = Schema.Struct({ hls: Schema.Int, mp3: Schema.Int, total: Schema.Int })
export type ListenerCounts = typeof ListenerCounts.Type

export const CurrentBlock = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  startsAt: Timestamp,
  endsAt: Timestamp
})

/** State of the station itself. */
export const StationView = Schema.Struct({
  slug: Schema.String,
  id: Schema.String,
  name: Schema.String,
  tagline: Schema.String,
  timezone: Schema.String,
  clock: Schema.Struct({
    now: Timestamp,
    epochMs: Schema.Int,
    sample: Sample,
    driftMs: Schema.Finite,
    localTime: Schema.String
  }),
  onAir: Schema.Boolean,
  listenerCount: Schema.Int,
  listeners: ListenerCounts,
  streamUrl: Schema.String,
  streams: Schema.Struct({ hls: Schema.String, mp3: Schema.String }),
  streamHealth: Schema.Literals(["healthy", "degraded", "emergency", "off"]),
  currentBlock: Schema.NullOr(CurrentBlock),
  emergency: Schema.Boolean,
  /** Ways in which a person can sign in; empty while none is set up. */
  signIn: Schema.Array(Schema.Literals(["provider", "mail"])),
  /** Mark of the station as a whole; each sound has its own. */
  synthetic: SyntheticMark,
  policy: Schema.Struct({ queueMode: Schema.Literal("first_air_then_free"), scriptCoupling: Schema.Boolean }),
  version: Schema.String,
  updatedAt: Timestamp
})
export type StationView = typeof StationView.Type

/** One airing as shown in public. */
export const HistoryItem = Schema.Struct({
  id: Schema.String,
  kind: ItemKind,
  title: Schema.String,
  owner: Schema.NullOr(Owner),
  show: Schema.NullOr(Schema.Struct({ slug: Schema.String, title: Schema.String })),
  track: Schema.NullOr(
    Schema.Struct({
      id: Schema.NullOr(Schema.String),
      title: Schema.String,
      artist: Schema.NullOr(Schema.String),
      madeByStation: Schema.Boolean
    })
  ),
  copy: Schema.NullOr(Schema.String),
  copyKind: Schema.Literals(["transcript", "script", "title"]),
  startedAt: Timestamp,
  endedAt: Timestamp,
  airedAt: Timestamp,
  durationSec: Schema.Finite,
  airedCompletely: Schema.Boolean,
  factualMode: Schema.NullOr(Schema.Literals(["factual", "opinion", "fiction", "simulation"])),
  performanceDisclaimer: Schema.NullOr(Schema.String),
  listenerLabel: Schema.String,
  synthetic: Synthetic,
  segmentId: Schema.NullOr(Schema.String),
  asRunId: Schema.String
})
export type HistoryItem = typeof HistoryItem.Type

/** Stream addresses, in order of preference. */
export const PlaybackSources = Schema.Struct({
  version: Schema.Literal(1),
  sources: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      order: Schema.Int,
      type: Schema.Literals(["hls", "mp3"]),
      url: Schema.String,
      mimeType: Schema.String,
      bitrateKbps: Schema.Int,
      lowLatency: Schema.Boolean
    })
  ),
  fallbackAfterFailures: Schema.Int,
  generatedAt: Timestamp
})
export type PlaybackSources = typeof PlaybackSources.Type
