import { rateKeysMax } from "../../engine/rules/http/limits.ts"
import type { Allowance, Policy } from "../api/Counted.ts"

/**
 * General rate limits by a generic cell rate algorithm: one number per caller. Several processes of a station tell each other what they counted, so a
 * caller that uses all of them gets one allowance, and what it sends before they have told. Contract quotas of agents are counted with the agent's
 * state.
 */
export class RateLimits {
  readonly #dueMs = new Map<string, number>()
  readonly #proven = new Map<string, true>()
  readonly #scale: number
  /** By caller, the ms of its window that it has spent here since the last `takeUntold`. Null while no other process asks. */
  #untold: Map<string, number> | null = null

  constructor(scale: number) {
    this.#scale = scale
  }

  take(policy: Policy, caller: string, nowMs: number): Allowance {
    return this.#spend(policy, caller, nowMs, true)
  }

  /** Whether one more would be allowed. Spends nothing. */
  look(policy: Policy, caller: string, nowMs: number): Allowance {
    return this.#spend(policy, caller, nowMs, false)
  }

  /** Remembers a credential that proved good, by its hash. */
  prove(credentialSha256: string): void {
    this.#proven.delete(credentialSha256)
    this.#proven.set(credentialSha256, true)
    if (this.#proven.size > rateKeysMax) this.#proven.delete(this.#proven.keys().next().value!)
  }

  /** Counts for other processes from now on. */
  share(): void {
    this.#untold ??= new Map()
  }

  /** What at most `max` callers have spent and no other process knows. Callers beyond that wait for the next time. */
  takeUntold(max: number): Readonly<Record<string, number>> {
    const taken: Record<string, number> = {}
    let left = max
    for (const [key, spentMs] of this.#untold ?? []) {
      if (left-- === 0) break
      taken[key] = spentMs
      this.#untold!.delete(key)
    }
    return taken
  }

  /** Counts what callers have spent in another process. */
  addSpent(spent: Readonly<Record<string, number>>, nowMs: number): void {
    for (const [key, spentMs] of Object.entries(spent))
      this.#keep(key, Math.max(this.#dueMs.get(key) ?? nowMs, nowMs) + spentMs, nowMs)
  }

  isProven(credentialSha256: string): boolean {
    return this.#proven.has(credentialSha256)
  }

  #spend(policy: Policy, caller: string, nowMs: number, spends: boolean): Allowance {
    const limit = Math.max(1, Math.floor(policy.limit * this.#scale))
    const stepMs = (policy.windowSec * 1_000) / limit
    const key = `${policy.name} ${caller}`
    const due = Math.max(this.#dueMs.get(key) ?? nowMs, nowMs)
    const spentMs = due - nowMs
    const allowed = spentMs + stepMs <= policy.windowSec * 1_000 + 0.5
    const after = allowed ? spentMs + stepMs : spentMs
    if (allowed && spends) {
      this.#keep(key, due + stepMs, nowMs)
      const untold = this.#untold
      const untoldMs = untold?.get(key)
      if (untold !== null && (untoldMs !== undefined || untold.size < rateKeysMax))
        untold.set(key, (untoldMs ?? 0) + stepMs)
    }
    return {
      policy: { ...policy, limit },
      allowed,
      remaining: Math.max(0, Math.floor((policy.windowSec * 1_000 - after) / stepMs + 1e-6)),
      waitSec: Math.max(1, Math.ceil((allowed ? after : spentMs + stepMs - policy.windowSec * 1_000) / 1_000))
    }
  }

  #keep(key: string, dueMs: number, nowMs: number): void {
    // Deletes and re-inserts, so that the map is in order of use and the least recently used entries are evicted first.
    this.#dueMs.delete(key)
    this.#dueMs.set(key, dueMs)
    if (this.#dueMs.size <= rateKeysMax) return
    for (const [other, otherDueMs] of this.#dueMs) {
      if (otherDueMs > nowMs && this.#dueMs.size <= rateKeysMax) break
      this.#dueMs.delete(other)
    }
  }
}

/** Headers of the IETF draft, tightest policy first. */
export const rateHeaders = (allowances: ReadonlyArray<Allowance>): Record<string, string> => {
  if (allowances.length === 0) return {}
  const order =
    allowances.length === 1
      ? allowances
      : [...allowances].sort((a, b) => a.remaining / a.policy.limit - b.remaining / b.policy.limit)
  let policies = ""
  let left = ""
  for (const { policy, remaining, waitSec } of order) {
    const { limit, name, windowSec } = policy
    policies += `${policies === "" ? "" : ", "}"${name}";q=${limit};w=${windowSec}`
    left += `${left === "" ? "" : ", "}"${name}";r=${remaining};t=${waitSec}`
  }
  return { "ratelimit-policy": policies, ratelimit: left }
}
