import { Clock, Context, Effect, Layer, Stream } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { chatCooldownSec, chatPendingKeptMax, chatShown } from "../../engine/rules/listeners/limits.ts"
import { ChatExchanges } from "../../engine/store/listeners/ChatExchanges.ts"
import { ChatMessages } from "../../engine/store/listeners/ChatMessages.ts"
import type { ChatAgent, ChatMessage, OpenExchange, ChatPage, ChatRecord } from "../../schema/listeners/Chat.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { logFailure } from "../runtime/Supervision.ts"
import type { ChatBoard } from "../../schema/air/Snapshots.ts"
import type { EventLog } from "../runtime/EventLog.ts"
import { isOpen } from "../../engine/rules/listeners/ChatExchange.ts"
import { chatMessageView } from "../../engine/rules/listeners/ChatView.ts"

interface Asked {
  readonly asker: string
  readonly handle: string
  readonly atMs: number
}

const withoutBody = (message: ChatMessage): ChatMessage => ({ ...message, body: "", moderationStatus: "removed" })

/** A question as shown on the chat stream. */
export interface ToldExchange extends OpenExchange {
  readonly handle: string
  readonly replyMessageId: string | null
  readonly completedAtMs: number | null
}

/**
 * The current chat. Each change is appended to the stream's log in the same step, so a reader who continues from the page to the stream
 * misses nothing and sees nothing twice.
 */
export class Board implements ChatBoard {
  readonly #log: EventLog
  #messages: ReadonlyArray<ChatMessage> = []
  /** Messages visible only to their author, newest first. */
  #waiting: ReadonlyArray<{ readonly author: string; readonly message: ChatMessage }> = []
  #agents: ReadonlyArray<ChatAgent> = []
  #asked: ReadonlyArray<Asked> = []
  readonly #exchanges = new Map<string, OpenExchange>()
  #page: ChatPage | null = null
  #isBegun = false

  constructor(log: EventLog) {
    this.#log = log
  }

