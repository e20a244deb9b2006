import { Effect, Clock } from "effect"
import { HumanAgentsWriter } from "../../engine/store/people/HumanAgents.ts"
import { Humans, HumansWriter } from "../../engine/store/people/Humans.ts"
import { Human } from "../../schema/people/Human.ts"
import type { HumanId } from "../../schema/Ids.ts"
import { NotFound, HandleTaken, AgentNotFound } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { erasePerson } from "./Erasure.ts"
import { statelessLayer } from "../runtime/statelessLayer.ts"
import { Account } from "./protocol/Account.ts"
import { agentLinksPerDay, agentLinkHours } from "../../engine/rules/people/limits.ts"
import type { AccountPatch, KeyProvider } from "../../schema/people/Account.ts"
import { refuseFlagged } from "../moderation/TextChecks.ts"
import { findFlaggedFields, applyPatch } from "../../engine/rules/people/HumanProfile.ts"
import { excerptHash } from "../moderation/excerptHash.ts"
import { HumanKeysWriter } from "../../engine/store/people/HumanKeys.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { spendAllowance } from "../runtime/spendAllowance.ts"
import { OwnerAddresses } from "../../engine/store/agents/OwnerAddresses.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { randomCode, sha256 } from "../../engine/runtime/Secrets.ts"
import { HumanSessionsWriter } from "../../engine/store/people/HumanSessions.ts"
import { mail } from "../operations/inTransaction.ts"
import { voidListenerTokens } from "../listeners/inTransaction.ts"

interface Asked<A> {
  readonly payload: A
}

const gone = new NotFound({ detail: "This account is gone." })

const allowance = { name: "agent_links", perDay: agentLinksPerDay } as const

const ofAgent = { name: "agent_link_letters", perDay: 2 } as const

const requireHuman = Effect.fnUntraced(function* (humanId: HumanId) {
  return (yield* (yield* Humans).find(humanId)) ?? (yield* gone)
})

const describe = Effect.fnUntraced(function* (humanId: HumanId, patch: AccountPatch) {
  const before = yield* requireHuman(humanId)
  yield* refuseFlagged(
    "Nothing was changed: this text is not allowed in a profile.",
    findFlaggedFields(patch, excerptHash)
  )
  const after = Human.make({ ...before, ...applyPatch(before, patch) })
  if (!(yield* (yield* HumansWriter).describe(humanId, after)))
    return yield* new HandleTaken({ detail: `The address ${after.slug} is taken. Choose another.` })
  return after
})

const storeKey = Effect.fnUntraced(function* (humanId: HumanId, provider: KeyProvider, key: string) {
  yield* requireHuman(humanId)
  const storedAtMs = yield* Clock.currentTimeMillis
  // Four characters would reveal too much of a short key.
  const hint = key.length < 20 ? "" : key.slice(-4)
  yield* (yield* HumanKeysWriter).put(humanId, {
    provider,
    hint,
    storedAtMs,
    keySealed: (yield* Keys).seal(key, `provider-key:${humanId}:${provider}`)
  })
  return { provider, masked: `…${hint}`, storedAt: new Date(storedAtMs).toISOString() }
})

const letter = (stationName: string, asker: string, handle: string, url: string) => ({
  subject: `${stationName}: does @${handle} belong to ${asker}?`,
  text: `Somebody with an account at ${stationName}, who goes by the name "${asker}", says that @${handle} is theirs too. This address owns the agent.\n\nIs that you? Sign in with that account, open this link and confirm:\n${url}\n\nIt is valid for ${agentLinkHours} hours. If it isn't you, do nothing: the agent stays as it is.\n`
})

const askForAgent = Effect.fnUntraced(function* (humanId: HumanId, handle: string) {
  const human = yield* requireHuman(humanId)
  const agent = yield* (yield* Agents).findByHandle(handle.replace(/^@/, "").toLowerCase())
  if (agent === null || agent.status === "pending" || agent.deletedAtMs !== null || agent.ownerEmailHash === null)
    return yield* new AgentNotFound({ detail: `No claimed agent @${handle.replace(/^@/, "")}.` })
  const { ownerEmailHash } = agent
  const nowMs = yield* Clock.currentTimeMillis
  const expiresAtMs = nowMs + agentLinkHours * 3_600_000
  const { publicUrl, stationName } = yield* StationConfig
  return yield* command({
    by: humanId,
    allowances: [allowance],
    meter: "listener",
    run: Effect.gen(function* () {
      yield* spendAllowance(ofAgent, agent.id, "listener")
      const sealed = (yield* (yield* OwnerAddresses).findSealed([agent.id])).get(agent.id)
      if (sealed === undefined) return
      const proof = randomCode("", 32)
      yield* (yield* HumanAgentsWriter).ask(
        { agentId: agent.id, humanId, secretSha256: sha256(proof), ownerEmailHash, expiresAtMs },
        nowMs
      )
      const words = letter(stationName, human.displayName, agent.persona.handle, `${publicUrl}/account/agents/${proof}`)
      yield* mail({ kind: "agent_link", to: (yield* Keys).open(sealed, agent.id), ...words }, expiresAtMs)
    }),
    view: () => ({ agentId: agent.id, handle: agent.persona.handle, expiresAt: new Date(expiresAtMs).toISOString() })
  })
})

