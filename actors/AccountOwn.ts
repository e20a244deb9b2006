import { Clock, Effect } from "effect"
import { StationConfig } from "../engine/Config.ts"
import { Keys } from "../engine/Keys.ts"
import { agentLinkHours, agentLinksPerDay } from "../engine/Limits.ts"
import { Mail } from "../engine/ports/Mail.ts"
import { described, flaggedTexts } from "../engine/rules/HumanProfile.ts"
import { randomCode, sha256 } from "../engine/Secrets.ts"
import { Agents } from "../engine/store/Agents.ts"
import { HumanAgents } from "../engine/store/HumanAgents.ts"
import { HumanKeys } from "../engine/store/HumanKeys.ts"
import { Humans } from "../engine/store/Humans.ts"
import { HumanSessions } from "../engine/store/HumanSessions.ts"
import { Listeners } from "../engine/store/Listeners.ts"
import { OwnerAddresses } from "../engine/store/OwnerAddresses.ts"
import { Transaction } from "../engine/store/Transaction.ts"
import type { AccountPatch, KeyProvider } from "../schema/Account.ts"
import { Human } from "../schema/Human.ts"
import type { HumanId } from "../schema/Ids.ts"
import { AgentNotFound, HandleTaken, NotFound } from "../schema/Problems.ts"
import { erasePerson } from "./Erasure.ts"
import { performed } from "./Rehearsing.ts"
import { spend } from "./Spending.ts"
import { excerptHash } from "./Submission.ts"
import { refuseFlagged } from "./TextChecks.ts"

interface Asked<A> {
  readonly payload: A & { readonly dryRun: boolean }
}

const gone = new NotFound({ detail: "This account is gone." })
const allowance = { name: "agent_links", perDay: agentLinksPerDay } as const
const ofAgent = { name: "agent_link_letters", perDay: 2 } as const

const found = Effect.fnUntraced(function*(humanId: HumanId) {
  return (yield* (yield* Humans).find(humanId)) ?? (yield* gone)
})

const describe = Effect.fn("Account.describe")(function*(humanId: HumanId, patch: AccountPatch) {
  const before = yield* found(humanId)
  yield* refuseFlagged("Nothing was changed: this can't stand in a profile.", flaggedTexts(patch, excerptHash))
  const after = Human.make({ ...before, ...described(before, patch) })
  if (!(yield* (yield* Humans).describe(humanId, after))) return yield* new HandleTaken({ detail: `Somebody else's profile is at ${after.slug}. Choose another address.` })
  return after
})

const storeKey = Effect.fn("Account.storeKey")(function*(humanId: HumanId, provider: KeyProvider, key: string) {
  yield* found(humanId)
  const storedAtMs = yield* Clock.currentTimeMillis
  // Of a short key even four characters would say much.
  const hint = key.length < 20 ? "" : key.slice(-4)
  yield* (yield* HumanKeys).put(humanId, { provider, hint, storedAtMs, keySealed: (yield* Keys).seal(key, `provider-key:${humanId}:${provider}`) })
  return { provider, masked: `…${hint}`, storedAt: new Date(storedAtMs).toISOString() }
})

const letter = (stationName: string, asker: string, handle: string, url: string) => ({
  subject: `${stationName}: does @${handle} belong to ${asker}?`,
  text: `Somebody with an account at ${stationName}, who goes by the name "${asker}", says that @${handle} is theirs too. You own it, by this address.\n\nIs that you? Open this where you are signed in with that account, and confirm it there:\n${url}\n\nIt counts for ${agentLinkHours} hours. If it isn't you, do nothing: the agent stays as it is.\n`
})

