import { Effect, Clock } from "effect"
import { Entity } from "effect/cluster"
import { HumanAgents } from "../../engine/store/people/HumanAgents.ts"
import { Humans } from "../../engine/store/people/Humans.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { Human } from "../../schema/people/Human.ts"
import type { HumanId } from "../../schema/Ids.ts"
import { NotFound, HandleTaken, AgentNotFound } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { countedAll } from "../runtime/MessageCounters.ts"
import { erasePerson } from "./Erasure.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { Account } from "./protocol/Account.ts"
import { agentLinksPerDay, agentLinkHours } from "../../engine/rules/people/limits.ts"
import type { AccountPatch, KeyProvider } from "../../schema/people/Account.ts"
import { refuseFlagged } from "../moderation/TextChecks.ts"
import { flaggedTexts, described } from "../../engine/rules/people/HumanProfile.ts"
import { excerptHash } from "../moderation/excerptHash.ts"
import { HumanKeys } from "../../engine/store/people/HumanKeys.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { spendAllowance } from "../runtime/spendAllowance.ts"
import { OwnerAddresses } from "../../engine/store/agents/OwnerAddresses.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { randomCode, sha256 } from "../../engine/runtime/Secrets.ts"
import { Listeners } from "../../engine/store/listeners/Listeners.ts"
import { HumanSessions } from "../../engine/store/people/HumanSessions.ts"
import { mail } from "../operations/inTransaction.ts"
import { perform } from "../runtime/perform.ts"

interface Asked<A> {
  readonly payload: A & { readonly dryRun: boolean }
}

const gone = new NotFound({ detail: "This account is gone." })

const allowance = { name: "agent_links", perDay: agentLinksPerDay } as const

const ofAgent = { name: "agent_link_letters", perDay: 2 } as const

const found = Effect.fnUntraced(function* (humanId: HumanId) {
  return (yield* (yield* Humans).find(humanId)) ?? (yield* gone)
})

const describe = Effect.fn("Account.describe")(function* (humanId: HumanId, patch: AccountPatch) {
  const before = yield* found(humanId)
  yield* refuseFlagged("Nothing was changed: this can't stand in a profile.", flaggedTexts(patch, excerptHash))
  const after = Human.make({ ...before, ...described(before, patch) })
  if (!(yield* (yield* Humans).describe(humanId, after)))
    return yield* new HandleTaken({ detail: `The address ${after.slug} is taken. Choose another.` })
  return after
})

const storeKey = Effect.fn("Account.storeKey")(function* (humanId: HumanId, provider: KeyProvider, key: string) {
  yield* found(humanId)
  const storedAtMs = yield* Clock.currentTimeMillis
  // Of a short key even four characters would say much.
  const hint = key.length < 20 ? "" : key.slice(-4)
  yield* (yield* HumanKeys).put(humanId, {
    provider,
    hint,
    storedAtMs,
    keySealed: (yield* Keys).seal(key, `provider-key:${humanId}:${provider}`)
  })
  return { provider, masked: `…${hint}`, storedAt: new Date(storedAtMs).toISOString() }
})

const letter = (stationName: string, asker: string, handle: string, url: string) => ({
  subject: `${stationName}: does @${handle} belong to ${asker}?`,
  text: `Somebody with an account at ${stationName}, who goes by the name "${asker}", says that @${handle} is theirs too. You own it, by this address.\n\nIs that you? Open this where you are signed in with that account, and confirm it there:\n${url}\n\nIt counts for ${agentLinkHours} hours. If it isn't you, do nothing: the agent stays as it is.\n`
})

const askForAgent = Effect.fn("Account.askForAgent")(function* (humanId: HumanId, handle: string, dryRun: boolean) {
  const human = yield* found(humanId)
  const humanAgents = yield* HumanAgents
  const agent = yield* (yield* Agents).findByHandle(handle.replace(/^@/, "").toLowerCase())
  if (agent === null || agent.status === "pending" || agent.deletedAtMs !== null || agent.ownerEmailHash === null)
    return yield* new AgentNotFound({ detail: `No claimed agent @${handle.replace(/^@/, "")}.` })
  const nowMs = yield* Clock.currentTimeMillis
  const expiresAtMs = nowMs + agentLinkHours * 3_600_000
  yield* spendAllowance(allowance, humanId, dryRun, "listener")
  yield* spendAllowance(ofAgent, agent.id, dryRun, "listener")
  const answer = { agentId: agent.id, handle: agent.persona.handle, expiresAt: new Date(expiresAtMs).toISOString() }
  const sealed = (yield* (yield* OwnerAddresses).sealed([agent.id])).get(agent.id)
  if (dryRun || sealed === undefined) return answer
  const { publicUrl, stationName } = yield* StationConfig
  const keys = yield* Keys
  const proof = randomCode("", 32)
  yield* humanAgents.ask(
    { agentId: agent.id, humanId, secretSha256: sha256(proof), ownerEmailHash: agent.ownerEmailHash, expiresAtMs },
    nowMs
  )
  const words = letter(stationName, human.displayName, agent.persona.handle, `${publicUrl}/account/agents/${proof}`)
  yield* mail({ kind: "agent_link", to: keys.open(sealed, agent.id), ...words }, expiresAtMs)
  return answer
})

