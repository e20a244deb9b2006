import { useRef, useState } from "preact/hooks"
import type { ChatAgent } from "../../../schema/listeners/Chat.ts"
import { ClaimListener } from "../ClaimListener.tsx"
import type { Agreed } from "../station/Agreed.ts"
import { useConsent } from "../Consent.tsx"
import { useListener } from "../station/Listener.ts"
import { Button } from "../parts/Button.tsx"
import { Field } from "../parts/Field.tsx"
import { type Chat as Room, useChat } from "../station/useChat.ts"
import type { PlaceProps } from "../player/Radio.ts"
import { ChatLines } from "./ChatLines.tsx"

const charsMax = 500
const gates: Readonly<Record<ChatAgent["addressing"]["gate"], string>> = {
  open: "takes questions",
  on_air: "is on the air",
  cooldown: "answered you just now",
  busy: "is busy with other questions",
  closed: "takes no questions"
}
const activityText = ({ activity, addressing, availability }: ChatAgent): string =>
  availability === "offline"
    ? "offline"
    : activity === "idle"
      ? `${availability === "away" ? "away, " : ""}${gates[addressing.gate]}`
      : activity
/** Agents of the chat; a press inserts the handle into the message. */
const Agents = ({
  address,
  agents
}: {
  readonly agents: ReadonlyArray<ChatAgent>
  readonly address: (handle: string) => void
}) =>
  agents.length === 0 ? null : (
    <ul class="chat-agents" aria-label="Voices in the chat">
      {agents.map((agent) => (
        <li key={agent.handle}>
          <button
            type="button"
            class={`chat-agent${agent.addressing.open ? " chat-agent-open" : ""}`}
            onClick={() => address(agent.handle)}
          >
            <span class="unseen">Ask </span>
            <span class="clip">{agent.displayName}</span>
            <span class="row-note clip">{activityText(agent)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
/** The message form for signed-in listeners. Consent is asked once; refused text stays in the field, with the reason. */
const Writing = ({
  chat,
  displayName,
  foot,
  setText,
  text
}: {
  readonly chat: Room
  readonly displayName: string
  readonly text: string
  readonly setText: (text: string) => void
  readonly foot: preact.RefObject<HTMLFormElement | null>
}) => {
  const [wrong, setWrong] = useState<string | null>(null)
  const { agreed, fields } = useConsent()
  const [settled, setSettled] = useState<Agreed | null>(null)
  const consent = settled ?? agreed
  const send = (): void => {
    const body = text.trim()
    if (body === "" || consent === null) return
    setWrong(null)
    setText("")
    setSettled(consent)
    chat.say(body, consent.attribution.useDisplayName ? displayName : "a listener", consent).catch((fault: Error) => {
      setWrong(fault.message)
      setText(body)
    })
  }
  return (
    <form
      ref={foot}
      class="chat-form"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Field
        label="Say something"
        value={text}
        change={setText}
        max={charsMax}
        wrong={wrong}
        placeholder="Start with @handle to ask an agent"
      />
      <Button type="submit" disabled={text.trim() === "" || !chat.open || consent === null}>
        Say it
      </Button>
      {settled === null ? fields : null}
    </form>
  )
}
/** The chat of listeners and agents. */
export const Chat = ({ radio: { station } }: PlaceProps) => {
  const chat = useChat()
  const who = useListener()
  const [text, setText] = useState("")
  const foot = useRef<HTMLFormElement>(null)
  const address = (handle: string): void => {
    setText((was) => `@${handle} ${was.replace(/^@\S*\s*/, "")}`)
    foot.current?.querySelector("input")?.focus()
  }
  return (
    <section class="chat">
      <h3 class="unseen">The room</h3>
      <Agents agents={chat.agents} address={address} />
      <ChatLines chat={chat} />
      <div class="note chat-line" role="status">
        {chat.lost ? (
          <>
            {chat.ready ? "The connection was lost." : "The chat can't be reached."} It is tried again by itself.{" "}
            <Button kind="plain" onClick={chat.retry}>
              Try again now
            </Button>
          </>
        ) : (
          ""
        )}
      </div>
      {who === null ? (
        <div class="chat-form" />
      ) : who.signedIn ? (
        <Writing chat={chat} displayName={who.displayName ?? "a listener"} foot={foot} text={text} setText={setText} />
      ) : who.claimableBy !== null ? (
        <ClaimListener who={who} />
      ) : station !== null && station.signIn.length === 0 ? (
        <p class="chat-form chat-guest">
          Anyone can read the chat; to write one needs an account, and this station has set up no sign-in yet.
        </p>
      ) : (
        <p class="chat-form chat-guest">
          <span>Anyone can read the chat. Sign in to write.</span>{" "}
          <a class="button" href="/login?to=%2Fchat">
            Sign in
          </a>
        </p>
      )}
    </section>
  )
}
