import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { Agent } from "../../../schema/agents/Agent.ts"
import { credentialsKnownMax, credentialsKnownMs } from "../../rules/agents/limits.ts"
import { afterCommitTogether } from "../sql/afterCommit.ts"
import { isShared } from "../sql/sharedDatabase.ts"
import type { Credential } from "./Agents.ts"

interface Known {
  readonly found: Credential
  readonly atMs: number
}

/**
 * Credentials of keys that were used in the last seconds, so that a request of a known key costs no statement. Every change of an agent, its
 * keys or its grants forgets them when it commits, before it is answered: a revoked key is refused in the very next request. Where other processes
 * change them too, none is kept.
 */
class CredentialCache {
  readonly #known = new Map<string, Known>()
  /** Keys of each agent, so that a change needs no search. */
  readonly #keys = new Map<string, Set<string>>()
  readonly #isShared: boolean
  /** For each read under way: the agents that have changed since it began. */
  readonly #reads = new Set<Set<string>>()

  constructor(isShared: boolean) {
    this.#isShared = isShared
  }

  find(publicId: string, read: Effect.Effect<Credential | null>): Effect.Effect<Credential | null> {
    return Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      const known = this.#known.get(publicId)
      if (known !== undefined && nowMs - known.atMs < credentialsKnownMs) return Effect.succeed(known.found)
      const changed = new Set<string>()
      this.#reads.add(changed)
      return read.pipe(
        Effect.tap((found) => Effect.sync(() => this.#keep(publicId, found, changed, nowMs))),
        Effect.ensuring(Effect.sync(() => this.#reads.delete(changed)))
      )
    })
  }

  /** The agent as its last commit left it, if one of its keys is known. */
  agent(agentId: string, nowMs: number): Agent | null {
    for (const publicId of this.#keys.get(agentId) ?? []) {
      const { atMs, found } = this.#known.get(publicId)!
      if (nowMs - atMs < credentialsKnownMs) return found.agent
    }
    return null
  }

  #keep(publicId: string, found: Credential | null, changed: Set<string>, atMs: number): void {
    this.#drop(publicId)
    if (this.#isShared) return
    // A suspension may end by itself.
    if (found === null || found.revoked || found.agent.status !== "claimed") return
    if (changed.has(found.agent.id)) return
    this.#known.set(publicId, { found, atMs })
    const keys = this.#keys.get(found.agent.id) ?? new Set()
    this.#keys.set(found.agent.id, keys.add(publicId))
    if (this.#known.size > credentialsKnownMax) this.#drop(this.#known.keys().next().value!)
  }

  #drop(publicId: string): void {
    const known = this.#known.get(publicId)
    if (known === undefined) return
    this.#known.delete(publicId)
    const keys = this.#keys.get(known.found.agent.id)
    keys?.delete(publicId)
    if (keys?.size === 0) this.#keys.delete(known.found.agent.id)
  }

  /** Notes a use of a key that was saved. A change that every agent makes each minute is no reason to read all of it again. */
  noteUse({ agentId, atMs, keyId }: { readonly agentId: string; readonly keyId: string; readonly atMs: number }): void {
    for (const changed of this.#reads) changed.add(agentId)
    for (const publicId of this.#keys.get(agentId) ?? []) {
      const known = this.#known.get(publicId)!
      const { found } = known
      const agent = Agent.make({ ...found.agent, lastSeenAtMs: atMs }, { disableChecks: true })
      const keyUsedAtMs = found.keyId === keyId ? atMs : found.keyUsedAtMs
      this.#known.set(publicId, { ...known, found: { ...found, agent, keyUsedAtMs } })
    }
  }

  forget(agentId: string): void {
    for (const changed of this.#reads) changed.add(agentId)
    for (const publicId of this.#keys.get(agentId) ?? []) this.#drop(publicId)
  }
}

const caches = new WeakMap<SqlClient.SqlClient, CredentialCache>()
/** The one cache of a database: the writers of agents, keys and grants share it. */
export const credentialCacheOf = (sql: SqlClient.SqlClient): CredentialCache => {
  let cache = caches.get(sql)
  if (cache === undefined) caches.set(sql, (cache = new CredentialCache(isShared(sql))))
  return cache
}

/** Runs a change of an agent, its keys or its grants, and forgets its credential when the change has committed. */
export const changesOf =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(agentId: string, change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tap(change, () => afterCommitTogether(sql)(Effect.sync(() => credentialCacheOf(sql).forget(agentId))))
