import { Context } from "effect"

/** Whether this process has the air of its station: only then is its sound sent to listeners. A station of one process always has it. */
export interface AirOwnership {
  /** False too after a freeze, until the lease has been looked at again. */
  readonly holds: () => boolean
  /** Token with which the air was last taken, by this process or another; null while the station is one process. */
  readonly fence: () => number | null
  /**
   * Time since the former owner last renewed its lease: then it was surely on the air. Null if this process took the air from nobody, or doesn't
   * have it.
   */
  readonly formerSilentMs: () => number | null
  /** A proof of the token at this time, Unix ms, for those that pass it on; null without the air, and while the station is one process. */
  readonly proof: (nowMs: number) => string | null
  /** Notes a proof that somebody passed on. An owner that is shown a higher token has lost the air: it may be cut off from the store. Null for what proves nothing. */
  readonly seeProof: (proof: string, nowMs: number) => ProvenFence | null
  /** Calls `told` after each change. The returned function unsubscribes. */
  readonly listen: (told: (holds: boolean) => void) => () => void
}

/** A token, and when its owner proved it, Unix ms. */
export interface ProvenFence {
  readonly fence: number
  readonly atMs: number
}

/** Proves tokens to the other processes of the station, by way of anybody. Times in Unix ms. */
export interface FenceProofs {
  readonly write: (fence: number, nowMs: number) => string
  /** Null for what no process of the station wrote in the last seconds. */
  readonly read: (proof: string, nowMs: number) => ProvenFence | null
}

/**
 * The ownership of one of several processes. It holds the air while no other can have it: for the length of the lease after the last renewal was sent,
 * by its own clock. It also holds it while the store doesn't answer, because it can't tell a dead store from its own cut; but only if it ran all the
 * time, because a store that was not asked has no chance to answer.
 */
export class LeasedAir implements AirOwnership {
  readonly #leaseMs: number
  readonly #clock: () => number
  readonly #proofs: FenceProofs | null
  readonly #listeners = new Set<(holds: boolean) => void>()
  #isMine = false
  #fence: number | null = null
  #told = false
  /** When the last renewal was sent that the store has answered. */
  #renewedMs = Number.NEGATIVE_INFINITY
  /** The store has been asked since, and is silent. */
  #isSilent = false
  #ranMs: number
  /** When this process last woke from a freeze. */
  #wokeMs = Number.NEGATIVE_INFINITY
  /** When the former owner was last on the air, on this process's clock. */
  #formerSeenMs: number | null = null

  /** `nowMs` is monotonic. */
  constructor(leaseMs: number, nowMs: () => number, proofs: FenceProofs | null = null) {
    this.#proofs = proofs
    this.#leaseMs = leaseMs
    this.#clock = nowMs
    this.#ranMs = nowMs()
  }

  nowMs(): number {
    return this.#clock()
  }

  holds(): boolean {
    const nowMs = this.nowMs()
    if (!this.#isMine || nowMs - this.#ranMs >= this.#leaseMs) return false
    return this.#isSilent || nowMs - this.#renewedMs < this.#leaseMs
  }

  fence(): number | null {
    return this.#fence
  }

  formerSilentMs(): number | null {
    return this.#formerSeenMs === null ? null : this.nowMs() - this.#formerSeenMs
  }

  /** Notes, several times within half a lease, that this process runs. After a freeze of a lease it holds nothing until it has looked. */
  beat(): void {
    const nowMs = this.nowMs()
    const gapMs = nowMs - this.#ranMs
    if (gapMs >= this.#leaseMs) this.#isMine = false
    if (gapMs >= this.#leaseMs / 2) this.#wokeMs = nowMs
    this.#ranMs = nowMs
    this.#tell()
  }

  /**
   * Notes what a look at the lease found that was sent at `sentMs`. `formerSilentMs`: it took the air from an owner that had not renewed its lease for
   * so long.
   */
  note(
    isMine: boolean,
    fence: number | null = null,
    {
      formerSilentMs = null,
      sentMs = this.nowMs()
    }: { readonly formerSilentMs?: number | null; readonly sentMs?: number } = {}
  ): void {
    this.beat()
    if (formerSilentMs !== null) this.#formerSeenMs = this.nowMs() - formerSilentMs
    else if (!isMine) this.#formerSeenMs = null
    this.#fence = fence ?? this.#fence
    // After a freeze or a network cut, the answer may be older than a lease: another process may hold the air by now.
    if (!isMine || this.nowMs() - sentMs < this.#leaseMs) {
      this.#isMine = isMine
      this.#isSilent = false
      this.#renewedMs = sentMs
    }
    this.#tell()
  }

  /** Notes that the store has not answered a question of `sinceMs`. Ownership stays as it was, unless this process was frozen since then. */
  noteSilence(sinceMs: number): void {
    this.beat()
    if (this.#wokeMs < sinceMs) this.#isSilent = true
    this.#tell()
  }

  /** Notes that another process showed this token. Answers whether this one has lost the air by it. */
  see(fence: number): boolean {
    if (!this.holds() || fence <= (this.#fence ?? 0)) return false
    this.note(false, fence)
    return true
  }

  proof(nowMs: number): string | null {
    return this.#proofs === null || this.#fence === null || !this.holds()
      ? null
      : this.#proofs.write(this.#fence, nowMs)
  }

  seeProof(proof: string, nowMs: number): ProvenFence | null {
    const proven = this.#proofs?.read(proof, nowMs) ?? null
    if (proven !== null) this.see(proven.fence)
    return proven
  }

  listen(told: (holds: boolean) => void): () => void {
    this.#listeners.add(told)
    return () => this.#listeners.delete(told)
  }

  #tell(): void {
    if (this.holds() === this.#told) return
    this.#told = this.holds()
    for (const told of this.#listeners) told(this.#told)
  }
}

/** The ownership of this process's air. */
export const CurrentAirOwnership = Context.Reference<AirOwnership>("longwave/engine/ports/AirOwnership", {
  defaultValue: () => ({
    holds: () => true,
    fence: () => null,
    formerSilentMs: () => null,
    proof: () => null,
    seeProof: () => null,
    listen: () => () => undefined
  })
})