  /** Loads the stored messages and sends readers those that other processes added. */
  begin(
    known: {
      readonly messages: ReadonlyArray<ChatMessage>
      readonly waiting: ReadonlyArray<{ readonly author: string; readonly message: ChatMessage }>
      readonly asked: ReadonlyArray<Asked>
      readonly exchanges: ReadonlyArray<OpenExchange>
    },
    nowMs: number
  ): void {
    if (this.#isBegun) {
      const before = new Set(this.#messages.map(({ id }) => id))
      for (const message of known.messages.toReversed())
        if (!before.has(message.id)) this.#log.append("message", message, nowMs)
    }
    this.#isBegun = true
    this.#messages = known.messages
    this.#waiting = known.waiting
    this.#asked = known.asked
    this.#exchanges.clear()
    for (const exchange of known.exchanges) this.#exchanges.set(exchange.id, exchange)
    this.#page = null
  }

  get messages(): ReadonlyArray<ChatMessage> {
    return this.#messages
  }

  /** Updates a message. Readers who may no longer see it get a removal. */
  show(message: ChatMessage, author: string, wasPublic: boolean, nowMs: number): void {
    const isPublic = message.moderationStatus === "approved"
    this.#messages = this.#messages.filter(({ id }) => id !== message.id)
    this.#waiting = this.#waiting.filter((own) => own.message.id !== message.id)
    if (isPublic)
      this.#messages = [...this.#messages, message].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, chatShown)
    else if (message.moderationStatus !== "removed")
      this.#waiting = [{ author, message }, ...this.#waiting].slice(0, chatPendingKeptMax)
    this.#page = null
    if (isPublic) this.#log.append("message", message, nowMs)
    if (!isPublic && wasPublic) this.#log.append("message", withoutBody(message), nowMs)
    if (!isPublic && message.moderationStatus !== "removed") this.#log.append("message", message, nowMs, author)
  }

  /** Removes messages that are no longer stored because their author was erased. */
  keep(
    stored: {
      readonly messages: ReadonlySet<string>
      readonly waiting: ReadonlySet<string>
      readonly exchanges: ReadonlySet<string>
    },
    nowMs: number
  ): void {
    const gone = this.#messages.filter(({ id }) => !stored.messages.has(id))
    this.#messages = this.#messages.filter(({ id }) => stored.messages.has(id))
    this.#waiting = this.#waiting.filter(
      ({ message }) => stored.waiting.has(message.id) || message.moderationStatus === "rejected"
    )
    for (const id of this.#exchanges.keys()) if (!stored.exchanges.has(id)) this.#exchanges.delete(id)
    this.#page = null
    for (const message of gone) this.#log.append("message", withoutBody(message), nowMs)
  }

  exchange(exchange: ToldExchange, nowMs: number): void {
    const { completedAtMs, handle, id: exchangeId, messageId, replyMessageId, state } = exchange
    if (isOpen(state)) this.#exchanges.set(exchangeId, exchange)
    else this.#exchanges.delete(exchangeId)
    if (state === "queued")
      this.#asked = [
        { asker: exchange.asker, handle, atMs: exchange.openedAtMs },
        ...this.#asked.filter(({ atMs }) => atMs > nowMs - chatCooldownSec * 1_000)
      ]
    const at = new Date(nowMs).toISOString()
    if (state !== "moderated") this.#log.append("response_state", { exchangeId, messageId, handle, state, at }, nowMs)
    if (completedAtMs === null) return
    this.#log.append(
      "exchange_completed",
      {
        exchangeId,
        messageId,
        replyMessageId,
        handle,
        outcome: state,
        completedAt: new Date(completedAtMs).toISOString()
      },
      nowMs
    )
  }

  /** Appended to the stream unless only `lastActiveAt` changed. */
  setAgents(agents: ReadonlyArray<ChatAgent>, nowMs: number): void {
    const shape = (list: ReadonlyArray<ChatAgent>) =>
      JSON.stringify(
        list.map((agent) => ({ ...agent, lastActiveAt: null })).sort((a, b) => (a.handle < b.handle ? -1 : 1))
      )
    const changed = shape(agents) !== shape(this.#agents)
    this.#agents = agents
    this.#page = null
    if (changed) this.#log.append("agents", { chatAgents: agents }, nowMs)
  }

  page(viewer: string | null, nowMs: number): ChatPage {
    const own =
      viewer === null ? [] : this.#waiting.flatMap(({ author, message }) => (author === viewer ? [message] : []))
    const agents = this.agents(viewer, nowMs)
    if (own.length === 0 && agents === this.#agents) return (this.#page ??= this.#pageOf(this.#messages, agents))
    return this.#pageOf([...this.#messages, ...own].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, chatShown), agents)
  }

  agents(viewer: string | null, nowMs: number): ReadonlyArray<ChatAgent> {
    const cooling =
      viewer === null
        ? []
        : this.#asked.filter(({ asker, atMs }) => asker === viewer && nowMs - atMs < chatCooldownSec * 1_000)
    if (cooling.length === 0) return this.#agents
    return this.#agents.map((agent) => {
      const asked = cooling.find(({ handle }) => handle === agent.handle)
      return asked === undefined || !agent.addressing.open
        ? agent
        : {
            ...agent,
            addressing: {
              open: false,
              gate: "cooldown" as const,
              until: new Date(asked.atMs + chatCooldownSec * 1_000).toISOString()
            }
          }
    })
  }

  listAsked(agentId: string): ReadonlyArray<OpenExchange> {
    return [...this.#exchanges.values()].filter((exchange) => exchange.agentId === agentId)
  }

  #pageOf(messages: ReadonlyArray<ChatMessage>, chatAgents: ReadonlyArray<ChatAgent>): ChatPage {
    return { messages, chatAgents, ...(messages.length === chatShown ? { nextCursor: messages.at(-1)!.id } : {}) }
  }
}

