import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type AiringEvent,
  airingStep,
  airingStepFrom,
  type AiringStep,
  isHeard,
  applyEvent,
  offerAiring
} from "../../../../engine/rules/air/Airing.ts"
import { songRequestDisplacementsMax } from "../../../../engine/rules/air/limits.ts"
import { isActive, requestStatus } from "../../../../engine/rules/music/SongRequest.ts"
import { type Airing, AiringState, AiringSubject } from "../../../../schema/air/Airing.ts"
import { testId } from "../../../support/air/Airables.ts"

const lengthMs = 100_000
const subject = fc.constantFrom(...AiringSubject.literals)
const speech = fc.constantFrom<AiringSubject>("segment", "call")
const heard = (share: number) => ({
  sinceMs: 0,
  endedAtMs: share * lengthMs,
  heardMs: share * lengthMs,
  lengthMs,
  complete: share === 1
})
const end = (share: number): AiringEvent => ({ _tag: "End", heard: heard(share), atMs: share * lengthMs })
const event: fc.Arbitrary<AiringEvent> = fc.oneof(
  fc.constantFrom<AiringEvent>(
    { _tag: "Place", placement: testId("itm", 1), expectedAtMs: 5, atMs: 1 },
    { _tag: "Begin", atMs: 2 },
    { _tag: "Displace", reason: "DISPLACED", atMs: 3 },
    { _tag: "Reclaim", atMs: 4 },
    { _tag: "GiveUp", reason: "AUDIO_LOST", atMs: 5 },
    { _tag: "Withdraw", reason: "OPERATOR", atMs: 6 },
    { _tag: "Offer", atMs: 7 },
    { _tag: "Expire", atMs: 8 },
    { _tag: "Stop", atMs: 9 }
  ),
  fc.constantFrom(0, 0.1, 0.3, 0.49, 0.5, 0.7, 1).map(end)
)
const events = fc.array(event, { maxLength: 60 })

/** All its states in order. */
const trail = (of: AiringSubject, all: ReadonlyArray<AiringEvent>): ReadonlyArray<Airing> =>
  all.reduce<ReadonlyArray<Airing>>(
    (past, each) => {
      const next = applyEvent(past.at(-1)!, each)
      return next === null ? past : [...past, next]
    },
    [offerAiring("one", of, 0)]
  )
const steps: ReadonlyArray<AiringStep> = [
  "Offer",
  "Place",
  "Begin",
  "Displace",
  "Finish",
  "GiveUp",
  "Withdraw",
  "Expire",
  "Stop"
]
const isWay = (of: AiringSubject, from: AiringState, to: AiringState) =>
  steps.some((step) => airingStep(of, from, step) === to)

describe("an airing", () => {
  it("never leaves the transition table", () =>
    fc.assert(
      fc.property(subject, events, (of, all) => {
        const past = trail(of, all)
        for (const [i, { state }] of past.entries())
          if (i > 0 && past[i - 1]!.state !== state)
            // A request that loses its place for the third time fails, and its requester is notified.
            expect(
              isWay(of, past[i - 1]!.state, state) || (of === "song_request" && state === "withdrawn"),
              `${past[i - 1]!.state} ${state}`
            ).toBe(true)
      })
    ))

  it("airs only after it was placed", () =>
    fc.assert(
      fc.property(subject, events, (of, all) => {
        const past = trail(of, all)
        for (const [i, { state }] of past.entries()) {
          if (state === "aired") expect(["airing", "aired"]).toContain(past[i - 1]!.state)
          if (state === "airing") expect(past[i - 1]!.state).toBe("placed")
          if (state === "placed") expect(["waiting", "placed"]).toContain(past[i - 1]!.state)
        }
      })
    ))

  it("has a placement exactly in the states that need one", () =>
    fc.assert(
      fc.property(subject, events, (of, all) => {
        for (const { begunAtMs, complete, expectedAtMs, placement, state } of trail(of, all)) {
          if (state === "placed") expect([placement, expectedAtMs]).toEqual([testId("itm", 1), 5])
          if (state === "waiting") expect([placement, expectedAtMs, begunAtMs]).toEqual([null, null, null])
          expect(complete !== null).toBe(state === "aired")
          if (state === "airing" || state === "aired") expect(begunAtMs).toBe(2)
        }
      })
    ))

  it("never changes again once it has aired or expired", () =>
    fc.assert(
      fc.property(subject, fc.constantFrom("aired" as const, "expired" as const), event, (of, state, each) => {
        expect(applyEvent({ ...offerAiring("one", of, 0), state }, each)).toBeNull()
      })
    ))

  it("lists the states from which each step is allowed", () =>
    fc.assert(
      fc.property(subject, fc.constantFrom(...steps), fc.constantFrom(...AiringState.literals), (of, step, from) => {
        expect(airingStepFrom(of, step).includes(from)).toBe(airingStep(of, from, step) !== null)
      })
    ))

  it("of speech airs once more if it was cut before half of it was heard", () =>
    fc.assert(
      fc.property(speech, fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true }), (of, cut, share) => {
        const airing: Airing = { ...offerAiring("one", of, 0), state: "airing", begunAtMs: 0, cut }
        expect(applyEvent(airing, end(share))).toMatchObject(
          share < 0.5 && !cut
            ? { state: "waiting", cut: true, complete: null, reason: "CUT", begunAtMs: null }
            : { state: "aired", complete: share === 1, reason: share < 0.5 ? "CUT" : null }
        )
      })
    ))

  it("of a request counts after thirty seconds or half of it, whichever comes first", () => {
    expect([
      isHeard("song_request", 29_999, 180_000),
      isHeard("song_request", 30_000, 180_000),
      isHeard("song_request", 20_000, 40_000),
      isHeard("song_request", 19_999, 40_000)
    ]).toEqual([false, true, true, false])
    const ends = (songMs: number) =>
      applyEvent(
        { ...offerAiring("one", "song_request", 0), state: "airing" },
        { _tag: "End", atMs: 0, heard: { ...heard(1), sinceMs: 1_000, heardMs: songMs, lengthMs: songMs } }
      )?.endedAtMs
    expect([ends(180_000), ends(40_000)]).toEqual([31_000, 21_000])
  })

  it("of a request is repeated twice at most, unless the station was down", () =>
    fc.assert(
      fc.property(events, (all) => {
        const past = trail("song_request", all)
        const counted = past.at(-1)!.displacements
        expect(counted).toBeLessThanOrEqual(songRequestDisplacementsMax)
        for (const { displacements, state } of past)
          if (isActive(requestStatus[state])) expect(displacements).toBeLessThanOrEqual(songRequestDisplacementsMax)
      })
    ))

  it("of a request can end while its song plays; speech on the air is removed another way", () => {
    for (const step of ["Withdraw", "Stop"] as const)
      expect([airingStep("song_request", "airing", step) === null, airingStep("segment", "airing", step)]).toEqual([
        false,
        null
      ])
  })
})
