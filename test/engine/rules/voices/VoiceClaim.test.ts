import { assert, array, boolean, constantFrom, integer, property, record } from "fast-check"
import { expect, it } from "vitest"
import { voiceChangeDays, voiceChangesMax } from "../../../../engine/rules/voices/limits.ts"
import { changesAfter, type Known, refusalOfDecision } from "../../../../engine/rules/voices/VoiceCatalog.ts"
import {
  changeWindowStartMs,
  changesLeft,
  lockedUntilMs,
  refusalOfClaim
} from "../../../../engine/rules/voices/VoiceClaim.ts"
import { voice } from "../../../support/media/SpeechDoubles.ts"

const dayMs = 86_400_000
const nowMs = Date.UTC(2026, 9, 1)
const flags = { claimable: boolean(), hasTensor: boolean(), hasDeployedVoice: boolean(), reserved: boolean() }

it("gives a voice exactly if it is available, in service and unclaimed", () => {
  assert(
    property(record(flags), boolean(), (given, isTaken) => {
      const refusal = refusalOfClaim(voice("any", given), isTaken)
      expect(refusal === null).toBe(given.claimable && given.hasTensor && given.hasDeployedVoice && !isTaken)
      if (given.claimable && given.hasTensor && !given.hasDeployedVoice)
        expect(refusal).toBe("VOICE_TENSOR_NOT_DEPLOYED")
    })
  )
})

it("never allows more claims in a window than the limit, and allows the next as soon as one has left it", () => {
  assert(
    property(array(integer({ min: 0, max: 120 * dayMs }), { maxLength: 40 }), (asks) => {
      let taken: ReadonlyArray<number> = []
      for (const atMs of asks.map((offset) => nowMs + offset).sort((a, b) => a - b)) {
        const counting = taken.filter((ms) => ms > changeWindowStartMs(atMs))
        const untilMs = lockedUntilMs(counting)
        expect(untilMs === null).toBe(counting.length < voiceChangesMax)
        expect(changesLeft(counting, atMs).remaining > 0).toBe(untilMs === null)
        if (untilMs === null) taken = [...taken, atMs]
        else {
          expect(untilMs).toBeGreaterThan(atMs)
          expect(lockedUntilMs(taken.filter((ms) => ms > changeWindowStartMs(untilMs)))).toBe(null)
        }
      }
      for (const ms of taken)
        expect(taken.filter((other) => other >= ms && other < ms + voiceChangeDays * dayMs).length).toBeLessThanOrEqual(
          voiceChangesMax
        )
    })
  )
})

it("keeps the latest of an operator's settings, and drops those returned to the engine", () => {
  const said = record(
    { reserved: constantFrom(true, false, null), listed: constantFrom(true, false, null) },
    { requiredKeys: [] }
  )
  assert(
    property(array(said, { maxLength: 8 }), (decisions) => {
      const after = decisions.reduce(changesAfter, {})
      for (const name of ["reserved", "listed"] as const) {
        const last = decisions.filter((decision) => name in decision).at(-1)?.[name] ?? null
        expect(after[name] ?? null).toBe(last)
      }
    })
  )
})

it("never reserves a claimed or the shared voice, and never frees one of the station", () => {
  assert(
    property(
      record(flags),
      boolean(),
      boolean(),
      record({ reserved: boolean(), listed: boolean(), hasDeployedVoice: boolean() }, { requiredKeys: [] }),
      (given, isHeld, isShared, decision) => {
        const offered = voice("any", given)
        const known: Known = {
          voice: offered,
          offered,
          changes: {},
          made: false,
          listed: true,
          handle: isHeld ? "wren" : null
        }
        if (refusalOfDecision(known, decision, isShared) !== null) return
        expect(isShared && (decision.reserved === true || decision.listed === false)).toBe(false)
        expect(isHeld && decision.reserved === true).toBe(false)
        expect(given.reserved && decision.reserved === false).toBe(false)
        expect(!given.hasTensor && decision.hasDeployedVoice === true).toBe(false)
      }
    )
  )
})
