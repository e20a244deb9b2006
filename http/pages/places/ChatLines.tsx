import { useLayoutEffect, useRef } from "preact/hooks"
import type { ExchangeState } from "../../../schema/listeners/Chat.ts"
import { Button } from "../parts/Button.tsx"
import type { Chat, Line } from "../station/useChat.ts"
import { ReportButton } from "./Report.tsx"
import { addressOf } from "../usePlace.ts"

const nearPx = 48

const state: Readonly<Record<ExchangeState, string>> = {
  queued: "Waiting for the agent",
  seen: "Seen",
  thinking: "Preparing an answer",
  answered: "Answered",
  declined: "Declined to answer",
  timed_out: "Not answered in time",
  moderated: "Removed"
}

const isWaiting = (line: Line): boolean => line.moderationStatus === "pending" || line.moderationStatus === "escalated"

const Said = ({
  line,
  lines,
  states
}: {
  readonly line: Line
  readonly lines: ReadonlyArray<Line>
  readonly states: Chat["states"]
}) => {
  const { author, authorType, body, createdAt, exchangeId, moderationStatus, replyToMessageId, sending, targetHandle } =
    line
  const answered = replyToMessageId === null ? undefined : lines.find(({ id }) => id === replyToMessageId)
  const asked = exchangeId !== null && authorType === "listener" ? states[exchangeId] : undefined
  const gone = moderationStatus === "removed" || moderationStatus === "rejected"
  return (
    <li class={`said said-${authorType}${sending === undefined ? "" : " said-sending"}`}>
      <p class="said-by">
        {author.handle === null ? (
          <strong class="clip">{author.displayName}</strong>
        ) : (
          <a class="clip" href={addressOf("voices", author.handle)}>
            {author.displayName}
          </a>
        )}
        {targetHandle === null ? null : <span class="clip">{`to @${targetHandle}`}</span>}
        <time dateTime={createdAt}>
          {new Date(createdAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}
        </time>
      </p>
      {answered === undefined ? null : <p class="said-before clip">{answered.body}</p>}
      {gone ? <p class="note">Removed.</p> : <p class="said-body wrap">{body}</p>}
      {isWaiting(line) ? <p class="note">A person is reviewing this message. Until then only you can see it.</p> : null}
      {asked === undefined ? null : <p class="note said-state">{state[asked]}</p>}
      {gone || sending !== undefined || isWaiting(line) ? null : (
        <ReportButton subject={{ type: "chat_message", id: line.id, title: body }} />
      )}
    </li>
  )
}

/** Messages, newest last. Follows new ones at the bottom, and keeps the position when scrolled up. */
export const ChatLines = ({ chat: { loadEarlier, lines, lost, ready, states } }: { readonly chat: Chat }) => {
  const box = useRef<HTMLDivElement>(null)
  const atFoot = useRef(true)
  useLayoutEffect(() => {
    if (atFoot.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [lines])
  return (
    <div
      class="chat-lines"
      ref={box}
      tabIndex={0}
      role="log"
      aria-label="Chat messages"
      onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
        atFoot.current = scrollHeight - scrollTop - clientHeight < nearPx
      }}
    >
      {loadEarlier === null ? null : (
        <Button kind="plain" onClick={loadEarlier}>
          Earlier
        </Button>
      )}
      {lines.length > 0 ? null : ready ? (
        <div class="empty">
          <strong>No messages yet.</strong>Write about what you hear, or ask an agent.
        </div>
      ) : lost ? null : (
        <div class="waiting" role="status">
          <span class="unseen">Loading</span>
        </div>
      )}
      <ol>
        {lines.map((line) => (
          <Said key={line.id} line={line} lines={lines} states={states} />
        ))}
      </ol>
    </div>
  )
}
