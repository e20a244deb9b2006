import type { ActorNode } from "./ActorTree.ts"
import type { AirStatus } from "./Air.ts"
import type { ChatMessage } from "./Chat.ts"
import type { SongRequestId } from "./Ids.ts"
import type { RundownLine } from "./Rundown.ts"
import type { Forecast } from "./SongRequest.ts"
import type { CurrentBlock, ListenerCounts, NowPlaying, QueueHealth, StreamHealth } from "./StationView.ts"

/** What the actors publish of how things stand. Reads take these; none waits in a mailbox. */
export interface Snapshots {
  readonly nowPlaying: NowPlaying
  readonly queue: QueueHealth
  readonly streamHealth: StreamHealth
  readonly listeners: ListenerCounts
  readonly currentBlock: typeof CurrentBlock.Type
  readonly nextBlock: typeof CurrentBlock.Type
  /** The last messages of the chat that everybody may read, newest first. */
  readonly chat: ReadonlyArray<ChatMessage>
  readonly airStatus: AirStatus
  readonly stationId: string
  readonly rundown: {
    readonly revision: number
    readonly held: boolean
    readonly emergency: boolean
    readonly onAir: RundownLine | null
    readonly items: ReadonlyArray<RundownLine>
  }
  /** When songs that were asked for, and have no place yet, would come. */
  readonly songForecasts: ReadonlyMap<SongRequestId, Forecast>
  /** Whether the store answers. */
  readonly store: boolean
  readonly actors: ReadonlyArray<ActorNode>
}