/** A change of the board, as the room's process sends it to the others. */
type BoardChange =
  | { readonly _tag: "Keep" }
  | { readonly _tag: "Show"; readonly record: ChatRecord; readonly wasPublic: boolean }
  | { readonly _tag: "Exchange"; readonly exchange: ToldExchange }
  | { readonly _tag: "Agents"; readonly agents: ReadonlyArray<ChatAgent> }

/** The chat board of this process, written by `Room` in any process, read by pages and streams. */
export class RoomBoard extends Context.Service<
  RoomBoard,
  {
    /** Loads the board from the store. */
    readonly begin: Effect.Effect<void>
    /** Removes rows that are no longer stored. */
    readonly keep: Effect.Effect<void>
    readonly show: (message: ChatRecord, wasPublic: boolean) => Effect.Effect<void>
    readonly exchange: (exchange: ToldExchange) => Effect.Effect<void>
    readonly setAgents: (agents: ReadonlyArray<ChatAgent>) => Effect.Effect<void>
  }
>()("longwave/actors/RoomBoard") {
  static readonly layer = Layer.effect(
    RoomBoard,
    Effect.gen(function* () {
      const bus = yield* EventBus
      const exchanges = yield* ChatExchanges
      const messages = yield* ChatMessages
      const { publicUrl } = yield* StationConfig
      const board = new Board(bus.logs.chat)
      const view = (record: ChatRecord) => chatMessageView(record, publicUrl)
      const put = bus.put("chatBoard", board)
      const posted = Effect.suspend(() => Effect.andThen(bus.put("chat", board.messages), put))
      const now = Clock.currentTimeMillis
      const begin = Effect.gen(function* () {
        const nowMs = yield* now
        const page = yield* messages.page(null, { limit: chatShown, cursor: null })
        const waiting = yield* messages.listWaiting(chatPendingKeptMax)
        const open = yield* exchanges.waiting
        const asked = yield* exchanges.listAskersSince(nowMs - chatCooldownSec * 1_000)
        board.begin(
          {
            messages: page!.records.map(view),
            waiting: waiting.map((record) => ({ author: record.author, message: view(record) })),
            asked,
            exchanges: open
          },
          nowMs
        )
        yield* posted
      })
      const keep = Effect.gen(function* () {
        const ids = (rows: ReadonlyArray<{ readonly id: string }>) => new Set(rows.map(({ id }) => id))
        const stored = {
          messages: ids((yield* messages.page(null, { limit: chatShown, cursor: null }))!.records),
          waiting: ids(yield* messages.listWaiting(chatPendingKeptMax)),
          exchanges: ids(yield* exchanges.waiting)
        }
        board.keep(stored, yield* now)
        yield* posted
      })
      const apply = Effect.fnUntraced(function* (change: BoardChange) {
        if (change._tag === "Keep") return yield* keep
        const nowMs = yield* now
        if (change._tag === "Show") {
          board.show(view(change.record), change.record.author, change.wasPublic, nowMs)
          return yield* posted
        }
        if (change._tag === "Exchange") board.exchange(change.exchange, nowMs)
        else board.setAgents(change.agents, nowMs)
        yield* put
      })
      /** Changes the board of this process, and then those of the others. */
      const applyEverywhere = (change: BoardChange) =>
        Effect.andThen(
          apply(change),
          Effect.sync(() => bus.peers.tell({ _tag: "Chat", change }))
        )
      bus.peers.onChat((change) => apply(change as BoardChange))
      yield* Stream.runForEach(bus.events, ({ event }) =>
        event._tag === "ProcessJoined" ? logFailure("chat: the board could not be read again", begin) : Effect.void
      ).pipe(Effect.forkScoped)
      return RoomBoard.of({
        begin,
        keep: applyEverywhere({ _tag: "Keep" }),
        show: (record, wasPublic) => applyEverywhere({ _tag: "Show", record, wasPublic }),
        exchange: (exchange) => applyEverywhere({ _tag: "Exchange", exchange }),
        setAgents: (agents) => applyEverywhere({ _tag: "Agents", agents })
      })
    })
  )
}
