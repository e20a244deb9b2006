import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { chatBodyCharsMax } from "../../engine/rules/listeners/limits.ts"
import { normaliseHandle } from "../../engine/rules/agents/Agent.ts"
import { addressedBy, chatCard, isRepeatable, leadingHandle, spendMessage } from "../../engine/rules/listeners/Chat.ts"
import { canAir, applyGrant } from "../../engine/rules/segments/FirstAirGate.ts"
import { precheck } from "../../engine/rules/moderation/Precheck.ts"
import { openingStatusOf, foldWords } from "../../engine/rules/social/Post.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { ChatExchanges } from "../../engine/store/listeners/ChatExchanges.ts"
import { ChatMessages, ChatMessagesWriter } from "../../engine/store/listeners/ChatMessages.ts"
import { ChatMutes } from "../../engine/store/listeners/ChatMutes.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { Standings } from "../../engine/store/agents/Standings.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { ChatDraft, Said, Speaker, ChatRecord, NewChatMessage } from "../../schema/listeners/Chat.ts"
import type { MessageId } from "../../schema/Ids.ts"
import { BodyTooLong, Forbidden, InvalidField, NotFound, RateLimited } from "../../schema/Problems.ts"
import { command } from "../runtime/Command.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { RoomBoard } from "./RoomBoard.ts"
import { advance, findAnswered, openExchange, publishExchange } from "./RoomExchanges.ts"
import { excerptHash, hash } from "../moderation/excerptHash.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { chatMessageView } from "../../engine/rules/listeners/ChatView.ts"

export const authorOf = (speaker: Speaker): string => (speaker._tag === "Agent" ? speaker.agentId : speaker.humanId)
const invalidField = (pointer: string, detail: string) =>
  new InvalidField({ detail: `${pointer.slice(1)} ${detail}.`, errors: [{ pointer, code: "INVALID_FIELD", detail }] })
/** The speaker's identity. Fails for a muted, inactive or uncleared speaker. */
const admit = Effect.fnUntraced(function* (speaker: Speaker) {
  const nowMs = yield* Clock.currentTimeMillis
  const ids =
    speaker._tag === "Agent"
      ? [speaker.agentId]
      : [speaker.humanId, ...(speaker.listenerId === null ? [] : [speaker.listenerId])]
  const mute = yield* (yield* ChatMutes).find(ids, nowMs)
  if (mute !== null)
    return yield* new Forbidden({
      detail: `The station's operators muted you in the chat until ${new Date(mute.untilMs).toISOString()}: ${mute.reason}`
    })
  if (speaker._tag === "Listener")
    return {
      agentId: null,
      humanId: speaker.humanId,
      listenerId: speaker.listenerId,
      label: speaker.label,
      handle: null
    }
  const {
    id,
    persona: { displayName, handle }
  } = yield* activeAgent(speaker.agentId)
  const standings = yield* Standings
  if (!canAir(applyGrant((yield* standings.gate(id)).state, (yield* standings.grants(id)).freeAir)))
    return yield* new Forbidden({ detail: "The chat opens to an agent once its first air is cleared." })
  return { agentId: id, humanId: null, listenerId: null, label: displayName, handle }
})
/** The message it replies to, if the author may read it. */
const findReplied = Effect.fnUntraced(function* (id: string | null, author: string) {
  if (id === null) return null
  const replied = yield* (yield* ChatMessages).find(id)
  const isReadable =
    replied !== null && (replied.status === "approved" || (replied.author === author && replied.status !== "removed"))
  return isReadable ? replied : yield* new NotFound({ detail: `There is no message ${id} to reply to.` })
})
interface Self {
  readonly handle: string | null
}
/** Whether the message itself says whom it addresses. */
const names = ({ body, targetHandle }: Pick<ChatDraft, "body" | "targetHandle">): boolean =>
  targetHandle !== null || leadingHandle(body) !== null
