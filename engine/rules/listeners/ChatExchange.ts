import type { ExchangeState } from "../../../schema/listeners/Chat.ts"

/** What can happen to a question: the agent reads home, says that it is busy, answers, declines; nobody answers; it is taken down. */
export type ExchangeMove = "read" | "busy" | "answer" | "decline" | "expire" | "moderate"

export const openStates: ReadonlyArray<ExchangeState> = ["queued", "seen", "thinking"]

export const isOpen = (state: ExchangeState): boolean => openStates.includes(state)

const outcomes = { answer: "answered", decline: "declined", expire: "timed_out", moderate: "moderated" } as const

/** The state after it; null where it changes nothing. What has come to an end stays there: it is completed once. */
export const moved = (state: ExchangeState, move: ExchangeMove): ExchangeState | null => {
  if (!isOpen(state)) return null
  switch (move) {
    case "read":
      return state === "queued" ? "seen" : null
    case "busy":
      return state === "thinking" ? null : "thinking"
    default:
      return outcomes[move]
  }
}

/** From where a move leads somewhere. */
export const movesFrom = (move: ExchangeMove): ReadonlyArray<ExchangeState> =>
  openStates.filter((state) => moved(state, move) !== null)