const askForAgent = Effect.fn("Account.askForAgent")(function*(humanId: HumanId, handle: string, dryRun: boolean) {
  const human = yield* found(humanId)
  const humanAgents = yield* HumanAgents
  const agent = yield* (yield* Agents).findByHandle(handle.replace(/^@/, "").toLowerCase())
  if (agent === null || agent.status === "pending" || agent.deletedAtMs !== null || agent.ownerEmailHash === null) return yield* new AgentNotFound({ detail: `Nobody owns an agent @${handle.replace(/^@/, "")}.` })
  const nowMs = yield* Clock.currentTimeMillis
  const expiresAtMs = nowMs + agentLinkHours * 3_600_000
  yield* spend(allowance, humanId, dryRun, "listener")
  yield* spend(ofAgent, agent.id, dryRun, "listener")
  const answer = { agentId: agent.id, handle: agent.persona.handle, expiresAt: new Date(expiresAtMs).toISOString() }
  const sealed = (yield* (yield* OwnerAddresses).sealed([agent.id])).get(agent.id)
  if (dryRun || sealed === undefined) return answer
  const { publicUrl, stationName } = yield* StationConfig
  const [keys, mail] = [yield* Keys, yield* Mail]
  const proof = randomCode("", 32)
  yield* humanAgents.ask({ agentId: agent.id, humanId, secretSha256: sha256(proof), ownerEmailHash: agent.ownerEmailHash, expiresAtMs }, nowMs)
  const words = letter(stationName, human.displayName, agent.persona.handle, `${publicUrl}/account/agents/${proof}`)
  yield* (yield* Transaction).afterCommit(mail.send({ kind: "agent_link", to: keys.open(sealed, agent.id), ...words }).pipe(
    Effect.catchCause(() => Effect.logWarning("mail was not sent")), Effect.forkDetach, Effect.asVoid))
  return answer
})

/** Who has the letter and is signed in with the account that asked for it. With either alone nothing happens. */
const confirmAgent = Effect.fn("Account.confirmAgent")(function*(humanId: HumanId, proof: string) {
  const humanAgents = yield* HumanAgents
  const nowMs = yield* Clock.currentTimeMillis
  const request = yield* humanAgents.find(sha256(proof), nowMs)
  if (request === null || request.humanId !== humanId) return yield* new NotFound({ detail: "This link has expired, was replaced by a newer one, or was asked for by another account." })
  yield* humanAgents.link(humanId, request.agentId, nowMs)
  return request.handle
})

const orGone = (done: Effect.Effect<boolean, never, never>, detail: string) => Effect.flatMap(done, (was) => was ? Effect.void : Effect.fail(new NotFound({ detail })))

const signOutEverywhere = Effect.fn("Account.signOutEverywhere")(function*(humanId: HumanId) {
  yield* (yield* Listeners).voidTokensOf(humanId)
  return yield* (yield* HumanSessions).closeAll(humanId)
})

/** What people do with their own account. */
export const accountOwn = (humanId: HumanId) => ({
  Describe: ({ payload: { dryRun, patch } }: Asked<{ readonly patch: AccountPatch }>) => performed(describe(humanId, patch), dryRun),
  StoreKey: ({ payload: { dryRun, key, provider } }: Asked<{ readonly provider: KeyProvider; readonly key: string }>) => performed(storeKey(humanId, provider, key), dryRun),
  DropKey: ({ payload: { dryRun, provider } }: Asked<{ readonly provider: KeyProvider }>) =>
    performed(Effect.flatMap(HumanKeys, (keys) => orGone(keys.drop(humanId, provider), `There is no key for ${provider}.`)), dryRun),
  EndSession: ({ payload: { dryRun, sessionId } }: Asked<{ readonly sessionId: string }>) =>
    performed(Effect.flatMap(HumanSessions, (sessions) => orGone(sessions.close(humanId, sessionId), `There is no session ${sessionId}.`)), dryRun),
  EndSessions: ({ payload: { dryRun } }: Asked<object>) => performed(signOutEverywhere(humanId), dryRun),
  AskForAgent: ({ payload: { dryRun, handle } }: Asked<{ readonly handle: string }>) => performed(askForAgent(humanId, handle, dryRun), dryRun),
  ConfirmAgent: ({ payload: { proof } }: { readonly payload: { readonly proof: string } }) => performed(confirmAgent(humanId, proof), false),
  ReleaseAgent: ({ payload: { agentId, dryRun } }: Asked<{ readonly agentId: string }>) =>
    performed(Effect.flatMap(HumanAgents, (agents) => orGone(agents.unlink(humanId, agentId), `No letter linked ${agentId}: what has your own address stays yours.`)), dryRun),
  Leave: ({ payload: { dryRun } }: Asked<object>) => performed(Effect.andThen(found(humanId), erasePerson(humanId)), dryRun)
})