/** Who has the letter and is signed in with the account that asked for it. With either alone nothing happens. */
const confirmAgent = Effect.fn("Account.confirmAgent")(function* (humanId: HumanId, proof: string) {
  const humanAgents = yield* HumanAgents
  const nowMs = yield* Clock.currentTimeMillis
  const request = yield* humanAgents.find(sha256(proof), nowMs)
  if (request === null || request.humanId !== humanId)
    return yield* new NotFound({
      detail: "This link has expired, was replaced by a newer one, or was asked for by another account."
    })
  yield* humanAgents.link(humanId, request.agentId, nowMs)
  return request.handle
})

const orGone = (done: Effect.Effect<boolean, never, never>, detail: string) =>
  Effect.flatMap(done, (was) => (was ? Effect.void : Effect.fail(new NotFound({ detail }))))

const signOutEverywhere = Effect.fn("Account.signOutEverywhere")(function* (humanId: HumanId) {
  yield* (yield* Listeners).voidTokensOf(humanId)
  return yield* (yield* HumanSessions).closeAll(humanId)
})

/** What people do with their own account. */
export const accountOwn = (humanId: HumanId) => ({
  Describe: ({ payload: { dryRun, patch } }: Asked<{ readonly patch: AccountPatch }>) =>
    perform(describe(humanId, patch), dryRun),
  StoreKey: ({ payload: { dryRun, key, provider } }: Asked<{ readonly provider: KeyProvider; readonly key: string }>) =>
    perform(storeKey(humanId, provider, key), dryRun),
  DropKey: ({ payload: { dryRun, provider } }: Asked<{ readonly provider: KeyProvider }>) =>
    perform(
      Effect.flatMap(HumanKeys, (keys) => orGone(keys.drop(humanId, provider), `There is no key for ${provider}.`)),
      dryRun
    ),
  EndSession: ({ payload: { dryRun, sessionId } }: Asked<{ readonly sessionId: string }>) =>
    perform(
      Effect.flatMap(HumanSessions, (sessions) =>
        orGone(sessions.close(humanId, sessionId), `There is no session ${sessionId}.`)
      ),
      dryRun
    ),
  EndSessions: ({ payload: { dryRun } }: Asked<object>) => perform(signOutEverywhere(humanId), dryRun),
  AskForAgent: ({ payload: { dryRun, handle } }: Asked<{ readonly handle: string }>) =>
    perform(askForAgent(humanId, handle, dryRun), dryRun),
  ConfirmAgent: ({ payload: { proof } }: { readonly payload: { readonly proof: string } }) =>
    perform(confirmAgent(humanId, proof), false),
  ReleaseAgent: ({ payload: { agentId, dryRun } }: Asked<{ readonly agentId: string }>) =>
    perform(
      Effect.flatMap(HumanAgents, (agents) =>
        orGone(agents.unlink(humanId, agentId), `No letter linked ${agentId}: what has your own address stays yours.`)
      ),
      dryRun
    ),
  Leave: ({ payload: { dryRun } }: Asked<object>) =>
    perform(Effect.andThen(found(humanId), erasePerson(humanId)), dryRun)
})

/** The log outlives the person: it says what was done, not who they were. */
const noted = ({ blockedReason, emailHash, published }: Human) => ({
  published,
  linked: emailHash !== null,
  blockedReason
})
const acting = ({ actor, reason }: Act): Act => ({ actor, reason })
export const AccountLive = Account.toLayer(
  Effect.gen(function* () {
    const humanId = (yield* Entity.CurrentAddress).entityId as unknown as HumanId
    const humans = yield* Humans
    const agents = yield* HumanAgents
    const transaction = yield* Transaction
    const subject = { type: "user", id: humanId }
    const found = Effect.flatMap(humans.find(humanId), (human) =>
      human === null ? Effect.fail(new NotFound({ detail: `There is no user ${humanId}.` })) : Effect.succeed(human)
    )

    return Account.of(
      countedAll("Account", {
        ...accountOwn(humanId),
        Moderate: ({ payload }) =>
          transaction.run(
            Effect.gen(function* () {
              const before = yield* found
              const after = Human.make({
                ...before,
                published: payload.published ?? before.published,
                emailHash: payload.unlink ? null : before.emailHash,
                blockedReason: payload.blocked === null ? before.blockedReason : payload.blocked ? payload.reason : null
              })
              if (payload.unlink && !payload.dryRun) yield* agents.unlinkAll(humanId)
              if (payload.dryRun || JSON.stringify(noted(before)) === JSON.stringify(noted(after))) return after
              yield* humans.change(humanId, after)
              yield* record(acting(payload), "user.change", subject, noted(before), noted(after))
              return after
            })
          ),
        Erase: ({ payload }) =>
          transaction.run(
            Effect.gen(function* () {
              const human = yield* found
              if (payload.dryRun) return human
              yield* erasePerson(humanId)
              yield* record(acting(payload), "user.erase", subject, noted(human), null)
              return human
            })
          )
      })
    )
  }),
  transient
)
