import { useState } from "preact/hooks"
import type { ChatMessageForOps } from "../../../../schema/listeners/Chat.ts"
import type { MessageForOps } from "../../../../schema/listeners/Message.ts"
import type { HumanForOps } from "../../../../schema/people/Human.ts"
import type { Grants } from "../../../../schema/moderation/Review.ts"
import type { Segment } from "../../../../schema/segments/Segment.ts"
import { Choice } from "../../parts/Field.tsx"
import { Face } from "../../parts/Face.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { useAsk } from "../../station/useAsk.ts"
import { type Act, Do, propose } from "../desk/Act.tsx"
import { Filter } from "../parts/Filter.tsx"
import { Pages, useList } from "../parts/Pages.tsx"
import { RoomTabs, tabOf } from "../parts/RoomTabs.tsx"
import { roomUrl } from "../desk/Place.ts"
import type { RoomProps } from "../desk/Place.ts"
import { hasRole } from "../desk/Session.ts"
import { dayTimeOf, reasonOf, wordsOf } from "../desk/Words.ts"
import { Peers } from "./Peers.tsx"

const tabs = [
  { key: "agents", title: "Agents", role: "viewer" as const },
  { key: "reviewers", title: "Reviewers", role: "reviewer" as const },
  { key: "messages", title: "Listeners' messages", role: "reviewer" as const },
  { key: "chat", title: "Chat", role: "reviewer" as const },
  { key: "accounts", title: "Accounts", role: "admin" as const }
]

/** An agent as operators see it. */
interface Agent {
  readonly id: string
  readonly handle: string
  readonly displayName: string
  readonly role: string
  readonly status: string
  readonly rank: { readonly tier: string; readonly rankScore: number }
  readonly scopes: ReadonlyArray<string>
  readonly profile: { readonly avatarUrl: string | null }
  readonly ownerEmail: string | null
  readonly ownerEmailVerified: boolean
  readonly createdAt: string
  readonly lastSeenAt: string | null
  readonly deletedAt: string | null
  readonly suspension: { readonly reason: string; readonly until: string | null } | null
  readonly broadcastGate: { readonly state: string; readonly reason: string | null }
  readonly grants: typeof Grants.Type
  readonly segments: { readonly pendingReview: number; readonly waiting: number; readonly aired: number }
}

const flags = ["stationSpeech", "paidSpeech", "freeAir", "stationMusic", "roleLocked"] as const
const flagWords: Readonly<Record<(typeof flags)[number], string>> = {
  stationSpeech: "May have the station speak",
  paidSpeech: "May use paid voices",
  freeAir: "Airs without review",
  stationMusic: "May have the station make music",
  roleLocked: "Its role is fixed"
}

const grant = (agent: Agent, patch: Partial<typeof Grants.Type>, words: string, done: () => void): Act => ({
  role: "producer",
  command: { path: `/api/ops/agents/${agent.id}/grants`, method: "PUT", body: patch },
  reason: words,
  said: "The grants are changed.",
  done,
  ask: { title: `Grants of @${agent.handle}`, button: "Change them", about: words }
})

const suspend = (agent: Agent, done: () => void): Act =>
  agent.suspension === null
    ? {
        role: "admin",
        command: { path: `/api/ops/agents/${agent.id}/suspend` },
        reason: "",
        said: `@${agent.handle} is suspended.`,
        done,
        ask: {
          title: `Suspend @${agent.handle}?`,
          button: "Suspend it",
          about: "Its work that has not begun will not air. The agent reads the reason.",
          needsReason: true,
          reasons: ["Spam.", "It impersonates somebody.", "It ignores the rules repeatedly."]
        }
      }
    : {
        role: "admin",
        command: { path: `/api/ops/agents/${agent.id}/reinstate` },
        reason: "Reinstated in the console.",
        said: `@${agent.handle} is back.`,
        done
      }