/** Links an agent. Needs both the mailed proof and the session of the account that asked. */
const confirmAgent = Effect.fnUntraced(function* (humanId: HumanId, proof: string) {
  const humanAgents = yield* HumanAgentsWriter
  const nowMs = yield* Clock.currentTimeMillis
  const request = yield* humanAgents.find(sha256(proof), nowMs)
  if (request === null || request.humanId !== humanId)
    return yield* new NotFound({
      detail: "This link has expired, was replaced by a newer one, or was asked for by another account."
    })
  yield* humanAgents.link(humanId, request.agentId, nowMs)
  return request.handle
})

const failIfGone = (done: Effect.Effect<boolean, never, never>, detail: string) =>
  Effect.flatMap(done, (was) => (was ? Effect.void : Effect.fail(new NotFound({ detail }))))

const signOutEverywhere = Effect.fnUntraced(function* (humanId: HumanId) {
  yield* voidListenerTokens(humanId)
  return yield* (yield* HumanSessionsWriter).closeAll(humanId)
})

/** Handlers of a person's own account. */
export const accountOwn = (humanId: HumanId) => ({
  Describe: ({ payload: { patch } }: Asked<{ readonly patch: AccountPatch }>) =>
    command({ run: describe(humanId, patch) }),
  StoreKey: ({ payload: { key, provider } }: Asked<{ readonly provider: KeyProvider; readonly key: string }>) =>
    command({ run: storeKey(humanId, provider, key) }),
  DropKey: ({ payload: { provider } }: Asked<{ readonly provider: KeyProvider }>) =>
    command({
      run: Effect.flatMap(HumanKeysWriter, (keys) =>
        failIfGone(keys.drop(humanId, provider), `There is no key for ${provider}.`)
      )
    }),
  EndSession: ({ payload: { sessionId } }: Asked<{ readonly sessionId: string }>) =>
    command({
      run: Effect.flatMap(HumanSessionsWriter, (sessions) =>
        failIfGone(sessions.close(humanId, sessionId), `There is no session ${sessionId}.`)
      )
    }),
  RenewSession: ({
    payload: { atMs, expiresAtMs, sessionId }
  }: Asked<{ readonly sessionId: string; readonly expiresAtMs: number; readonly atMs: number }>) =>
    Effect.flatMap(HumanSessionsWriter, (sessions) => sessions.renew(sessionId, expiresAtMs, atMs)),
  EndSessions: () => command({ run: signOutEverywhere(humanId) }),
  AskForAgent: ({ payload: { handle } }: Asked<{ readonly handle: string }>) => askForAgent(humanId, handle),
  ConfirmAgent: ({ payload: { proof } }: Asked<{ readonly proof: string }>) =>
    command({ run: confirmAgent(humanId, proof) }),
  ReleaseAgent: ({ payload: { agentId } }: Asked<{ readonly agentId: string }>) =>
    command({
      run: Effect.flatMap(HumanAgentsWriter, (agents) =>
        failIfGone(
          agents.unlink(humanId, agentId),
          `${agentId} was not linked by mail. An agent with your own address can't be released.`
        )
      )
    }),
  Leave: () => command({ run: Effect.andThen(requireHuman(humanId), erasePerson(humanId)) })
})

/** Audit view of a person, without personal data, because the log outlives the person. */
const auditViewOf = ({ blockedReason, emailHash, published }: Human) => ({
  published,
  linked: emailHash !== null,
  blockedReason
})
const actOf = ({ actor, reason }: Act): Act => ({ actor, reason })
export const AccountLive = statelessLayer(
  Account,
  Effect.map(Effect.all([HumansWriter, HumanAgentsWriter]), ([humans, agents]) => (humanId: HumanId) => {
    const subject = { type: "user", id: humanId }
    const found = Effect.flatMap(humans.find(humanId), (human) =>
      human === null ? Effect.fail(new NotFound({ detail: `There is no user ${humanId}.` })) : Effect.succeed(human)
    )

    return Account.of({
      ...accountOwn(humanId),
      Moderate: ({ payload }) =>
        command({
          run: Effect.gen(function* () {
            const before = yield* found
            const after = Human.make({
              ...before,
              published: payload.published ?? before.published,
              emailHash: payload.unlink ? null : before.emailHash,
              blockedReason: payload.blocked === null ? before.blockedReason : payload.blocked ? payload.reason : null
            })
            if (payload.unlink) yield* agents.unlinkAll(humanId)
            if (JSON.stringify(auditViewOf(before)) === JSON.stringify(auditViewOf(after))) return after
            yield* humans.change(humanId, after)
            yield* record(actOf(payload), "user.change", subject, auditViewOf(before), auditViewOf(after))
            return after
          })
        }),
      Erase: ({ payload }) =>
        command({
          run: Effect.gen(function* () {
            const human = yield* found
            yield* erasePerson(humanId)
            yield* record(actOf(payload), "user.erase", subject, auditViewOf(human), null)
            return human
          })
        })
    })
  })
)
