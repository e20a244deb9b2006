import { useCallback, useState } from "preact/hooks"
import type { ChatAgent, ChatMessage, ChatPage, ExchangeState, Said } from "../../../schema/listeners/Chat.ts"
import { ask } from "./Ask.ts"
import type { Agreed } from "./Agreed.ts"
import { useEvents } from "./useEvents.ts"

export interface Line extends ChatMessage {
  /** False until the station has answered. */
  readonly sending?: true
}
export interface Chat {
  /** Oldest first. */
  readonly lines: ReadonlyArray<Line>
  readonly agents: ReadonlyArray<ChatAgent>
  /** State of questions, by exchange id. */
  readonly states: Readonly<Record<string, ExchangeState>>
  readonly open: boolean
  /** The connection failed, and is tried again. */
  readonly lost: boolean
  readonly retry: () => void
  readonly ready: boolean
  /** Shows the message at once and replaces it with the answer. Throws the station's refusal. */
  readonly say: (body: string, displayName: string, agreed: Agreed) => Promise<void>
  /** Loads older messages; null at the beginning. */
  readonly loadEarlier: (() => void) | null
}
const names = ["snapshot", "message", "agents", "response_state", "exchange_completed"]
const shownMax = 400
/** Inserts or replaces by id, because changed messages are sent again. */
const placeLine = (lines: ReadonlyArray<Line>, message: Line): ReadonlyArray<Line> => {
  const at = lines.findIndex(({ id }) => id === message.id)
  return at < 0 ? [...lines, message].slice(-shownMax) : lines.with(at, message)
}
interface Answered {
  readonly exchangeId: string
  readonly state?: ExchangeState
  readonly outcome?: ExchangeState
}
/** The live chat. */
export const useChat = (): Chat => {
  const [lines, setLines] = useState<ReadonlyArray<Line>>([])
  const [agents, setAgents] = useState<ReadonlyArray<ChatAgent>>([])
  const [states, setStates] = useState<Chat["states"]>({})
  const [open, setOpen] = useState(false)
  const [lost, setLost] = useState(false)
  const [ready, setReady] = useState(false)
  const [cursor, setCursor] = useState<string | null>(null)
  const retry = useEvents(
    "/api/station/chat/events",
    names,
    (name, data) => {
      if (name === "snapshot") {
        const { chatAgents, messages, nextCursor } = data as ChatPage
        setLines((was) => [...messages.toReversed(), ...was.filter(({ sending }) => sending !== undefined)])
        setAgents(chatAgents)
        setCursor(nextCursor ?? null)
        setReady(true)
      } else if (name === "message") setLines((was) => placeLine(was, data as ChatMessage))
      else if (name === "agents") setAgents((data as Pick<ChatPage, "chatAgents">).chatAgents)
      else {
        const { exchangeId, outcome, state } = data as Answered
        setStates((was) => ({ ...was, [exchangeId]: outcome ?? state! }))
      }
    },
    (isOpen) => {
      setOpen(isOpen)
      setLost(!isOpen)
    }
  )
  const say = useCallback<Chat["say"]>(async (body, displayName, agreed) => {
    const id = `here_${crypto.randomUUID()}`
    const line: Line = {
      id,
      body,
      authorType: "listener",
      author: { handle: null, displayName, avatarUrl: null },
      targetHandle: null,
      replyToMessageId: null,
      exchangeId: null,
      moderationStatus: "approved",
      createdAt: new Date().toISOString(),
      sending: true
    }
    setLines((was) => [...was, line])
    try {
      const { exchange, message } = await ask<Said>("/api/station/chat", { body: { body, ...agreed } })
      setLines((was) =>
        placeLine(
          was.filter((one) => one.id !== id),
          message
        )
      )
      if (exchange !== null) setStates((was) => ({ [exchange.id]: exchange.state, ...was }))
    } catch (fault) {
      setLines((was) => was.filter((one) => one.id !== id))
      throw fault
    }
  }, [])
  const earlier = useCallback(() => {
    if (cursor === null) return
    void ask<ChatPage>(`/api/station/chat?cursor=${encodeURIComponent(cursor)}`).then(
      ({ messages, nextCursor }) => {
        setLines((was) => [...messages.toReversed().filter(({ id }) => !was.some((line) => line.id === id)), ...was])
        setCursor(nextCursor ?? null)
      },
      () => undefined
    )
  }, [cursor])
  return { lines, agents, states, open, lost, retry, ready, say, loadEarlier: cursor === null ? null : earlier }
}