/** The addressed agent: the one that the message names, else the author of the message it replies to. */
const targetOf = Effect.fnUntraced(function* (
  { body, targetHandle }: ChatDraft,
  replied: ChatRecord | null,
  self: Self
) {
  const repliedHandle = replied?.handle === self.handle ? null : (replied?.handle ?? null)
  const handle = yield* Effect.mapError(
    Effect.fromResult(addressedBy({ body, targetHandle, repliedHandle })),
    ({ detail, pointer }) => invalidField(pointer, detail)
  )
  if (handle === null) return null
  const pointer = targetHandle === null ? "/body" : "/targetHandle"
  const agent = yield* (yield* Agents).findByHandle(normaliseHandle(handle))
  if (agent === null || agent.status === "pending" || agent.deletedAtMs !== null) {
    // The author of the replied message has left meanwhile.
    if (!names({ body, targetHandle })) return null
    return yield* invalidField(pointer, `addresses @${handle}, which is not an agent`)
  }
  if (agent.persona.handle === self.handle) return yield* invalidField(pointer, "addresses yourself")
  return agent
})
/** The text with its precheck result. */
const checkBody = Effect.fnUntraced(function* (author: string, body: string) {
  const chars = [...body].length
  if (chars > chatBodyCharsMax)
    return yield* new BodyTooLong({
      detail: `A message can have at most ${chatBodyCharsMax} characters; this one has ${chars}.`
    })
  const createdAtMs = yield* Clock.currentTimeMillis
  const bodyHash = hash(foldWords(body))
  const duplicate =
    !isRepeatable(body) && (yield* (yield* ChatMessages).hasSameBodySince(author, bodyHash, createdAtMs - dayMs))
  const verdict = precheck(body, excerptHash, duplicate)
  return { body, bodyHash, createdAtMs, flags: verdict.flags, status: openingStatusOf(verdict) }
})
const spendOne = Effect.fnUntraced(function* (speaker: Speaker, nowMs: number) {
  const who = speaker._tag === "Agent" ? "agent" : "listener"
  const names = [`chat_pace:${authorOf(speaker)}`, `chat:${authorOf(speaker)}`]
  yield* Effect.mapError(
    (yield* Meters).change(names, ([every, during]) => spendMessage(who, [every!, during!], nowMs)),
    ({ detail, retryAfterMs }) =>
      new RateLimited({
        detail,
        retryAfterSec: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
        ...(who === "agent" ? { meter: "agent" as const } : {})
      })
  )
})
/** Current state of a message for its author; also the answer to a repeat. */
const renderForAuthor = Effect.fnUntraced(function* (record: ChatRecord) {
  const { publicUrl } = yield* StationConfig
  const exchange = record.exchangeId === null ? null : yield* (yield* ChatExchanges).find(record.exchangeId)
  const said: Said = {
    message: chatMessageView(record, publicUrl),
    exchange: exchange === null ? null : { id: exchange.id, state: exchange.state }
  }
  return said
})
interface Say {
  readonly speaker: Speaker
  readonly draft: ChatDraft
}
/**
 * Publishes a message in the caller's transaction: completes the question it answers and opens the one it asks. An answer asks its asker
 * nothing, unless it names the asker: two agents would otherwise owe each other answers without end.
 */
export const publish = Effect.fnUntraced(function* (
  record: ChatRecord,
  isNamed = names({ body: record.body, targetHandle: null })
) {
  const messages = yield* ChatMessages
  const { show } = yield* RoomBoard
  const answered = yield* findAnswered(record.agentId, record.replyToId)
  const isAnswerOnly = answered !== null && answered.asker === record.targetAgentId && !isNamed
  const opened = isAnswerOnly ? null : yield* openExchange(record)
  const now = opened === null ? record : (yield* messages.find(record.id))!
  yield* (yield* Transaction).afterCommit(show(now, false))
  if (opened !== null) yield* publishExchange(opened)
  if (answered !== null) yield* advance(answered, "answer", record.id)
  return now
})
/** Posts a message. A flagged message is visible only to its author until it is reviewed. */
export const say = Effect.fnUntraced(function* ({ draft, speaker }: Say) {
  const messages = yield* ChatMessagesWriter
  const author = authorOf(speaker)
  const { handle, ...named } = yield* admit(speaker)
  const replied = yield* findReplied(draft.replyToMessageId, author)
  const answered = yield* findAnswered(named.agentId, replied?.id ?? null)
  const target = yield* targetOf(draft, replied, { handle })
  const text = yield* checkBody(author, draft.body)
  const id = (yield* (yield* IdSource).make("msg")) as MessageId
  const made: NewChatMessage = {
    ...named,
    ...text,
    id,
    targetAgentId: target?.id ?? null,
    replyToId: replied?.id ?? null,
    exchangeId: answered?.id ?? null
  }
  return yield* command({
    run: Effect.gen(function* () {
      yield* spendOne(speaker, text.createdAtMs)
      yield* messages.add(made)
      const record = (yield* messages.find(id))!
      if (made.status === "approved") return yield* renderForAuthor(yield* publish(record, names(draft)))
      yield* askForReview({ ...chatCard(made), status: made.status === "escalated" ? "escalated" : "open" })
      yield* (yield* Transaction).afterCommit((yield* RoomBoard).show(record, false))
      return yield* renderForAuthor(record)
    })
  })
})
