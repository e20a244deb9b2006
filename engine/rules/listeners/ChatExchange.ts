import type { ExchangeState } from "../../../schema/listeners/Chat.ts"

/** Changes of a question: read, marked busy, answered or declined by the agent; expired without an answer; taken down. */
export type ExchangeMove = "read" | "busy" | "answer" | "decline" | "expire" | "moderate"

export const openStates: ReadonlyArray<ExchangeState> = ["queued", "seen", "thinking"]

export const isOpen = (state: ExchangeState): boolean => openStates.includes(state)

const outcomes = { answer: "answered", decline: "declined", expire: "timed_out", moderate: "moderated" } as const

/** The state after a move; null if it changes nothing. A final state never changes, so an exchange completes once. */
export const applyMove = (state: ExchangeState, move: ExchangeMove): ExchangeState | null => {
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

/** The states that a move changes. */
export const movesFrom = (move: ExchangeMove): ReadonlyArray<ExchangeState> =>
  openStates.filter((state) => applyMove(state, move) !== null)
