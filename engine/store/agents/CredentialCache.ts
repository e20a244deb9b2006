import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { Agent } from "../../../schema/agents/Agent.ts"
import { credentialsKnownChars, credentialsKnownMax, credentialsKnownMs } from "../../rules/agents/limits.ts"
import { afterCommitTogether } from "../sql/afterCommit.ts"
import { isShared } from "../sql/sharedDatabase.ts"
import type { Credential } from "./Agents.ts"

interface Known {
  readonly found: Credential
  readonly atMs: number
  readonly chars: number
}

/** Characters of a profile, which are most of what a credential takes. */
const charsOf = ({ culture, persona }: Agent): number =>
  [...Object.values(persona), ...Object.values(culture)].flat().reduce((sum, text) => sum + (text?.length ?? 0), 0)

/**
 * Credentials of keys that were used in the last seconds, so that a request of a known key costs no statement. Every change of an agent, its
 * keys or its grants forgets them when it commits, before it is answered: a revoked key is refused in the very next request. Where other processes
 * change them too, none is kept.
 */
class CredentialCache {
  readonly #known = new Map<string, Known>()
  #chars = 0
  /** Keys of each agent and ids of their handles, so that nothing needs a search. */
  readonly #keys = new Map<string, Set<string>>()
  readonly #ids = new Map<string, string>()
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

  agentOf(handle: string, nowMs: number): Agent | null {
    const id = this.#ids.get(handle)
    return id === undefined ? null : this.agent(id, nowMs)
  }

  #keep(publicId: string, found: Credential | null, changed: Set<string>, atMs: number): void {
    this.#drop(publicId)
    if (this.#isShared) return
    // A suspension may end by itself.
    if (found === null || found.revoked || found.agent.status !== "claimed") return
    if (changed.has(found.agent.id)) return
    const chars = charsOf(found.agent)
    this.#known.set(publicId, { found, atMs, chars })
    this.#chars += chars
    const keys = this.#keys.get(found.agent.id) ?? new Set()
    this.#keys.set(found.agent.id, keys.add(publicId))
    this.#ids.set(found.agent.persona.handle, found.agent.id)
    while (this.#known.size > credentialsKnownMax || this.#chars > credentialsKnownChars)
      this.#drop(this.#known.keys().next().value!)
  }

  #drop(publicId: string): void {
    const known = this.#known.get(publicId)
    if (known === undefined) return
    this.#known.delete(publicId)
    this.#chars -= known.chars
    const keys = this.#keys.get(known.found.agent.id)
    keys?.delete(publicId)
    if (keys === undefined || keys.size > 0) return
    this.#keys.delete(known.found.agent.id)
    this.#ids.delete(known.found.agent.persona.handle)
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
