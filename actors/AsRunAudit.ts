import { Effect } from "effect"
import { AsRunKey } from "../engine/AsRunKey.ts"
import { asRunAuditRows, asRunHoursMax } from "../engine/Limits.ts"
import { type ChainFault, emptyHead, genesis, linked, merkleRoot, verifyChain } from "../engine/rules/AsRunChain.ts"
import { msOf, sampleOf } from "../engine/rules/Timing.ts"
import { AsRun, type AsRunSeal } from "../engine/store/AsRun.ts"
import type { AsRunHead } from "../schema/AsRun.ts"

export interface AsRunVerdict {
  readonly rows: number
  /** The first row that is wrong, and what is wrong with it. */
  readonly fault: ChainFault | null
  readonly firstAtMs: number | null
  readonly lastAtMs: number | null
  readonly lastHash: string | null
}

/** How this incarnation binds and signs what it adds to the log. */
export const sealOf = (key: AsRunKey["Service"], fence: number): AsRunSeal => ({
  fence,
  genesis,
  link: (prevHash, body) => linked(key, prevHash, body),
  root: (hourMs, hashes) => {
    const root = merkleRoot(key, hashes)
    return { root, signature: key.sign(`${hourMs}:${root}`) }
  }
})

/** Checks the log, or one UTC day of it (`yyyy-mm-dd`): number, chain, text, signature, samples, columns and hourly roots. */
export const verifyAsRun = Effect.fn("verifyAsRun")(function*(stationId: string, day?: string) {
  const asRun = yield* AsRun
  const key = yield* AsRunKey
  const dayMs = day === undefined ? null : Date.parse(`${day}T00:00:00Z`)
  const fromSample = dayMs === null ? Number.MIN_SAFE_INTEGER : sampleOf(dayMs)
  const toSample = dayMs === null ? Number.MAX_SAFE_INTEGER : sampleOf(dayMs + 86_400_000)
  let head: AsRunHead | null = day === undefined ? { ...emptyHead, hash: genesis } : null
  let rows = 0
  let firstAtMs: number | null = null
  const hours = new Map<number, Array<string>>()
  const verdict = (fault: ChainFault | null): AsRunVerdict => ({
    rows, fault, firstAtMs, lastAtMs: head?.lastSample == null ? null : msOf(head.lastSample), lastHash: head?.hash ?? null
  })
  for (let fromSeq = 0;;) {
    const page = yield* asRun.rows(stationId, { fromSeq, fromSample, toSample, limit: asRunAuditRows })
    const first = page[0]
    if (first === undefined) break
    // A day begins in the middle of the chain: its first row says what it follows.
    head ??= { seq: first.row.seq - 1, hash: first.row.prevHash, lastSample: first.body === null ? null : first.body.firstSample - 1 }
    firstAtMs ??= first.body === null ? null : msOf(first.body.firstSample)
    const checked = verifyChain(key, page, head)
    rows += checked.head.seq - head.seq
    head = checked.head
    const differs = page.find((record) => !record.agrees && (checked.fault === null || record.row.seq < checked.fault.seq))
    if (differs !== undefined) return verdict({ seq: differs.row.seq, reason: "its columns don't say what its text says" })
    if (checked.fault !== null) return verdict(checked.fault)
    for (const { body, row } of page) {
      const hourMs = Math.floor(msOf(body!.lastSample) / 3_600_000) * 3_600_000
      hours.set(hourMs, [...hours.get(hourMs) ?? [], row.hash])
    }
    fromSeq = page.at(-1)!.row.seq + 1
    if (page.length < asRunAuditRows) break
  }
  for (const { firstSeq, hourMs, root, signature } of yield* asRun.roots(stationId, asRunHoursMax)) {
    const hashes = hours.get(hourMs)
    if (hashes === undefined) continue
    if (!key.verify(`${hourMs}:${root}`, signature)) return verdict({ seq: firstSeq, reason: `the root of its hour was not signed by this station` })
    // An hour that reaches into the day before is only partly in hand.
    if (dayMs !== null && hourMs < dayMs) continue
    if (merkleRoot(key, hashes) !== root) return verdict({ seq: firstSeq, reason: `its hour does not have the root that was published` })
  }
  return verdict(null)
})
