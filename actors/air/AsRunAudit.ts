import { Effect } from "effect"
import { AsRunKey } from "../../engine/runtime/AsRunKey.ts"
import { asRunAuditRows, asRunHoursMax, asRunUnsealedHoursMax } from "../../engine/rules/air/limits.ts"
import {
  type ChainFault,
  emptyHead,
  genesis,
  linkRow,
  merkleRoot,
  verifyChain
} from "../../engine/rules/air/AsRunChain.ts"
import { msOf, sampleOf } from "../../schema/time/Samples.ts"
import { AsRun, type AsRunEnd, type AsRunSeal } from "../../engine/store/air/AsRun.ts"
import type { AsRunHead } from "../../schema/air/AsRun.ts"
import { type Told, untold } from "../runtime/UnderWay.ts"

export interface AsRunVerdict {
  readonly rows: number
  /** The first faulty row and its fault. */
  readonly fault: ChainFault | null
  readonly firstAtMs: number | null
  readonly lastAtMs: number | null
  readonly lastHash: string | null
}
const headText = (stationId: string, seq: number, hash: string): string => `head:${stationId}:${seq}:${hash}`
const hourMsOf = (sample: number): number => Math.floor(msOf(sample) / 3_600_000) * 3_600_000
/** Fault at the end of the log: rows or the signed end are missing, or don't match. */
const endFault = (key: AsRunKey["Service"], stationId: string, { last, signed }: AsRunEnd): ChainFault | null => {
  if (signed === null) return last.seq === 0 ? null : { seq: last.seq, reason: "the signed end of the log is missing" }
  if (!key.verify(headText(stationId, signed.seq, signed.hash), signed.signature))
    return { seq: signed.seq, reason: "that the log ends here was not signed by this station" }
  if (signed.seq > last.seq)
    return { seq: last.seq + 1, reason: `row ${last.seq + 1} is missing: the log goes on to row ${signed.seq}` }
  return signed.seq < last.seq || signed.hash !== last.hash
    ? { seq: signed.seq + (signed.seq < last.seq ? 1 : 0), reason: "the row lies behind the signed end of the log" }
    : null
}
/** Seal with which this incarnation chains and signs new rows. */
export const sealOf = (key: AsRunKey["Service"], fence: number): AsRunSeal => ({
  fence,
  genesis,
  link: (prevHash, body) => linkRow(key, prevHash, body),
  root: (hourMs, hashes) => {
    const root = merkleRoot(key, hashes)
    return { root, signature: key.sign(`${hourMs}:${root}`) }
  },
  head: (stationId, seq, hash) => key.sign(headText(stationId, seq, hash))
})
const verify = Effect.fnUntraced(function* (stationId: string, day: string | undefined, told: Told) {
  const asRun = yield* AsRun
  const key = yield* AsRunKey
  const dayMs = day === undefined ? null : Date.parse(`${day}T00:00:00Z`)
  const fromSample = dayMs === null ? Number.MIN_SAFE_INTEGER : sampleOf(dayMs)
  const toSample = dayMs === null ? Number.MAX_SAFE_INTEGER : sampleOf(dayMs + 86_400_000)
  let head: AsRunHead | null = day === undefined ? { ...emptyHead, hash: genesis } : null
  // The same at the end: all reads see one snapshot.
  const end = yield* asRun.end(stationId)
  let rows = 0
  let firstAtMs: number | null = null
  const hours = new Map<number, { readonly firstSeq: number; readonly hashes: Array<string> }>()
  const verdict = (fault: ChainFault | null): AsRunVerdict => ({
    rows,
    fault,
    firstAtMs,
    lastAtMs: head?.lastSample == null ? null : msOf(head.lastSample),
    lastHash: head?.hash ?? null
  })
  for (let fromSeq = 0; ;) {
    const page = yield* asRun.rows(stationId, { fromSeq, fromSample, toSample, limit: asRunAuditRows })
    const first = page[0]
    if (first === undefined) break
    // A day starts inside the chain: its first row names its predecessor.
    head ??= {
      seq: first.row.seq - 1,
      hash: first.row.prevHash,
      lastSample: first.body === null ? null : first.body.firstSample - 1
    }
    firstAtMs ??= first.body === null ? null : msOf(first.body.firstSample)
    const checked = verifyChain(key, page, head)
    rows += checked.head.seq - head.seq
    head = checked.head
    const differs = page.find(
      (record) => !record.agrees && (checked.fault === null || record.row.seq < checked.fault.seq)
    )
    if (differs !== undefined)
      return verdict({ seq: differs.row.seq, reason: "its columns don't say what its text says" })
    if (checked.fault !== null) return verdict(checked.fault)
    for (const { body, row } of page) {
      const hourMs = hourMsOf(body!.lastSample)
      const hour = hours.get(hourMs) ?? { firstSeq: row.seq, hashes: [] }
      hour.hashes.push(row.hash)
      hours.set(hourMs, hour)
    }
    fromSeq = page.at(-1)!.row.seq + 1
    // Of a day, the share of its samples: how many rows it has shows at its end only.
    const [done, total] =
      dayMs === null
        ? [fromSeq - 1, end.last.seq]
        : [(head.lastSample ?? fromSample) - fromSample, toSample - fromSample]
    yield* told(Math.min(99, Math.floor((done / Math.max(1, total)) * 100)), 100)
    if (page.length < asRunAuditRows) break
  }
  const roots = new Map((yield* asRun.roots(stationId, asRunHoursMax)).map((hour) => [hour.hourMs, hour] as const))
  const sealedMs = Math.max(...roots.keys())
  const unsealed = [...hours.keys()].filter((hourMs) => hourMs > sealedMs).length
  for (const [hourMs, { firstSeq, hashes }] of hours) {
    // An hour is sealed soon after a later one has begun. One that extends into the next day is only partly read.
    if (
      end.last.lastSample === null ||
      hourMs >= hourMsOf(end.last.lastSample) ||
      (dayMs !== null && hourMs >= dayMs + 86_400_000)
    )
      continue
    const published = roots.get(hourMs)
    if (published === undefined) {
      // Hours are sealed in order: those at the end of the log may be next.
      const isNext = hourMs > sealedMs && unsealed <= asRunUnsealedHoursMax
      if (roots.size < asRunHoursMax && !isNext)
        return verdict({ seq: firstSeq, reason: "the root of its hour is missing" })
    } else if (!key.verify(`${hourMs}:${published.root}`, published.signature))
      return verdict({ seq: firstSeq, reason: "the root of its hour was not signed by this station" })
    else if (merkleRoot(key, hashes) !== published.root)
      return verdict({ seq: firstSeq, reason: "the rows of its hour differ from the published root" })
  }
  return verdict(endFault(key, stationId, end))
})
/**
 * Checks the log, or one UTC day of it (`yyyy-mm-dd`): numbers, chain, text, signatures, samples, columns, hourly roots and end. Reads a
 * snapshot, because the station keeps writing. `told` hears the percentage.
 */
export const verifyAsRun = (stationId: string, day?: string, told: Told = untold) =>
  Effect.flatMap(AsRun, (asRun) => asRun.runInSnapshot(verify(stationId, day, told)))
