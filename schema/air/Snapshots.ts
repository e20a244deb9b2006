import type { ActorNode } from "../ActorTree.ts"
import type { AirStatus } from "./Air.ts"
import type { ChatAgent, ChatMessage, ChatPage, OpenExchange } from "../listeners/Chat.ts"
import type { SongRequestId } from "../Ids.ts"
import type { RundownLine } from "./Rundown.ts"
import type { Forecast } from "../music/SongRequest.ts"
import type { CurrentBlock, ListenerCounts, NowPlaying, QueueHealth, StreamHealth } from "./Station.ts"

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
  readonly chatBoard: ChatBoard
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
  /** How many reviews were later than promised when operators were last alerted. */
  readonly lateReviews: number
  /** Whether the store answers. */
  readonly store: boolean
  readonly actors: ReadonlyArray<ActorNode>
}

/** The chat as it stands. `viewer` is an author, who also reads its own that waits, and learns whom it may not ask again yet. */
export interface ChatBoard {
  /** The same object for everybody else as long as nothing has changed. */
  readonly page: (viewer: string | null, nowMs: number) => ChatPage
  readonly agents: (viewer: string | null, nowMs: number) => ReadonlyArray<ChatAgent>
  /** What this agent was asked and has not answered. */
  readonly asked: (agentId: string) => ReadonlyArray<OpenExchange>
}
