import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { credentialsKnownMax, credentialsKnownMs } from "../../rules/agents/limits.ts"
import type { Credential } from "./Agents.ts"

interface Known {
  readonly found: Credential
  readonly atMs: number
}

/**
 * Credentials of keys that were used in the last seconds, so that a request of a known key costs no statement. Every change of an agent, its
 * keys or its grants forgets them when it commits, before it is answered: a revoked key is refused in the very next request. Only one station
 * uses a database.
 */
class CredentialCache {
  readonly #known = new Map<string, Known>()
  /** For each read under way: the agents that have changed since it began. */
  readonly #reads = new Set<Set<string>>()

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

  #keep(publicId: string, found: Credential | null, changed: ReadonlySet<string>, atMs: number): void {
    this.#known.delete(publicId)
    // A suspension may end by itself.
    if (found === null || found.revoked || found.agent.status !== "claimed" || changed.has(found.agent.id)) return
    this.#known.set(publicId, { found, atMs })
    if (this.#known.size > credentialsKnownMax) this.#known.delete(this.#known.keys().next().value!)
  }

  forget(agentId: string): void {
    for (const changed of this.#reads) changed.add(agentId)
    for (const [publicId, { found }] of this.#known) if (found.agent.id === agentId) this.#known.delete(publicId)
  }
}

const caches = new WeakMap<SqlClient.SqlClient, CredentialCache>()
/** The one cache of a database: the writers of agents, keys and grants share it. */
export const credentialCacheOf = (sql: SqlClient.SqlClient): CredentialCache => {
  let cache = caches.get(sql)
  if (cache === undefined) caches.set(sql, (cache = new CredentialCache()))
  return cache
}

/** Runs a change of an agent, its keys or its grants, and forgets its credential when the change has committed. */
export const changesOf =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(agentId: string, change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tap(change, () => sql.afterCommit(Effect.sync(() => credentialCacheOf(sql).forget(agentId))))
