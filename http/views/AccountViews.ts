import { Clock, Effect } from "effect"
import { submissionView } from "../../engine/rules/music/Adoption.ts"
import { submissionsShownMax } from "../../engine/rules/music/limits.ts"
import { MusicSubmissions } from "../../engine/store/music/MusicSubmissions.ts"
import { HumanAgents } from "../../engine/store/people/HumanAgents.ts"
import { HumanIdentities } from "../../engine/store/people/HumanIdentities.ts"
import { HumanKeys } from "../../engine/store/people/HumanKeys.ts"
import { HumanRecords } from "../../engine/store/people/HumanRecords.ts"
import { Humans } from "../../engine/store/people/Humans.ts"
import { HumanSessions } from "../../engine/store/people/HumanSessions.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import { offeredAgentsMax } from "../../engine/rules/people/limits.ts"
import type { KeyProvider } from "../../schema/people/Account.ts"
import type { Human } from "../../schema/people/Human.ts"
import { NotFound } from "../../schema/Problems.ts"
import { OwnAddress } from "../api/auth/OwnAddress.ts"
import { iso } from "../../schema/time/Instant.ts"
import { mediaUrl } from "../../engine/rules/sound/MediaUrl.ts"

export const accountView = Effect.fnUntraced(function* (human: Human) {
  const { publicUrl } = yield* StationFacts
  const email = yield* (yield* OwnAddress).find(human.id)
  const identities = yield* (yield* HumanIdentities).list(human.id)
  const { avatarPath, bio, createdAtMs, displayName, id, links, published, slug } = human
  return {
    id,
    slug,
    displayName,
    bio,
    avatarUrl: mediaUrl(avatarPath, publicUrl),
    links,
    published,
    profileUrl: published ? `${publicUrl}/api/v1/humans/${slug}` : null,
    email: email === null ? null : email.replace(/^(.)[^@]*/u, "$1***"),
    signsInWith: identities.map(({ issuer, linkedAtMs }) => ({ issuer, since: iso(linkedAtMs) })),
    createdAt: iso(createdAtMs)
  }
})

export const readAccount = Effect.fnUntraced(function* (humanId: string) {
  return yield* accountView(
    (yield* (yield* Humans).find(humanId)) ?? (yield* new NotFound({ detail: "This account is gone." }))
  )
})

export const readAgents = Effect.fnUntraced(function* (humanId: string) {
  const store = yield* HumanAgents
  const agents = (yield* store.list(humanId)).map(({ confirmed, tier, ...agent }) => ({
    ...agent,
    tier: `T${tier}`,
    linkedBy: confirmed ? ("letter" as const) : ("address" as const)
  }))
  const requests = (yield* store.listPending(humanId, yield* Clock.currentTimeMillis)).map(
    ({ agentId, askedAtMs, expiresAtMs, handle }) => ({
      agentId,
      handle,
      askedAt: iso(askedAtMs),
      expiresAt: iso(expiresAtMs)
    })
  )
  return { agents, requests }
})

export const readKeys = Effect.fnUntraced(function* (humanId: string) {
  return (yield* (yield* HumanKeys).list(humanId)).map(({ hint, provider, storedAtMs }) => ({
    provider: provider as KeyProvider,
    masked: `…${hint}`,
    storedAt: iso(storedAtMs)
  }))
})

export const readSubmissions = Effect.fnUntraced(function* (humanId: string) {
  return (yield* (yield* MusicSubmissions).listByHuman(humanId, submissionsShownMax)).map(submissionView)
})

export const readSessions = Effect.fnUntraced(function* (humanId: string, currentId: string) {
  return (yield* (yield* HumanSessions).list(humanId, yield* Clock.currentTimeMillis)).map(
    ({ createdAtMs, expiresAtMs, publicId, renewedAtMs, userAgent }) => ({
      id: publicId,
      current: publicId === currentId,
      userAgent,
      createdAt: iso(createdAtMs),
      lastUsedAt: iso(renewedAtMs),
      expiresAt: iso(expiresAtMs)
    })
  )
})

/** Agents that were claimed with the account's address while it existed, until its owner has answered. */
export const listOfferedAgents = (humanId: string) =>
  Effect.flatMap(HumanAgents, (store) => store.listOffered(humanId, offeredAgentsMax))

/** All data of an account with the full address, for its owner. */
export const exportAccount = Effect.fnUntraced(function* (humanId: string) {
  const account = yield* readAccount(humanId)
  return {
    exportedAt: iso(yield* Clock.currentTimeMillis),
    account: { ...account, email: yield* (yield* OwnAddress).find(humanId) },
    agents: (yield* readAgents(humanId)).agents,
    records: yield* (yield* HumanRecords).listAll(humanId)
  }
})
