import { Schema } from "effect"
import type { SpeechEngineState } from "../voices/Speech.ts"
import type { ActorNode, ProcessFigures, StandbyFigures } from "../ActorTree.ts"
import type { AirStatus } from "./Air.ts"
import type { ChatAgent, ChatMessage, ChatPage, OpenExchange } from "../listeners/Chat.ts"
import { SongRequestId } from "../Ids.ts"
import { Alert } from "../operations/Alert.ts"
import type { OperatorRole } from "../operations/Operator.ts"
import type { Progress } from "../operations/Progress.ts"
import { RundownLine } from "./Rundown.ts"
import type { MusicProviderState } from "../music/MusicProvider.ts"
import { Forecast } from "../music/SongRequest.ts"
import { CurrentBlock, ListenerCounts, NowPlaying, QueueHealth, StreamHealth } from "./Station.ts"

/** State published by the actors. Reads use these snapshots and never wait in a mailbox. */
export interface Snapshots {
  readonly nowPlaying: NowPlaying
  readonly queue: QueueHealth
  readonly streamHealth: StreamHealth
  readonly listeners: ListenerCounts
  readonly currentBlock: typeof CurrentBlock.Type
  readonly nextBlock: typeof CurrentBlock.Type
  /** The latest public chat messages, newest first. */
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
  /** Expected times of song requests without a place. */
  readonly songForecasts: ReadonlyMap<SongRequestId, Forecast>
  /** Number of overdue reviews at the last alert of the operators. */
  readonly lateReviews: number
  /** How far the house's own programme is, once a piece of it was made in this run. */
  readonly houseProgress: { readonly done: number; readonly total: number; readonly name: string }
  /** What takes long in this process, by a number of its own. */
  readonly underWay: ReadonlyMap<number, Progress>
  /** Whether the store answers. */
  readonly store: boolean
  /** The speech engines and their health. */
  readonly speechEngines: ReadonlyArray<SpeechEngineState>
  /** The configured providers of music and their health. */
  readonly musicProviders: ReadonlyArray<MusicProviderState>
  readonly actors: ReadonlyArray<ActorNode>
  /** Actors of the other processes of the station. */
  readonly actorsElsewhere: ReadonlyArray<ActorNode>
  /** The processes of a station that runs in several. */
  readonly processes: ReadonlyArray<ProcessFigures>
  /** How this process follows the one that has the air; null while it has the air itself. */
  readonly standby: StandbyFigures | null
  /** Open alerts, newest first. */
  readonly alerts: ReadonlyArray<Alert>
  /** The operators' overview, an `OpsState`. A role gets what it may read. */
  readonly opsBoard: (role: OperatorRole) => object
}

/** The chat. `viewer` is an author, who also sees its own pending messages and its cooldowns. */
export interface ChatBoard {
  /** Returns the same object to all other readers until something changes. */
  readonly page: (viewer: string | null, nowMs: number) => ChatPage
  readonly agents: (viewer: string | null, nowMs: number) => ReadonlyArray<ChatAgent>
  /** Unanswered questions to this agent. */
  readonly listAsked: (agentId: string) => ReadonlyArray<OpenExchange>
}

/** Snapshots of the process that has the air, which the other processes of the station show too, and how they are sent. */
export const sharedSnapshots = {
  nowPlaying: NowPlaying,
  queue: QueueHealth,
  streamHealth: StreamHealth,
  listeners: ListenerCounts,
  currentBlock: CurrentBlock,
  nextBlock: CurrentBlock,
  /** As it is: it holds numbers and texts alone, and parts of it are made without their classes. */
  airStatus: null,
  stationId: Schema.String,
  rundown: Schema.Struct({
    revision: Schema.Int,
    held: Schema.Boolean,
    emergency: Schema.Boolean,
    onAir: Schema.NullOr(RundownLine),
    items: Schema.Array(RundownLine)
  }),
  songForecasts: Schema.ReadonlyMap(SongRequestId, Forecast),
  houseProgress: Schema.Struct({ done: Schema.Int, total: Schema.Int, name: Schema.String }),
  alerts: Schema.Array(Alert)
} as const
export type SharedSnapshot = keyof typeof sharedSnapshots
export const isSharedSnapshot = (name: string): name is SharedSnapshot => Object.hasOwn(sharedSnapshots, name)
