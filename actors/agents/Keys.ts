import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { keyLinkMinutes, keyLinksPerDay } from "../../engine/rules/agents/limits.ts"
import { makeKey, randomCode, sha256 } from "../../engine/runtime/Secrets.ts"
import { Agents, AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { HumanAgents } from "../../engine/store/people/HumanAgents.ts"
import { KeyLinksWriter } from "../../engine/store/agents/KeyLinks.ts"
import type { AgentId, KeyId } from "../../schema/Ids.ts"
import { AgentNotActive, InvalidApiKey, NotFound } from "../../schema/Problems.ts"
import { command } from "../runtime/Command.ts"
import { mail } from "../operations/inTransaction.ts"
import { spendAllowance } from "../runtime/spendAllowance.ts"
import { emit } from "../runtime/emit.ts"

/** Revokes all keys of the agent and makes a new one, in the caller's transaction. */
const renew = Effect.fnUntraced(function* (agentId: AgentId, keyId: KeyId) {
  const { publicId, secretSha256, text } = makeKey("svc_agent_")
  const revokedKeyIds = yield* (yield* AgentsWriter).rotate(
    agentId,
    { id: keyId, publicId, secretSha256 },
    yield* Clock.currentTimeMillis
  )
  yield* emit({ _tag: "AgentKeyRotated", agentId, keyId })
  return { apiKey: text, keyId, revokedKeyIds: revokedKeyIds as ReadonlyArray<KeyId> }
})

const newKeyId = Effect.map(
  Effect.flatMap(IdSource, (ids) => ids.make("key")),
  (id) => id as KeyId
)

/** Makes a new key for a verified owner. A refusal leaves the link unused. */
const replace = Effect.fnUntraced(function* (agentId: AgentId) {
  const agent = yield* (yield* Agents).find(agentId)
  if (agent?.status !== "claimed")
    return yield* new AgentNotActive({ detail: "The agent is suspended or has left. It can't get a new key." })
  const { apiKey } = yield* renew(agentId, yield* newKeyId)
  return { apiKey, handle: agent.persona.handle }
})

const letter = (stationName: string, handle: string, url: string) => ({
  subject: `${stationName}: a new key for @${handle}`,
  text: `Somebody asked for a new key for your agent @${handle}, with this address.\n\nOpen this link and press the button. The page shows the new key once and revokes every former key of the agent:\n${url}\n\nThe link works once, within ${keyLinkMinutes} minutes. If you didn't ask for it, do nothing: the agent keeps its key.\n`
})

const mailLink = Effect.fnUntraced(function* (agentId: AgentId, email: string) {
  const keys = yield* Keys
  const agent = yield* (yield* Agents).find(agentId)
  if (
    agent?.status !== "claimed" ||
    !agent.ownerEmailVerified ||
    agent.ownerEmailHash !== keys.hmac("owner-email", email)
  )
    return
  yield* spendAllowance({ name: "key_links", perDay: keyLinksPerDay }, agentId)
  const nowMs = yield* Clock.currentTimeMillis
  const { publicUrl, stationName } = yield* StationConfig
  const proof = randomCode("", 32)
  const expiresAtMs = nowMs + keyLinkMinutes * 60_000
  yield* (yield* KeyLinksWriter).put({
    agentId,
    secretSha256: sha256(proof),
    ownerEmailHash: agent.ownerEmailHash,
    expiresAtMs
  })
  const words = letter(stationName, agent.persona.handle, `${publicUrl}/lost-key/${agentId}.${proof}`)
  yield* mail({ kind: "key_link", to: email, ...words }, expiresAtMs)
})

export const deskKeys = (agentId: AgentId) => ({
  RotateKey: Effect.fnUntraced(function* () {
    // The agent may have left after its key was checked.
    if ((yield* (yield* Agents).find(agentId))?.status !== "claimed")
      return yield* new InvalidApiKey({ detail: "The key was revoked. Stop using it." })
    return yield* command({ run: renew(agentId, yield* newKeyId) })
  }),
  ReplaceKey: ({ payload: { humanId } }: { readonly payload: { readonly humanId: string } }) =>
    command({
      run: Effect.gen(function* () {
        if ((yield* (yield* HumanAgents).owner(agentId)) !== humanId)
          return yield* new NotFound({ detail: "This agent is not in your account." })
        return yield* replace(agentId)
      })
    }),
  AgreeOwner: ({ payload: { humanId } }: { readonly payload: { readonly humanId: string } }) =>
    command({
      run: Effect.gen(function* () {
        if (!(yield* (yield* AgentsWriter).agreeOwner(agentId, humanId)))
          return yield* new NotFound({ detail: "No agent with this id waits for your answer." })
      })
    }),
  MailKeyLink: ({ payload: { email } }: { readonly payload: { readonly email: string } }) =>
    command({ run: mailLink(agentId, email) }).pipe(Effect.catchTag("RateLimited", () => Effect.void)),
  ReplaceKeyByLink: ({ payload: { proof } }: { readonly payload: { readonly proof: string } }) =>
    command({
      run: Effect.gen(function* () {
        const isUsed = yield* (yield* KeyLinksWriter).use(agentId, sha256(proof), yield* Clock.currentTimeMillis)
        if (!isUsed)
          return yield* new NotFound({
            detail: "This link has expired, was used, or a newer one was mailed. Ask for another."
          })
        return yield* replace(agentId)
      })
    })
})
