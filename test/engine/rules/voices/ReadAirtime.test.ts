import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readableSec, readAirtime, type PromisedRead } from "../../../../engine/rules/voices/ReadAirtime.ts"
import { reservedSec } from "../../../../engine/rules/voices/SpeechQuota.ts"
import { planReadMinPerAgentAndDay, planReadMinPerDay } from "../../../../engine/rules/voices/limits.ts"
import { utcDay } from "../../../../engine/rules/allowance/Meter.ts"
import { dayMs } from "../../../../schema/time/Units.ts"

const atMs = 20_000 * dayMs + 7 * 3_600_000
const meter = (usedSec: number) => ({ emptyAtMs: 0, seconds: { day: utcDay(atMs), sum: usedSec } })
const maxSec = { own: planReadMinPerAgentAndDay * 60, all: planReadMinPerDay * 60 }

describe("the airtime for scripts in plans", () => {
  it("is promised once: every accepted script can be read in time, earliest start first", () => {
    fc.assert(
      fc.property(
        fc.record({ own: fc.integer({ min: 0, max: maxSec.own }), all: fc.integer({ min: 0, max: maxSec.all }) }),
        fc.array(
          fc.record({
            isOwn: fc.boolean(),
            byMs: fc.integer({ min: 1, max: 4 * 24 }).map((hours) => atMs + hours * 3_600_000),
            words: fc.integer({ min: 100, max: 12_000 })
          }),
          { maxLength: 40 }
        ),
        (used, asked) => {
          const promised: Array<PromisedRead> = []
          // Other agents submit too; this agent's promises stay within both shares.
          for (const read of asked) {
            const airtime = readAirtime([meter(read.isOwn ? used.own : 0), meter(used.all)], promised, atMs)
            const { shares } = airtime
            const room = readableSec(read.isOwn ? airtime : { atMs, shares: [shares[1]!] }, read.byMs)
            if (reservedSec(read.words) <= room) promised.push(read)
          }
          for (const [usedSec, perDaySec, reads] of [
            [used.own, maxSec.own, promised.filter(({ isOwn }) => isOwn)],
            [used.all, maxSec.all, promised]
          ] as const) {
            let readSec = 0
            for (const read of reads.toSorted((a, b) => a.byMs - b.byMs)) {
              readSec += reservedSec(read.words)
              expect(readSec).toBeLessThanOrEqual(perDaySec - usedSec + (utcDay(read.byMs) - utcDay(atMs)) * perDaySec)
            }
          }
        }
      )
    )
  })
})