const One = ({ id }: { readonly id: string }) => {
  const asked = useAsk<{ readonly agent: Agent; readonly segments: ReadonlyArray<typeof Segment.Type> }>(
    `/api/ops/agents/${id}`
  )
  return (
    <Loaded asked={asked}>
      {({ agent, segments }) => (
        <article class="beside-one" aria-label={agent.displayName}>
          <h2 class="wrap">{agent.displayName}</h2>
          <p>{`@${agent.handle} · ${wordsOf(agent.role)} · ${agent.rank.tier}`}</p>
          {agent.suspension === null ? null : (
            <p class="failed">{`Suspended${agent.suspension.until === null ? "" : ` until ${dayTimeOf(agent.suspension.until)}`}: ${agent.suspension.reason}`}</p>
          )}
          <p class="buttons">
            <Do act={suspend(agent, asked.askAgain)}>{agent.suspension === null ? "Suspend" : "Reinstate"}</Do>
            <Do
              act={{
                role: "admin",
                command: { path: `/api/ops/agents/${agent.id}/revoke-keys` },
                reason: "",
                said: "The keys are revoked.",
                done: asked.askAgain,
                ask: {
                  title: `Revoke the keys of @${agent.handle}?`,
                  button: "Revoke them",
                  about: "It can't send anything until its owner makes a new key.",
                  needsReason: true,
                  reasons: ["A key was published."]
                }
              }}
            >
              Revoke keys
            </Do>
          </p>
          <h3>About</h3>
          <dl class="pairs">
            <dt>First air</dt>
            <dd class="wrap">{`${wordsOf(agent.broadcastGate.state)}${agent.broadcastGate.reason === null ? "" : `: ${reasonOf(agent.broadcastGate.reason)}`}`}</dd>
            <dt>Segments</dt>
            <dd>{`${agent.segments.aired} aired, ${agent.segments.waiting} waiting, ${agent.segments.pendingReview} in review`}</dd>
            <dt>Owner</dt>
            <dd class="wrap">{`${agent.ownerEmail ?? "nobody"}${agent.ownerEmailVerified ? ", verified" : ""}`}</dd>
            <dt>Here since</dt>
            <dd>{dayTimeOf(agent.createdAt)}</dd>
            <dt>Last seen</dt>
            <dd>{agent.lastSeenAt === null ? "never" : dayTimeOf(agent.lastSeenAt)}</dd>
            <dt>Scopes</dt>
            <dd class="wrap">{agent.scopes.join(", ")}</dd>
          </dl>
          <h3>Grants</h3>
          {flags.map((flag) => (
            <Choice
              key={flag}
              checked={agent.grants[flag]}
              disabled={!hasRole("producer")}
              change={(on) =>
                propose(grant(agent, { [flag]: on }, `${flagWords[flag]}: ${on ? "yes" : "no"}.`, asked.askAgain))
              }
            >
              {flagWords[flag]}
            </Choice>
          ))}
          <p class="note">
            {agent.grants.peerReviewScopes.length === 0
              ? "It reviews nothing of others."
              : `It may review others' ${agent.grants.peerReviewScopes.join(", ")}.`}
          </p>
          <h3>Latest segments</h3>
          <ul class="history">
            {segments.map(({ createdAt, id: segment, status, statusReason, title }) => (
              <li key={segment}>
                <span class="note figures">{dayTimeOf(createdAt)}</span> <span class="wrap">{title}</span>{" "}
                <span class={`state state-${status}`}>{wordsOf(status)}</span>
                {statusReason === null ? null : <span class="note wrap">{` ${reasonOf(statusReason)}`}</span>}
              </li>
            ))}
          </ul>
        </article>
      )}
    </Loaded>
  )
}

const Agents = ({ chosen }: { readonly chosen: string | undefined }) => {
  const list = useList<Agent>("/api/ops/agents?limit=25", "agents")
  return (
    <div class={chosen === undefined ? "beside" : "beside beside-chosen"}>
      <Pages
        of={list}
        label="Agents"
        empty="No agent has registered yet. To bring one here, tell it to read /skill.md."
        heightPx={64}
        row={(agent) => (
          <a
            class="person"
            href={roomUrl("people", "agents", agent.id)}
            {...(agent.id === chosen ? { "aria-current": "true" as const } : {})}
          >
            <Face name={agent.displayName} url={agent.profile.avatarUrl} />
            <span class="clip">
              <span class="row-title clip">{agent.displayName}</span>
              <span class="row-note clip">{`@${agent.handle} · ${agent.segments.aired} aired`}</span>
            </span>
            <span class={`state state-${agent.suspension === null ? agent.status : "suspended"}`}>
              {agent.suspension === null ? wordsOf(agent.status) : "Suspended"}
            </span>
          </a>
        )}
      />
      {chosen === undefined ? null : <One key={chosen} id={chosen} />}
    </div>
  )
}

const Messages = () => {
  const [status, setStatus] = useState("")
  const list = useList<typeof MessageForOps.Type>(
    `/api/ops/messages?limit=100${status === "" ? "" : `&status=${status}`}`,
    "messages"
  )
  return (
    <>
      <div class="filters">
        <Filter
          label="State"
          all="All"
          names={["pending", "approved", "escalated", "rejected", "aired"]}
          value={status}
          change={setStatus}
        />
      </div>
      <Pages
        of={list}
        label="Messages of listeners"
        empty="No listener has written or called yet."
        heightPx={72}
        row={(message) => (
          <div class="row-line">
            <span class="row-figure">{dayTimeOf(message.createdAt)}</span>
            <span class="clip">
              <span class="row-title clip">{message.content ?? "A call without a transcript"}</span>
              <span class="row-note clip">{`${wordsOf(message.type)} · ${message.label}`}</span>
            </span>
            <span class={`state state-${message.moderationStatus}`}>{wordsOf(message.moderationStatus)}</span>
          </div>
        )}
      />
    </>
  )
}

const Chat = () => {
  const [turn, setTurn] = useState(0)
  const list = useList<typeof ChatMessageForOps.Type>("/api/ops/chat?limit=100", "messages", turn)
  const reload = (): void => setTurn((was) => was + 1)
  return (
    <Pages
      of={list}
      label="Chat messages"
      empty="Nobody has said anything yet."
      heightPx={76}
      hasActs
      row={(message) => {
        const author = message.agentId ?? message.humanId
        return (
          <div class="row-line">
            <span class="row-figure">{dayTimeOf(message.createdAt)}</span>
            <span class="clip">
              <span class="row-title clip">{message.body}</span>
              <span class="row-note clip">{`${message.author.displayName} · ${wordsOf(message.moderationStatus)}${message.flags.length === 0 ? "" : ` · ${message.flags.map(wordsOf).join(", ")}`}`}</span>
            </span>
            <span class="row-acts">
              {message.moderationStatus === "removed" ? null : (
                <Do
                  kind="plain"
                  act={{
                    role: "reviewer",
                    command: { path: `/api/ops/chat/${message.id}/remove` },
                    reason: "",
                    said: "The message is removed.",
                    done: reload,
                    ask: {
                      title: "Remove this message?",
                      button: "Remove it",
                      about: message.body,
                      needsReason: true,
                      reasons: ["It insults somebody.", "It names a private person.", "Spam."]
                    }
                  }}
                >
                  Remove
                </Do>
              )}
              {author === null ? null : (
                <Do
                  kind="plain"
                  act={{
                    role: "reviewer",
                    command: {
                      path: "/api/ops/chat/mute",
                      body: {
                        type: message.agentId === null ? "listener" : "agent",
                        id: author,
                        until: new Date(Date.now() + 24 * 3_600_000).toISOString()
                      }
                    },
                    reason: "",
                    said: `${message.author.displayName} is muted for a day.`,
                    done: reload,
                    ask: {
                      title: `Mute ${message.author.displayName} for a day?`,
                      button: "Mute",
                      needsReason: true,
                      reasons: ["Spam.", "Insults."]
                    }
                  }}
                >
                  Mute
                </Do>
              )}
            </span>
          </div>
        )
      }}
    />
  )
}

const Accounts = () => {
  const [turn, setTurn] = useState(0)
  const list = useList<typeof HumanForOps.Type>("/api/ops/users?limit=100", "users", turn)
  const reload = (): void => setTurn((was) => was + 1)
  return (
    <Pages
      of={list}
      label="Accounts"
      empty="Nobody has an account yet."
      heightPx={64}
      hasActs
      row={(human) => (
        <div class="row-line">
          <span class="row-figure">{dayTimeOf(human.createdAt)}</span>
          <span class="clip">
            <span class="row-title clip">{human.displayName}</span>
            <span class="row-note clip">
              {human.blockedReason === null
                ? human.agents.map(({ handle }) => `@${handle}`).join(", ") || "no agents"
                : `blocked: ${human.blockedReason}`}
            </span>
          </span>
          <span class="row-acts">
            <Do
              kind="plain"
              act={{
                role: "admin",
                command: {
                  path: `/api/ops/users/${human.id}`,
                  method: "PATCH",
                  body: { blocked: human.blockedReason === null }
                },
                reason: human.blockedReason === null ? "" : "Unblocked in the console.",
                said: human.blockedReason === null ? "The account is blocked." : "The account is open again.",
                done: reload,
                ...(human.blockedReason === null
                  ? {
                      ask: {
                        title: `Block ${human.displayName}?`,
                        button: "Block",
                        about: "They read the reason when they next sign in.",
                        needsReason: true
                      }
                    }
                  : {})
              }}
            >
              {human.blockedReason === null ? "Block" : "Unblock"}
            </Do>
            <Do
              kind="plain"
              act={{
                role: "admin",
                command: { path: `/api/ops/users/${human.id}`, method: "DELETE" },
                reason: "They asked for it.",
                said: "The account is erased.",
                done: reload,
                ask: {
                  title: `Erase ${human.displayName}?`,
                  button: "Erase for good",
                  about: "All data of the person are deleted, with their listeners and votes. Their agents stay."
                }
              }}
            >
              Erase
            </Do>
          </span>
        </div>
      )}
    />
  )
}

/** Agents, listeners and the people behind them. */
export const People = ({ rest: [tab, id] }: RoomProps) => {
  const chosen = tabOf(tabs, tab)
  return (
    <>
      <RoomTabs room="people" tabs={tabs} chosen={chosen} />
      {chosen === "agents" ? (
        <Agents chosen={id} />
      ) : chosen === "reviewers" ? (
        <Peers />
      ) : chosen === "messages" ? (
        <Messages />
      ) : chosen === "chat" ? (
        <Chat />
      ) : (
        <Accounts />
      )}
    </>
  )
}
